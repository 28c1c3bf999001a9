// Each invocation reads a vector of four, multiplies it and adds to it `fma` times, and writes it: four chains that do not wait
// for each other, and no way for a compiler to do less.
struct Sizes { n: u32, fma: u32, first: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = ((group.y + sizes.first) * 64u + group.x) * 64u + lane;
  if (i * 4u >= sizes.n) { return; }
  let start = x[i];
  var value = start;
  for (var left = sizes.fma / 16u; left > 0u; left--) {
//# for s in 0..16
    value = value * sizes.scale + start;
//# end
  }
  for (var left = sizes.fma % 16u; left > 0u; left--) {
    value = value * sizes.scale + start;
  }
  y[i] = value;
}
