@triton.jit
def saxpy(a, b, out, n, BLOCK: tl.constexpr):
    # Four neighbouring values go to one thread: the compiler makes the wide loads.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = 2.0 * tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n)
    tl.store(out + i, value, mask=i < n)

# saxpy[(triton.cdiv(n, 256),)](a, b, out, n, BLOCK=256, num_warps=2)
