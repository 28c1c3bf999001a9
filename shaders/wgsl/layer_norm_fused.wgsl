// Layer normalisation in one kernel, a workgroup for each row. The first HELD values of a row wait in registers, OWN in each
// invocation; the others, all of them if HELD is 0, are read three times.
struct Sizes { rows: u32, cols: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
@group(0) @binding(6) var<storage, read> gamma: array<f32>;
@group(0) @binding(7) var<storage, read> beta: array<f32>;

$(REDUCE)
@compute @workgroup_size($(LANES))
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let start = (group.y + sizes.first) * sizes.cols;
  var sum = 0.0;
//# for r in 0..OWN
  let i_$(r) = lane + $(r)u * $(LANES)u;
  var x_$(r) = 0.0;
  if (i_$(r) < sizes.cols) { x_$(r) = x[start + i_$(r)]; }
  sum += x_$(r);
//# end
  for (var i = lane + $(HELD)u; i < sizes.cols; i += $(LANES)u) { sum += x[start + i]; }
  let mean = all_sum(sum, lane) / f32(sizes.cols);
  sum = 0.0;
//# for r in 0..OWN
  x_$(r) = select(0.0, x_$(r) - mean, i_$(r) < sizes.cols);
  sum += x_$(r) * x_$(r);
//# end
  for (var i = lane + $(HELD)u; i < sizes.cols; i += $(LANES)u) {
    let value = x[start + i] - mean;
    sum += value * value;
  }
  let deviation = sqrt(all_sum(sum, lane) / f32(sizes.cols) + $(EPSILON));
//# for r in 0..OWN
  if (i_$(r) < sizes.cols) { y[start + i_$(r)] = x_$(r) / deviation * gamma[i_$(r)] + beta[i_$(r)]; }
//# end
  for (var i = lane + $(HELD)u; i < sizes.cols; i += $(LANES)u) {
    y[start + i] = (x[start + i] - mean) / deviation * gamma[i] + beta[i];
  }
}
