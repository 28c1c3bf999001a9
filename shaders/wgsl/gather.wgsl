// Neighbours write neighbours, and read values in an order that is chosen: a stride apart, permuted within 32, or far apart.
// What is measured is memory, so places are found without an integer division, which a GPU makes of some twenty instructions.
struct Sizes { n: u32, order: u32, stride: u32, offset: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

// Quotient and remainder of values up to 2^25. A large quotient comes out some too small or too large, and is off by one at most
// once what is left has been divided as well.
fn split(a: u32, b: u32) -> vec2<u32> {
  let reciprocal = 1.0 / f32(b);
  var q = u32(f32(a) * reciprocal);
  q += u32(i32(f32(i32(a - q * b)) * reciprocal));
  var r = a - q * b;
  if (r >= 0x80000000u) { q -= 1u; r += b; }
  if (r >= b) { q += 1u; r -= b; }
  return vec2<u32>(q, r);
}

fn place(i: u32) -> u32 {
  if (sizes.order == 1u) { return (i & ~31u) + (((i & 31u) * 13u + 5u) & 31u); }
  if (sizes.order == 2u) { return i * 2654435761u; }
  // The reciprocals of these are the same for every invocation.
  let stride = max(sizes.stride, 1u);
  let a_pass = max(split(sizes.n, stride).x, 1u);
  let at = split(i, a_pass);
  var ahead = split(at.x, stride).y;
  if (stride >= 8u) {
    let by_eights = split(ahead * 8u, stride);
    ahead = by_eights.x + by_eights.y;
  }
  return at.y * sizes.stride + ahead + sizes.offset;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = ((group.y + sizes.first) * 64u + group.x) * 64u + lane;
  // n is a power of two.
  if (i < sizes.n) { y[i] = x[place(i) & (sizes.n - 1u)]; }
}
