import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag, exists

r, n = rank(), world_size()
size = 48 // n
first = not exists("world.pt")
dist.barrier()

def overlap(a, b):
    """Where two half-open ranges meet."""
    return max(a[0], b[0]), min(a[1], b[1])

if first:
    mine = randn(48, seed=3)[size * r:size * (r + 1)]
    torch.save(mine, f"shard-{r}.pt")
    if r == 0:
        torch.save(torch.tensor(n), "world.pt")
else:
    old_n = torch.load("world.pt").item()
    part = 48 // old_n
    start, end = size * r, size * (r + 1)
    mine = tag(torch.zeros(size), "parameters")
    for old in range(old_n):
        lo, hi = overlap((start, end), (part * old, part * (old + 1)))
        if lo >= hi:
            continue
        piece = torch.load(f"shard-{old}.pt")
        mine[lo - start:hi - start] = piece[lo - part * old:hi - part * old]
        del piece
    submit("mine", mine)
