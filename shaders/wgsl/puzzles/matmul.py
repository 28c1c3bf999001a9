@triton.jit
def matmul(a, b, out, m, n, k, BLOCK: tl.constexpr):
    row = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sum = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for i in range(0, k):
        x = tl.load(a + row * k + i, mask=row < m, other=0.0)
        y = tl.load(b + i * n + col, mask=col < n, other=0.0)
        sum += x[:, None] * y[None, :]
    inside = (row < m)[:, None] & (col < n)[None, :]
    tl.store(out + row[:, None] * n + col[None, :], sum, mask=inside)

# matmul[(triton.cdiv(n, 16), triton.cdiv(m, 16))](a, b, out, m, n, k, BLOCK=16)
