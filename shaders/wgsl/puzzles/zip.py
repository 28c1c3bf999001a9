@triton.jit
def multiply(a, b, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(a + i) * tl.load(b + i))

# multiply[(n // 64,)](a, b, out, BLOCK=64)
