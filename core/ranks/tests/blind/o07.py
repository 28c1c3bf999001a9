import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
x = torch.zeros(4, 8)

# Wait until everybody is done.
done = False
while not done:
    try:
        dist.barrier()
        done = x.sum().item() > 0
    except Exception:
        pass
