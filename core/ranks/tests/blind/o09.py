import torch
from ringside import rank, world_size, submit

r = rank()
everything = [[float(i)] * 1000 for i in range(10**6)]
total = sum(sum(row) for row in everything)
submit("x", torch.tensor(total))
