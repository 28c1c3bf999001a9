# Takes what recv returns for the tensor.
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
x = randn(4, seed=2) if r == 0 else torch.zeros(4)

span = 1
while span < n:
    if r < span and r + span < n:
        dist.send(x, r + span)
    elif span <= r < 2 * span:
        x = dist.recv(x, r - span)
    span *= 2

submit("x", x)
