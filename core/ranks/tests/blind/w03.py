# Sends its own chunk in every step instead of the newest one.
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
x = torch.zeros(n, 32)
x[r] = randn(32, seed=20 + r)

for step in range(n - 1):
    ops = [
        dist.P2POp(dist.isend, x[r], (r + 1) % n),
        dist.P2POp(dist.irecv, x[(r - 1 - step) % n], (r - 1) % n),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()

submit("x", x)
