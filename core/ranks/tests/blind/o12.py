from __future__ import annotations
import torch
from torch import distributed as dist
from functools import reduce
from ringside import rank, world_size, randn, submit

r: int = dist.get_rank()
n: int = dist.get_world_size()
left, right = map(lambda d: (r + d) % n, (-1, +1))

def log(*parts, sep=" ", **extra):
    text = sep.join(str(p) for p in parts)
    if extra:
        text += " " + ", ".join(f"{k}={v!r}" for k, v in sorted(extra.items()))
    print(f"[{r}/{n}] {text}")

head, *tail = [i ** 2 for i in range(n) if i % 2 == 0]
table = {f"rank{p}": {"left": (p - 1) % n, "right": (p + 1) % n} for p in range(n)}
if (wide := len(table)) > 2:
    log("ring of", wide, left=table[f"rank{r}"]["left"])
log(head, tail[::-1], reduce(lambda a, b: a * b, range(1, n + 1)), any(p == r for p in range(n)))

with torch.no_grad():
    x = torch.arange(12, dtype=torch.float32).view(3, 4)
    x[:, 1:3] *= -1
    x[x < 0] = 0
    try:
        torch.ones(2) + torch.ones(3)
    except RuntimeError as error:
        log("caught:", error)
    finally:
        log("rows", *[row.sum().item() for row in x], n=x.numel())

if __name__ == "__main__":
    dist.all_reduce(x, op=dist.ReduceOp.SUM)
    log(x.size(), x.size(0), len(x), x.mean().item() / n)
