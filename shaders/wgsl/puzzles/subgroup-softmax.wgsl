enable subgroups;
struct Sizes { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // rows × cols, row by row
@group(0) @binding(1) var<storage, read_write> out: array<f32>;  // rows × cols
@group(0) @binding(2) var<uniform> sizes: Sizes;

var<workgroup> part: array<f32, 64>;

// One workgroup for each row. The subgroup has `size` invocations, of which this is number `lane`.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
  @builtin(subgroup_size) size: u32,
  @builtin(subgroup_invocation_id) lane: u32,
) {
//# start
  let row = group.x * sizes.cols;
  // out[row + i] is exp(a[row + i]) over the sum of exp over the row.
  // Some rows hold values near 200, some near -200: f32 has no exp(200), and exp(-200) is 0 in it.

//# solution
  let row = group.x * sizes.cols;
  var most = -3.4e38;
  for (var i = local.x; i < sizes.cols; i += 64u) { most = max(most, a[row + i]); }
  most = subgroupMax(most);
  if (lane == 0u) { part[local.x / size] = most; }
  workgroupBarrier();
  for (var s = 0u; s * size < 64u; s++) { most = max(most, part[s]); }
  workgroupBarrier();
  var sum = 0.0;
  for (var i = local.x; i < sizes.cols; i += 64u) { sum += exp(a[row + i] - most); }
  sum = subgroupAdd(sum);
  if (lane == 0u) { part[local.x / size] = sum; }
  workgroupBarrier();
  sum = 0.0;
  for (var s = 0u; s * size < 64u; s++) { sum += part[s]; }
  for (var i = local.x; i < sizes.cols; i += 64u) { out[row + i] = exp(a[row + i] - most) / sum; }
//# end
}
