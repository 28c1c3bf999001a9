import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag

r, n = rank(), world_size()
w = tag(randn(8, 8, seed=3), "parameters")
grad = tag(torch.zeros(8, 8), "gradients")

for i in range(4):
    x, y = randn(4, 8, seed=100 * r + i), randn(4, 8, seed=100 * r + i + 50)
    residual = torch.matmul(x, w) - y
    grad.add_(torch.matmul(x.t(), residual))
    del residual
dist.all_reduce(grad, op=dist.ReduceOp.SUM)
grad.div_(4 * n)

submit("grad", grad)
