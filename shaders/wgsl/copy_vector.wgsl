// Neighbours copy neighbours, four values each. Buffers are as long as a whole number of vectors.
struct Sizes { rows: u32, cols: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = ((group.y + sizes.first) * 64u + group.x) * 64u + lane;
  if (i * 4u < sizes.rows * sizes.cols) { y[i] = x[i]; }
}
