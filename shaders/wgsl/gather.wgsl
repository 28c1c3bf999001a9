// Neighbours write neighbours, and read values in an order that is chosen: a stride apart, permuted within 32, or far apart.
struct Sizes { n: u32, order: u32, stride: u32, offset: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

fn place(i: u32) -> u32 {
  if (sizes.order == 1u) { return (i - i % 32u) + ((i % 32u) * 13u + 5u) % 32u; }
  if (sizes.order == 2u) { return i * 2654435761u; }
  let stride = max(sizes.stride, 1u);
  let a_pass = max(sizes.n / stride, 1u);
  let ahead = (i / a_pass) % stride * select(8u, 1u, stride < 8u);
  return (i % a_pass) * sizes.stride + ahead % stride + ahead / stride + sizes.offset;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = ((group.y + sizes.first) * 64u + group.x) * 64u + lane;
  if (i < sizes.n) { y[i] = x[place(i) % sizes.n]; }
}
