enable subgroups;
struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;  // one value for each workgroup
@group(0) @binding(2) var<uniform> sizes: Sizes;

var<workgroup> part: array<f32, 64>;

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
  // out[group.x] is the sum of this workgroup's 64 values of a, of fewer at the end.

//# solution
  let i = group.x * 64u + local.x;
  var value = 0.0;
  if (i < sizes.n) { value = a[i]; }
  let sum = subgroupAdd(value);
  if (lane == 0u) { part[local.x / size] = sum; }
  workgroupBarrier();
  if (local.x == 0u) {
    var total = 0.0;
    for (var s = 0u; s * size < 64u; s++) { total += part[s]; }
    out[group.x] = total;
  }
//# end
}
