import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag

r, n = rank(), world_size()
w = tag(randn(4, 8 * n, seed=7), "parameters")
shards = tag(torch.zeros(4, 8), "gradients")

def backward(i):
    return tag(randn(8 * n, seed=10 * i + r), "gradients")

for layer in (3, 2, 1, 0):
    full = backward(layer)
    dist.reduce_scatter_tensor(shards[layer], full)
    full = None

for layer, row in enumerate(w):
    mine = row[8 * r:8 * r + 8]
    mine -= shards[layer] * (0.1 / n)
    dist.all_gather_into_tensor(row, mine)

submit("w", w)
