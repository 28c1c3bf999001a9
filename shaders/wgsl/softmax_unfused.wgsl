// Softmax as five operations of a framework: each reads what the last one wrote.
struct Sizes { rows: u32, cols: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
@group(0) @binding(3) var<storage, read_write> t: array<f32>;
@group(0) @binding(4) var<storage, read_write> stat: array<f32>;

$(REDUCE)
@compute @workgroup_size($(LANES))
fn row_max(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  var most = -3.4e38;
  for (var i = lane; i < sizes.cols; i += $(LANES)u) { most = max(most, x[row * sizes.cols + i]); }
  most = all_max(most, lane);
  if (lane == 0u) { stat[row] = most; }
}

@compute @workgroup_size($(LANES))
fn subtract(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  let i = group.x * $(LANES)u + lane;
  if (i < sizes.cols) { t[row * sizes.cols + i] = x[row * sizes.cols + i] - stat[row]; }
}

@compute @workgroup_size($(LANES))
fn exponential(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  let i = group.x * $(LANES)u + lane;
  if (i < sizes.cols) { t[row * sizes.cols + i] = exp(t[row * sizes.cols + i]); }
}

@compute @workgroup_size($(LANES))
fn row_sum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  var sum = 0.0;
  for (var i = lane; i < sizes.cols; i += $(LANES)u) { sum += t[row * sizes.cols + i]; }
  sum = all_sum(sum, lane);
  if (lane == 0u) { stat[row] = sum; }
}

@compute @workgroup_size($(LANES))
fn divide(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  let i = group.x * $(LANES)u + lane;
  if (i < sizes.cols) { y[row * sizes.cols + i] = t[row * sizes.cols + i] / stat[row]; }
}
