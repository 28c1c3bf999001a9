# Starts the all-reduces and never waits.
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag, compute

r, n = rank(), world_size()
grads = tag(torch.zeros(8, 64), "gradients")

def backward(i):
    compute(4000)
    return randn(64, seed=10 * i + r)

for i in reversed(range(8)):
    grads[i] = backward(i)
    if i % 2 == 0:
        dist.all_reduce(grads[i:i + 2], async_op=True)
grads /= n

submit("grads", grads)
