// One invocation for each element of C. Neighbours (x) are neighbours in a row: they read the same value of A and
// consecutive values of B, and write consecutive values of C.
struct Sizes { m: u32, n: u32, k: u32, first: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let row = (group.y + sizes.first) * 16u + local.y;
  let col = group.x * 16u + local.x;
  if (row >= sizes.m || col >= sizes.n) { return; }
  var sum = 0.0;
  for (var i = 0u; i < sizes.k; i++) {
    sum += a[row * sizes.k + i] * b[i * sizes.n + col];
  }
  c[row * sizes.n + col] = sum;
}
