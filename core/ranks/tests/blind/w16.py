# Every rank subtracts its own largest logit.
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
k = 24 // n
logits = (randn(8, 24, seed=1) * 100)[:, k * r:k * (r + 1)]
targets = torch.arange(8) * 3 % 24

shifted = logits - logits.max(1, keepdim=True).values
mine = torch.zeros(8)
for i in range(8):
    word = targets[i].item() - k * r
    if 0 <= word < k:
        mine[i] = shifted[i, word]
both = torch.stack([shifted.exp().sum(1), mine])
dist.all_reduce(both)
loss = both[0].log() - both[1]

submit("loss", loss)
