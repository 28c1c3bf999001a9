@triton.jit
def convolve(a, w, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sum = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in tl.static_range(5):
        j = i + k - 2
        # Five loads that overlap: the caches serve what a tile served.
        sum += tl.load(w + k) * tl.load(a + j, mask=(j >= 0) & (j < n), other=0.0)
    tl.store(out + i, sum, mask=i < n)

# convolve[(triton.cdiv(n, 64),)](a, w, out, n, BLOCK=64)
