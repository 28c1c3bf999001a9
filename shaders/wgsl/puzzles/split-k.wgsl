struct Sizes { rows: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // rows × k, row by row
@group(0) @binding(1) var<storage, read> b: array<f32>;  // k
@group(0) @binding(2) var<storage, read_write> out: array<f32>;  // rows × chunks of 256
@group(0) @binding(3) var<uniform> sizes: Sizes;

var<workgroup> part: array<f32, 64>;

// A workgroup for each chunk (x) of each row (y).
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  let chunks = (sizes.k + 255u) / 256u;
  let begin = group.x * 256u;
  var sum = 0.0;
  // Add up this chunk's products, every 64th by one invocation; then the 64 sums.

  if (local.x == 0u) { out[group.y * chunks + group.x] = sum; }
//# solution
  let chunks = (sizes.k + 255u) / 256u;
  let begin = group.x * 256u;
  var sum = 0.0;
  for (var i = begin + local.x; i < min(begin + 256u, sizes.k); i += 64u) { sum += a[group.y * sizes.k + i] * b[i]; }
  part[local.x] = sum;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (local.x < half) { part[local.x] += part[local.x + half]; }
    workgroupBarrier();
  }
  if (local.x == 0u) { out[group.y * chunks + group.x] = part[0]; }
//# end
}
