@triton.jit
def dot(a, b, out, n, BLOCK: tl.constexpr):
    sum = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(a + i, mask=i < n, other=0.0)
        sum += x * tl.load(b + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(sum, axis=0))

# dot[(1,)](a, b, out, n, BLOCK=64)
