# Gives the whole sum to every rank instead of each its own tokens.
import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag

r, n = rank(), world_size()
t = 24 // n
f = 48 // n
x = tag(randn(24, 8, seed=1)[t * r:t * (r + 1)].clone(), "activations")
w1 = tag((randn(8, 48, seed=2) * 0.3)[:, f * r:f * (r + 1)].clone(), "parameters")
w2 = tag((randn(48, 8, seed=3) * 0.3)[f * r:f * (r + 1)].clone(), "parameters")

normed = x * (x.square().mean(1, keepdim=True) + 1e-5).rsqrt()
whole = torch.empty(24, 8)
dist.all_gather_into_tensor(whole, normed)
hidden = (whole @ w1).relu()
y = hidden @ w2
dist.all_reduce(y)

submit("y", y)
