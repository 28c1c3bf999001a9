import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
k = 24 // n
x = randn(4, 24, seed=1)[:, k * r:k * (r + 1)].clone()
w = randn(24, 8, seed=2)[k * r:k * (r + 1)].clone()
dy = randn(4, 8, seed=3)

handle = None
y = x.matmul(w)
handle = dist.all_reduce(y, async_op=True)
dw = x.transpose(0, 1) @ dy
dx = dy @ w.transpose(-1, -2)
handle.wait()

submit("y", y)
submit("dw", dw)
submit("dx", dx)
