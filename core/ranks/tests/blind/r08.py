import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag

r, n = rank(), world_size()
w1 = tag(randn(8, 16, seed=4), "parameters") * 0.3
w2 = tag(randn(16, 4, seed=5), "parameters") * 0.3

average = lambda g: dist.all_reduce(g, op=dist.ReduceOp.AVG)

for step in range(2):
    x, y = randn(4, 8, seed=1000 * step + r), randn(4, 4, seed=1000 * step + 500 + r)
    hidden = x @ w1
    active = hidden.relu()
    error = active @ w2 - y
    g2 = tag(active.T @ error, "gradients")
    g1 = tag(x.T @ (error @ w2.T * (hidden > 0)), "gradients")
    for g in (g1, g2):
        average(g)
    w1 -= 0.05 * g1
    w2 -= 0.05 * g2

submit("w1", w1)
submit("w2", w2)
