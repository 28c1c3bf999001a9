@triton.jit
def split_k(a, b, out, k, BLOCK: tl.constexpr):
    chunk, row = tl.program_id(0), tl.program_id(1)
    i = chunk * BLOCK + tl.arange(0, BLOCK)
    products = tl.load(a + row * k + i, mask=i < k, other=0.0) * tl.load(b + i, mask=i < k, other=0.0)
    tl.store(out + row * tl.num_programs(0) + chunk, tl.sum(products))

# split_k[(triton.cdiv(k, 256), rows)](a, b, out, k, BLOCK=256)
