// Softmax in one kernel, a workgroup for each row. The first HELD values of a row wait in registers, OWN in each invocation;
// the others, all of them if HELD is 0, are read three times.
struct Sizes { rows: u32, cols: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

$(REDUCE)
@compute @workgroup_size($(LANES))
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let start = (group.y + sizes.first) * sizes.cols;
  var most = -3.4e38;
//# for r in 0..OWN
  let i_$(r) = lane + $(r)u * $(LANES)u;
  var x_$(r) = -3.4e38;
  if (i_$(r) < sizes.cols) { x_$(r) = x[start + i_$(r)]; }
  most = max(most, x_$(r));
//# end
  for (var i = lane + $(HELD)u; i < sizes.cols; i += $(LANES)u) { most = max(most, x[start + i]); }
  most = all_max(most, lane);
  var sum = 0.0;
//# for r in 0..OWN
  x_$(r) = select(0.0, exp(x_$(r) - most), i_$(r) < sizes.cols);
  sum += x_$(r);
//# end
  for (var i = lane + $(HELD)u; i < sizes.cols; i += $(LANES)u) { sum += exp(x[start + i] - most); }
  sum = all_sum(sum, lane);
//# for r in 0..OWN
  if (i_$(r) < sizes.cols) { y[start + i_$(r)] = x_$(r) / sum; }
//# end
  for (var i = lane + $(HELD)u; i < sizes.cols; i += $(LANES)u) { y[start + i] = exp(x[start + i] - most) / sum; }
}
