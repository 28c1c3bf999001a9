struct Sizes { n: u32 }
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;  // n values, four to an element
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;  // n
@group(0) @binding(3) var<uniform> sizes: Sizes;

// One invocation for every four values.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
//# start
  let value = 2.0 * a[id.x] + b[id.x];
  // Write its four components. The last vector may not be whole.
  out[id.x] = value.x;
//# solution
  let first = 4u * id.x;
  if (first < sizes.n) {
    let value = 2.0 * a[id.x] + b[id.x];
    for (var i = 0u; i < 4u; i++) {
      if (first + i < sizes.n) { out[first + i] = value[i]; }
    }
  }
//# end
}
