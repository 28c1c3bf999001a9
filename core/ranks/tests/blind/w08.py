# Builds the new group on the survivors but reduces over the old one.
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, step, alive

r, n = rank(), world_size()
w = randn(8, seed=1)
group, size = None, n

for i in range(4):
    step(i)
    grad = randn(8, seed=10 * i + r)
    total = grad.clone()
    try:
        dist.all_reduce(total, group=group)
    except RuntimeError:
        survivors = dist.new_group(alive())
        size = len(alive())
        total = grad.clone()
        dist.all_reduce(total, group=group)
    w -= 0.1 * total / size

submit("w", w)
