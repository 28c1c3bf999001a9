struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;  // one value
@group(0) @binding(3) var<uniform> sizes: Sizes;

var<workgroup> part: array<f32, 64>;

// There is one workgroup, however long a and b are.
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_id) local: vec3<u32>) {
//# start
  // out[0] is the sum of a[i] * b[i] over all n.
  var sum = 0.0;

//# solution
  var sum = 0.0;
  for (var i = local.x; i < sizes.n; i += 64u) { sum += a[i] * b[i]; }
  part[local.x] = sum;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (local.x < half) { part[local.x] += part[local.x + half]; }
    workgroupBarrier();
  }
  if (local.x == 0u) { out[0] = part[0]; }
//# end
}
