// Neighbours (x) copy values one below the other, a whole row apart.
struct Sizes { rows: u32, cols: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.x * 64u + lane;
  let col = group.y + sizes.first;
  if (row < sizes.rows) { y[row * sizes.cols + col] = x[row * sizes.cols + col]; }
}
