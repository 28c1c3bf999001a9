// A workgroup of 16 × 16 invocations computes 64 × 64 elements of C, each invocation 4 × 4 of them in registers: eight
// values from workgroup memory make sixteen products.
struct Sizes { m: u32, n: u32, k: u32, first: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

// 64 rows of 16, and 16 rows of 64.
var<workgroup> tile_a: array<f32, 1024>;
var<workgroup> tile_b: array<f32, 1024>;

@compute @workgroup_size(16, 16)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let top = (group.y + sizes.first) * 64u;
  let left = group.x * 64u;
//# for r in 0..4
//# for c in 0..4
  var sum_$(r)_$(c) = 0.0;
//# end
//# end
  for (var start = 0u; start < sizes.k; start += 16u) {
    for (var at = lane; at < 1024u; at += 256u) {
      let row = top + at / 16u;
      let i = start + at % 16u;
      var value_a = 0.0;
      if (row < sizes.m && i < sizes.k) { value_a = a[row * sizes.k + i]; }
      tile_a[at] = value_a;
      let j = start + at / 64u;
      let col = left + at % 64u;
      var value_b = 0.0;
      if (j < sizes.k && col < sizes.n) { value_b = b[j * sizes.n + col]; }
      tile_b[at] = value_b;
    }
    workgroupBarrier();
    for (var i = 0u; i < 16u; i++) {
      // Rows 16 apart, columns 16 apart: neighbours read neighbouring values.
//# for r in 0..4
      let a_$(r) = tile_a[(local.y + $(r)u * 16u) * 16u + i];
      let b_$(r) = tile_b[i * 64u + local.x + $(r)u * 16u];
//# end
//# for r in 0..4
//# for c in 0..4
      sum_$(r)_$(c) += a_$(r) * b_$(c);
//# end
//# end
    }
    workgroupBarrier();
  }
//# for r in 0..4
//# for c in 0..4
  store(top + local.y + $(r)u * 16u, left + local.x + $(c)u * 16u, sum_$(r)_$(c));
//# end
//# end
}

fn store(row: u32, col: u32, value: f32) {
  if (row < sizes.m && col < sizes.n) { c[row * sizes.n + col] = value; }
}
