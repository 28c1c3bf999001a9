struct Sizes { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // m × k, row by row
@group(0) @binding(1) var<storage, read> b: array<f32>;  // k × n
@group(0) @binding(2) var<storage, read_write> out: array<f32>;  // m × n
@group(0) @binding(3) var<uniform> sizes: Sizes;

var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  let row = group.y * 16u + local.y;
  let col = group.x * 16u + local.x;
  var sum = 0.0;
  for (var start = 0u; start < sizes.k; start += 16u) {
    // Fetch one value of a and one of b, or 0 beyond an edge. Wait. Add 16 products. Wait.

  }
  if (row < sizes.m && col < sizes.n) { out[row * sizes.n + col] = sum; }
//# solution
  let row = group.y * 16u + local.y;
  let col = group.x * 16u + local.x;
  var sum = 0.0;
  for (var start = 0u; start < sizes.k; start += 16u) {
    let i = start + local.x;
    let j = start + local.y;
    var value_a = 0.0;
    if (row < sizes.m && i < sizes.k) { value_a = a[row * sizes.k + i]; }
    var value_b = 0.0;
    if (j < sizes.k && col < sizes.n) { value_b = b[j * sizes.n + col]; }
    tile_a[local.y][local.x] = value_a;
    tile_b[local.y][local.x] = value_b;
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
      sum += tile_a[local.y][k] * tile_b[k][local.x];
    }
    workgroupBarrier();
  }
  if (row < sizes.m && col < sizes.n) { out[row * sizes.n + col] = sum; }
//# end
}
