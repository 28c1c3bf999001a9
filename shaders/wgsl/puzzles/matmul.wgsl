struct Sizes { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // m × k, row by row
@group(0) @binding(1) var<storage, read> b: array<f32>;  // k × n
@group(0) @binding(2) var<storage, read_write> out: array<f32>;  // m × n
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
//# start
  let row = id.y;
  let col = id.x;
  // out[row, col] is the sum of a[row, i] * b[i, col] over all k.

//# solution
  let row = id.y;
  let col = id.x;
  if (row < sizes.m && col < sizes.n) {
    var sum = 0.0;
    for (var i = 0u; i < sizes.k; i++) {
      sum += a[row * sizes.k + i] * b[i * sizes.n + col];
    }
    out[row * sizes.n + col] = sum;
  }
//# end
}
