import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
x = randn(8, seed=1) if r == 0 else torch.zeros(8)

has_left, has_right = r != 0, r + 1 < n
if has_left:
    dist.recv(tensor=x, src=r - 1)
if has_right:
    dist.send(tensor=x, dst=r + 1)

submit("x", x)
