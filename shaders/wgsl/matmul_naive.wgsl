// One invocation for each element of C. Neighbours (x) are one below the other: each reads its own row of A, `k` values
// from its neighbour's, and writes as far apart. The ladder's first rung, slow on purpose.
struct Sizes { m: u32, n: u32, k: u32, first: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let row = group.x * 16u + local.x;
  let col = (group.y + sizes.first) * 16u + local.y;
  if (row >= sizes.m || col >= sizes.n) { return; }
  var sum = 0.0;
  for (var i = 0u; i < sizes.k; i++) {
    sum += a[row * sizes.k + i] * b[i * sizes.n + col];
  }
  c[row * sizes.n + col] = sum;
}
