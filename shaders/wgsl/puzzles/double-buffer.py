@triton.jit
def pipelined(a, b, out, m, n, k, BLOCK: tl.constexpr):
    row = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sum = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    # num_stages below has the compiler load ahead: two stages of buffers for this loop.
    for start in range(0, k, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(a + row[:, None] * k + i[None, :], mask=(row < m)[:, None] & (i < k)[None, :], other=0.0)
        y = tl.load(b + i[:, None] * n + col[None, :], mask=(i < k)[:, None] & (col < n)[None, :], other=0.0)
        sum += tl.dot(x, y, input_precision="ieee")
    inside = (row < m)[:, None] & (col < n)[None, :]
    tl.store(out + row[:, None] * n + col[None, :], sum, mask=inside)

# pipelined[(triton.cdiv(n, 16), triton.cdiv(m, 16))](a, b, out, m, n, k, BLOCK=16, num_stages=2)
