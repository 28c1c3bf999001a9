import numpy as np
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit

r, n = rank(), world_size()
x = randn(8, seed=1) if r == 0 else torch.zeros(8)
a = np.array(x.tolist())
x = torch.from_numpy(np.roll(a, 1))
submit("x", x)
