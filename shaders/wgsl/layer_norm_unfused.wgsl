// Layer normalisation as seven operations of a framework: each reads what the last one wrote.
struct Sizes { rows: u32, cols: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
@group(0) @binding(3) var<storage, read_write> t: array<f32>;
@group(0) @binding(4) var<storage, read_write> stat: array<f32>;
@group(0) @binding(5) var<storage, read_write> squares: array<f32>;
@group(0) @binding(6) var<storage, read> gamma: array<f32>;
@group(0) @binding(7) var<storage, read> beta: array<f32>;

$(REDUCE)
@compute @workgroup_size($(LANES))
fn mean(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  var sum = 0.0;
  for (var i = lane; i < sizes.cols; i += $(LANES)u) { sum += x[row * sizes.cols + i]; }
  sum = all_sum(sum, lane);
  if (lane == 0u) { stat[row] = sum / f32(sizes.cols); }
}

@compute @workgroup_size($(LANES))
fn subtract(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  let i = group.x * $(LANES)u + lane;
  if (i < sizes.cols) { t[row * sizes.cols + i] = x[row * sizes.cols + i] - stat[row]; }
}

@compute @workgroup_size($(LANES))
fn square(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  let i = group.x * $(LANES)u + lane;
  if (i >= sizes.cols) { return; }
  let value = t[row * sizes.cols + i];
  squares[row * sizes.cols + i] = value * value;
}

@compute @workgroup_size($(LANES))
fn mean_of_squares(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  var sum = 0.0;
  for (var i = lane; i < sizes.cols; i += $(LANES)u) { sum += squares[row * sizes.cols + i]; }
  sum = all_sum(sum, lane);
  if (lane == 0u) { stat[row] = sum / f32(sizes.cols); }
}

@compute @workgroup_size($(LANES))
fn divide(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  let i = group.x * $(LANES)u + lane;
  if (i < sizes.cols) { t[row * sizes.cols + i] /= sqrt(stat[row] + $(EPSILON)); }
}

@compute @workgroup_size($(LANES))
fn scale(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  let i = group.x * $(LANES)u + lane;
  if (i < sizes.cols) { t[row * sizes.cols + i] *= gamma[i]; }
}

@compute @workgroup_size($(LANES))
fn shift(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.y + sizes.first;
  let i = group.x * $(LANES)u + lane;
  if (i < sizes.cols) { y[row * sizes.cols + i] = t[row * sizes.cols + i] + beta[i]; }
}
