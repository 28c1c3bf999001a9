import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag

r, n = rank(), world_size()
first, last = r == 0, r == n - 1
w = tag(randn(8, 8, seed=r) * 0.4, "parameters")
grad = tag(torch.zeros(8, 8), "gradients")
kept = []

def forward(x):
    y = tag((x @ w).tanh(), "activations")
    kept.append((x, y))
    return y

def backward(x, y, dy):
    global grad
    dz = dy * (1 - y * y)
    grad += x.T @ dz
    return dz @ w.T

sends = []
for i in range(8):
    x = randn(4, 8, seed=100 + i)
    if not first:
        dist.irecv(x, r - 1).wait()
    y = forward(x)
    if not last:
        sends.append(dist.isend(y, r + 1))
for i in reversed(range(8)):
    x, y = kept.pop()
    if last:
        dy = y - randn(4, 8, seed=200 + i)
    else:
        dy = torch.zeros(4, 8)
        dist.irecv(dy, r + 1).wait()
    dx = backward(x, y, dy)
    if not first:
        sends.append(dist.isend(dx, r - 1))
for s in sends:
    s.wait()

submit("grad", grad)
