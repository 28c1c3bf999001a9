// Paste any compute shader over this one. It reverses each block of 64 values
// in workgroup memory. Delete the barrier and step it again to see a race.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

var<workgroup> block: array<f32, 64>;

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) lane: u32,
  @builtin(global_invocation_id) id: vec3u,
) {
  block[lane] = a[id.x];
  workgroupBarrier();
  out[id.x] = block[63u - lane];
}
