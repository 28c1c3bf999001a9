struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  // out[i] is a[i] * b[i]. Which i is this invocation's?

//# solution
  let i = group.x * 64u + local.x;
  out[i] = a[i] * b[i];
//# end
}
