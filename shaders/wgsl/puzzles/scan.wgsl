struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

var<workgroup> sums: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  let i = group.x * 64u + local.x;
  // out[i] is the sum of this workgroup's values up to a[i], with a[i]. Each block of 64 begins anew.

//# solution
  let i = group.x * 64u + local.x;
  var value = 0.0;
  if (i < sizes.n) { value = a[i]; }
  sums[local.x] = value;
  for (var step = 1u; step < 64u; step *= 2u) {
    workgroupBarrier();
    var before = 0.0;
    if (local.x >= step) { before = sums[local.x - step]; }
    workgroupBarrier();
    sums[local.x] += before;
  }
  if (i < sizes.n) { out[i] = sums[local.x]; }
//# end
}
