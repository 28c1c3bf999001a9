import torch
import torch.distributed as dist
from ringside import rank, world_size, randn, submit, tag

r, n = rank(), world_size()
w = tag(randn(8, 8, seed=r) * 0.4, "parameters")
grad = tag(torch.zeros(8, 8), "gradients")
kept = []
out, back = [], []

def forward(i):
    x = randn(4, 8, seed=100 + i)
    if r > 0:
        dist.recv(x, r - 1)
    y = tag((x @ w).tanh(), "activations")
    kept.append((x, y))
    if r < n - 1:
        if out:
            out.pop().wait()
        out.append(dist.isend(y, r + 1))

def backward(i):
    global grad
    x, y = kept.pop(0)
    dy = y - randn(4, 8, seed=200 + i)
    if r < n - 1:
        dist.recv(dy, r + 1)
    dz = dy * (1 - y * y)
    grad += x.T @ dz
    if r > 0:
        if back:
            back.pop().wait()
        back.append(dist.isend(dz @ w.T, r - 1))

micro = 12
ahead = min(n - r - 1, micro)
f = b = 0
schedule = "F" * ahead + "FB" * (micro - ahead) + "B" * ahead
for what in schedule:
    if what == "F":
        forward(f)
        f += 1
    else:
        backward(b)
        b += 1
for work in out + back:
    work.wait()

submit("grad", grad)
