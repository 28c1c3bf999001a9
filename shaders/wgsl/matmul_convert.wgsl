// Copies of A and B in f16, with zeros up to whole tiles and stages.
@group(0) @binding(4) var<storage, read_write> half_a: array<vec4<f16>>;
@group(0) @binding(5) var<storage, read_write> half_b: array<vec4<f16>>;

@compute @workgroup_size(16, 16)
fn convert_a(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let pitch = (sizes.k + $(DEPTH)u - 1u) / $(DEPTH)u * $(DEPTH4)u;
  let at = group.x * 16u + local.x;
  let row = (group.y + sizes.first) * 16u + local.y;
  if (at >= pitch) { return; }
  var value = vec4<f32>();
  if (row < sizes.m) {
//# for j in 0..4
    if (at * 4u + $(j)u < sizes.k) { value[$(j)] = a[row * sizes.k + at * 4u + $(j)u]; }
//# end
  }
  half_a[row * pitch + at] = vec4<f16>(value);
}

@compute @workgroup_size(16, 16)
fn convert_b(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let pitch = (sizes.n + $(COLS)u - 1u) / $(COLS)u * $(COLS4)u;
  let rows = (sizes.k + $(DEPTH)u - 1u) / $(DEPTH)u * $(DEPTH)u;
  let at = group.x * 16u + local.x;
  let row = (group.y + sizes.first) * 16u + local.y;
  if (at >= pitch || row >= rows) { return; }
  var value = vec4<f32>();
  if (row < sizes.k) {
//# for j in 0..4
    if (at * 4u + $(j)u < sizes.n) { value[$(j)] = b[row * sizes.n + at * 4u + $(j)u]; }
//# end
  }
  half_b[row * pitch + at] = vec4<f16>(value);
}
