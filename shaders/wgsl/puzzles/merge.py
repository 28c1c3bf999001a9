@triton.jit
def merge(mosts, sums, parts, out, chunks, d, CHUNKS: tl.constexpr, D: tl.constexpr):
    row, c, i = tl.program_id(0), tl.arange(0, CHUNKS), tl.arange(0, D)
    most = tl.load(mosts + row * chunks + c, mask=c < chunks, other=-float("inf"))
    share = tl.exp(most - tl.max(most))
    sum = tl.sum(share * tl.load(sums + row * chunks + c, mask=c < chunks, other=0.0))
    place = (row * chunks + c)[:, None] * d + i[None, :]
    part = tl.load(parts + place, mask=(c < chunks)[:, None] & (i < d)[None, :], other=0.0)
    tl.store(out + row * d + i, tl.sum(share[:, None] * part, axis=0) / sum, mask=i < d)

# CHUNKS and D are powers of two that hold chunks and d:
# merge[(rows,)](mosts, sums, parts, out, chunks, d, triton.next_power_of_2(chunks), triton.next_power_of_2(d))
