@triton.jit
def compact(a, out, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    i = tl.program_id(0) * BLOCK + lane
    values = tl.load(a + i, mask=i < n, other=0.0)
    keep = values > 0.0
    # Triton has no ballot: a scan counts what is kept before each value.
    place = tl.cumsum(keep.to(tl.int32), axis=0) - 1
    tl.store(out + tl.program_id(0) * BLOCK + place, values, mask=keep)
    tl.store(out + i, 0.0, mask=(i < n) & (lane >= tl.sum(keep.to(tl.int32), axis=0)))

# compact[(triton.cdiv(n, 64),)](a, out, n, BLOCK=64)
