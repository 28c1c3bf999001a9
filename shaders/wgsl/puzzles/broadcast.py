@triton.jit
def outer_sum(a, b, out, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(a + row, mask=row < rows)
    y = tl.load(b + col, mask=col < cols)
    inside = (row < rows)[:, None] & (col < cols)[None, :]
    tl.store(out + row[:, None] * cols + col[None, :], x[:, None] + y[None, :], mask=inside)

# outer_sum[(triton.cdiv(cols, 8), triton.cdiv(rows, 8))](a, b, out, rows, cols, BLOCK=8)
