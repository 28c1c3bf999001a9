struct Sizes { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // m × k, row by row
@group(0) @binding(1) var<storage, read> b: array<f32>;  // k × n
@group(0) @binding(2) var<storage, read_write> out: array<f32>;  // m × n
@group(0) @binding(3) var<uniform> sizes: Sizes;

// Room for two stages.
var<workgroup> tile_a: array<array<array<f32, 16>, 16>, 2>;
var<workgroup> tile_b: array<array<array<f32, 16>, 16>, 2>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  let row = group.y * 16u + local.y;
  let col = group.x * 16u + local.x;
  let stages = (sizes.k + 15u) / 16u;
  var value_a = 0.0;
  var value_b = 0.0;
  var sum = 0.0;
  // The first stage is there before the loop. In it: ask for the next values, multiply this stage, put the next ones into the
  // other buffer, wait. One barrier a stage is enough.
  if (row < sizes.m && local.x < sizes.k) { value_a = a[row * sizes.k + local.x]; }
  if (local.y < sizes.k && col < sizes.n) { value_b = b[local.y * sizes.n + col]; }
  tile_a[0][local.y][local.x] = value_a;
  tile_b[0][local.y][local.x] = value_b;
  workgroupBarrier();
  for (var stage = 0u; stage < stages; stage++) {
    for (var i = 0u; i < 16u; i++) { sum += tile_a[0][local.y][i] * tile_b[0][i][local.x]; }
  }
  if (row < sizes.m && col < sizes.n) { out[row * sizes.n + col] = sum; }
//# solution
  let row = group.y * 16u + local.y;
  let col = group.x * 16u + local.x;
  let stages = (sizes.k + 15u) / 16u;
  var value_a = 0.0;
  var value_b = 0.0;
  var sum = 0.0;
  if (row < sizes.m && local.x < sizes.k) { value_a = a[row * sizes.k + local.x]; }
  if (local.y < sizes.k && col < sizes.n) { value_b = b[local.y * sizes.n + col]; }
  tile_a[0][local.y][local.x] = value_a;
  tile_b[0][local.y][local.x] = value_b;
  workgroupBarrier();
  for (var stage = 0u; stage < stages; stage++) {
    let now = stage % 2u;
    let i = (stage + 1u) * 16u + local.x;
    let j = (stage + 1u) * 16u + local.y;
    value_a = 0.0;
    value_b = 0.0;
    if (row < sizes.m && i < sizes.k) { value_a = a[row * sizes.k + i]; }
    if (j < sizes.k && col < sizes.n) { value_b = b[j * sizes.n + col]; }
    for (var l = 0u; l < 16u; l++) { sum += tile_a[now][local.y][l] * tile_b[now][l][local.x]; }
    tile_a[1u - now][local.y][local.x] = value_a;
    tile_b[1u - now][local.y][local.x] = value_b;
    workgroupBarrier();
  }
  if (row < sizes.m && col < sizes.n) { out[row * sizes.n + col] = sum; }
//# end
}
