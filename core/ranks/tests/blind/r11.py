import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag

r, n = rank(), world_size()
w = tag(randn(8 * n, seed=6), "parameters")
grad = tag(randn(8 * n, seed=60 + r), "gradients")
m, v = tag(torch.zeros(8), "optimizer"), tag(torch.zeros(8), "optimizer")
lo, hi = 8 * r, 8 * (r + 1)
mine = w[lo:hi]

shard = grad[lo:hi]
dist.reduce_scatter_tensor(shard, grad, op=dist.ReduceOp.AVG)
m.mul_(0.9).add_(0.1 * shard)
v.mul_(0.99).add_(0.01 * shard.square())
mine.sub_(0.01 * m / (v.sqrt() + 0.1))
dist.all_gather_into_tensor(w, mine)

submit("w", w)
