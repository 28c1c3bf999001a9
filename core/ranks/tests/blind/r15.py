import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
k = 24 // n
logits = (randn(8, 24, seed=1) * 100)[:, k * r:k * (r + 1)]
targets = torch.arange(8) * 3 % 24

biggest = logits.max(dim=1).values
dist.all_reduce(biggest, op=dist.ReduceOp.MAX)
shifted = logits - biggest.unsqueeze(1)

both = torch.zeros(2, 8)
both[0] = torch.exp(shifted).sum(dim=-1)
for i, word in enumerate(targets.tolist()):
    if word // k == r:
        both[1, i] = shifted[i, word % k]
dist.all_reduce(both)
loss = torch.log(both[0]) - both[1]

submit("loss", loss)
