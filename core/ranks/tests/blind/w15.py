# Averages the gradient after the update.
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag

r, n = rank(), world_size()
w = tag(randn(8 * n, seed=6), "parameters")
grad = tag(randn(8 * n, seed=60 + r), "gradients")
m, v = tag(torch.zeros(8), "optimizer"), tag(torch.zeros(8), "optimizer")
mine = w[8 * r:8 * (r + 1)]

shard = grad[8 * r:8 * (r + 1)]
m += 0.1 * shard
v += 0.01 * shard * shard
mine -= 0.01 * m / (v.sqrt() + 0.1)
dist.reduce_scatter_tensor(shard, grad)
shard /= n
dist.all_gather_into_tensor(w, mine)

submit("w", w)
