struct Sizes { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // rows × cols, row by row
@group(0) @binding(1) var<storage, read_write> out: array<f32>;  // rows × cols
@group(0) @binding(2) var<uniform> sizes: Sizes;

var<workgroup> mosts: array<f32, 64>;
var<workgroup> sums: array<f32, 64>;

// One workgroup for each row.
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  let row = group.x * sizes.cols;
  // Softmax again, reading the row once before the pass that writes it: along its own values each invocation
  // keeps the maximum so far, and the sum of exp(a - maximum) so far. Then merge 64 such pairs into one.
  var most = -3.4e38;
  var sum = 0.0;

//# solution
  let row = group.x * sizes.cols;
  var most = -3.4e38;
  var sum = 0.0;
  for (var i = local.x; i < sizes.cols; i += 64u) {
    let value = a[row + i];
    let now = max(most, value);
    sum = sum * exp(most - now) + exp(value - now);
    most = now;
  }
  mosts[local.x] = most;
  sums[local.x] = sum;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (local.x < half) {
      let other = mosts[local.x + half];
      let now = max(mosts[local.x], other);
      sums[local.x] = sums[local.x] * exp(mosts[local.x] - now) + sums[local.x + half] * exp(other - now);
      mosts[local.x] = now;
    }
    workgroupBarrier();
  }
  for (var i = local.x; i < sizes.cols; i += 64u) { out[row + i] = exp(a[row + i] - mosts[0]) / sums[0]; }
//# end
}
