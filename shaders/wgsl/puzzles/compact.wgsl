enable subgroups;
struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

var<workgroup> kept: array<u32, 64>;

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
  // This workgroup's values of a above 0 go to the front of its 64 places in out, in their order. 0 fills the places after them.

//# solution
  let i = group.x * 64u + local.x;
  var value = 0.0;
  if (i < sizes.n) { value = a[i]; }
  let votes = subgroupBallot(value > 0.0);
  var place = 0u;
  for (var word = 0u; word < 4u; word++) {
    let bits = clamp(i32(lane) - 32 * i32(word), 0, 32);
    place += countOneBits(extractBits(votes[word], 0u, u32(bits)));
  }
  let ones = countOneBits(votes);
  let subgroup = local.x / size;
  if (lane == 0u) { kept[subgroup] = ones.x + ones.y + ones.z + ones.w; }
  workgroupBarrier();
  var all = 0u;
  for (var s = 0u; s * size < 64u; s++) {
    if (s < subgroup) { place += kept[s]; }
    all += kept[s];
  }
  if (value > 0.0) { out[group.x * 64u + place] = value; }
  if (i < sizes.n && local.x >= all) { out[i] = 0.0; }
//# end
}
