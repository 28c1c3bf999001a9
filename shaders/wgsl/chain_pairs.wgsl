// y = GELU(x + b) · g + r as two kernels of two operations each.
struct Sizes { rows: u32, cols: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
@group(0) @binding(3) var<storage, read_write> t: array<f32>;
@group(0) @binding(4) var<storage, read> b: array<f32>;
@group(0) @binding(5) var<storage, read> g: array<f32>;
@group(0) @binding(6) var<storage, read> r: array<f32>;

$(GELU)
@compute @workgroup_size($(LANES))
fn bias_activate(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let col = group.x * $(LANES)u + lane;
  let i = (group.y + sizes.first) * sizes.cols + col;
  if (col < sizes.cols) { t[i] = gelu(x[i] + b[col]); }
}

@compute @workgroup_size($(LANES))
fn gate_residual(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let col = group.x * $(LANES)u + lane;
  let i = (group.y + sizes.first) * sizes.cols + col;
  if (col < sizes.cols) { y[i] = t[i] * g[i] + r[i]; }
}
