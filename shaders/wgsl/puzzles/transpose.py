@triton.jit
def transpose(a, out, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (row < rows)[:, None] & (col < cols)[None, :]
    tile = tl.load(a + row[:, None] * cols + col[None, :], mask=inside)
    # The compiler sees to the memory on the chip.
    tl.store(out + col[:, None] * rows + row[None, :], tl.trans(tile), mask=tl.trans(inside))

# transpose[(triton.cdiv(cols, 16), triton.cdiv(rows, 16))](a, out, rows, cols, BLOCK=16)
