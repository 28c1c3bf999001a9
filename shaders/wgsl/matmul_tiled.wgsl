// A workgroup computes 16 × 16 elements of C. Along k, 16 at a time, it stages a tile of A and one of B in workgroup
// memory: every invocation fetches one value of each and uses 16.
struct Sizes { m: u32, n: u32, k: u32, first: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

var<workgroup> tile_a: array<f32, 256>;
var<workgroup> tile_b: array<f32, 256>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let row = (group.y + sizes.first) * 16u + local.y;
  let col = group.x * 16u + local.x;
  let here = local.y * 16u + local.x;
  var sum = 0.0;
  for (var start = 0u; start < sizes.k; start += 16u) {
    let i = start + local.x;
    let j = start + local.y;
    // Beyond the edges there are zeros, which change no sum.
    var value_a = 0.0;
    if (row < sizes.m && i < sizes.k) { value_a = a[row * sizes.k + i]; }
    var value_b = 0.0;
    if (j < sizes.k && col < sizes.n) { value_b = b[j * sizes.n + col]; }
    tile_a[here] = value_a;
    tile_b[here] = value_b;
    workgroupBarrier();
//# for i in 0..16
    sum += tile_a[local.y * 16u + $(i)u] * tile_b[$(i)u * 16u + local.x];
//# end
    workgroupBarrier();
  }
  if (row < sizes.m && col < sizes.n) { c[row * sizes.n + col] = sum; }
}
