@triton.jit
def online_softmax(a, out, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0) * cols
    most = -float("inf")
    sum = 0.0
    for start in range(0, cols, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(a + row + i, mask=i < cols, other=-float("inf"))
        now = tl.maximum(most, tl.max(values, axis=0))
        sum = sum * tl.exp(most - now) + tl.sum(tl.exp(values - now), axis=0)
        most = now
    for start in range(0, cols, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(a + row + i, mask=i < cols)
        tl.store(out + row + i, tl.exp(values - most) / sum, mask=i < cols)

# online_softmax[(rows,)](a, out, cols, BLOCK=1024)
