struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
//# start
  let i = id.x;
  // out[i] is a[i] + 10

//# solution
  let i = id.x;
  out[i] = a[i] + 10.0;
//# end
}
