enable subgroups;
struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

var<workgroup> sums: array<f32, 64>;

// The subgroup has `size` invocations, of which this is number `lane`.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
  @builtin(subgroup_size) size: u32,
  @builtin(subgroup_invocation_id) lane: u32,
) {
//# start
  let i = group.x * 64u + local.x;
  // out[i] is the sum of this workgroup's values up to a[i], with a[i]. Each block of 64 begins anew.

//# solution
  let i = group.x * 64u + local.x;
  var value = 0.0;
  if (i < sizes.n) { value = a[i]; }
  let sum = subgroupInclusiveAdd(value);
  let subgroup = local.x / size;
  if (lane == size - 1u) { sums[subgroup] = sum; }
  workgroupBarrier();
  var before = 0.0;
  for (var s = 0u; s < subgroup; s++) { before += sums[s]; }
  if (i < sizes.n) { out[i] = before + sum; }
//# end
}
