struct Sizes { rows: u32, chunks: u32, d: u32 }
@group(0) @binding(0) var<storage, read> mosts: array<f32>;  // rows × chunks: the largest score of each chunk
@group(0) @binding(1) var<storage, read> sums: array<f32>;  // rows × chunks: its sum of exp(score - largest)
@group(0) @binding(2) var<storage, read> parts: array<f32>;  // rows × chunks × d: its values, weighted with exp(score - largest)
@group(0) @binding(3) var<storage, read_write> out: array<f32>;  // rows × d
@group(0) @binding(4) var<uniform> sizes: Sizes;

// One workgroup for each row.
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  let row = group.x;
  // This is right if all chunks have the same largest score.
  for (var i = local.x; i < sizes.d; i += 64u) {
    var sum = 0.0;
    var all = 0.0;
    for (var c = 0u; c < sizes.chunks; c++) {
      sum += sums[row * sizes.chunks + c];
      all += parts[(row * sizes.chunks + c) * sizes.d + i];
    }
    out[row * sizes.d + i] = all / sum;
  }
//# solution
  let row = group.x;
  for (var i = local.x; i < sizes.d; i += 64u) {
    var most = -3.4e38;
    var sum = 0.0;
    var all = 0.0;
    for (var c = 0u; c < sizes.chunks; c++) {
      let place = row * sizes.chunks + c;
      let now = max(most, mosts[place]);
      let kept = exp(most - now);
      let share = exp(mosts[place] - now);
      sum = sum * kept + sums[place] * share;
      all = all * kept + parts[place * sizes.d + i] * share;
      most = now;
    }
    out[row * sizes.d + i] = all / sum;
  }
//# end
}
