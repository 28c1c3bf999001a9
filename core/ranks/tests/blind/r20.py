import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, step, alive

r, n = rank(), world_size()
w = randn(8, seed=1)
group = None
size = n

for i in range(4):
    step(i)
    grad = randn(8, seed=10 * i + r)
    while True:
        total = grad.clone()
        try:
            dist.all_reduce(total, group=group)
        except RuntimeError as error:
            print(f"rank {r}: step {i} failed ({error}), trying again")
            ranks = alive()
            group = dist.new_group(ranks)
            size = len(ranks)
        else:
            break
    w -= 0.1 * total / size

submit("w", w)
