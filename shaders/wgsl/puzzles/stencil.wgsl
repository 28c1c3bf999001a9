struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;  // 5 weights
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

var<workgroup> tile: array<f32, 68>;  // 64 values, and 2 on either side

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  let i = group.x * 64u + local.x;
  // out[i] is w[0] a[i - 2] + w[1] a[i - 1] + w[2] a[i] + w[3] a[i + 1] + w[4] a[i + 2];
  // beyond either end, a is 0.

//# solution
  let i = group.x * 64u + local.x;
  // tile[j] is a[group.x * 64 + j - 2]; four invocations fetch a second value.
  for (var j = local.x; j < 68u; j += 64u) {
    let at = group.x * 64u + j;
    var value = 0.0;
    if (at >= 2u && at - 2u < sizes.n) { value = a[at - 2u]; }
    tile[j] = value;
  }
  workgroupBarrier();
  if (i < sizes.n) {
    var sum = 0.0;
    for (var k = 0u; k < 5u; k++) { sum += w[k] * tile[local.x + k]; }
    out[i] = sum;
  }
//# end
}
