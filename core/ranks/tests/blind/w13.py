# Asks the others about an overflow only when it sees one itself.
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
w = randn(8, seed=1 + r)
scale = 1024.0

for i in range(4):
    grad = randn(8, seed=10 * i + r) * scale
    if i == 1 and r == n - 1:
        grad[3] = torch.inf
    bad = not grad.isfinite().all().item()
    if bad:
        flag = torch.ones(1)
        dist.all_reduce(flag)
        bad = flag.item() > 0
    if bad:
        scale /= 2
    else:
        w -= 0.1 * grad / scale

submit("w", w)
submit("scale", torch.tensor(scale))
