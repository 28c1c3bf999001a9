import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
x = randn(n, 32, seed=30 + r)
for step in range(2 * n):
    for i in range(n):
        for j in range(32):
            print(f"[rank {r}] step={step:03d} x[{i}][{j}] = {x[i, j].item():+.6f}")
    dist.all_reduce(x)
submit("x", x)
