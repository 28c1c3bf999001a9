$(ENABLE)
// Three passes. The first two copy A and B into panels of eight rows and eight columns, in the order in which they will be
// used and with zeros beyond the edges; in the third, each invocation reads one panel of each from start to end and keeps
// 8 × 8 elements of C in registers. Neither bounds nor workgroup memory: every load is the next vector of four.
struct Sizes { m: u32, n: u32, k: u32, first: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
// Panel p holds, for each i of k in turn, two vectors: rows (columns) 8p … 8p+7.
@group(0) @binding(4) var<storage, read_write> packed_a: array<vec4<$(T)>>;
@group(0) @binding(5) var<storage, read_write> packed_b: array<vec4<$(T)>>;

fn value_a(row: u32, i: u32) -> f32 {
  if (row >= sizes.m) { return 0.0; }
  return a[row * sizes.k + i];
}

fn value_b(i: u32, col: u32) -> f32 {
  if (col >= sizes.n) { return 0.0; }
  return b[i * sizes.n + col];
}

// Neighbours (x) read neighbouring columns of A.
@compute @workgroup_size(64)
fn pack_a(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = group.x * 64u + lane;
  let panel = group.y + sizes.first;
  if (i >= sizes.k) { return; }
  let row = panel * 8u;
//# for h in 0..2
  packed_a[(panel * sizes.k + i) * 2u + $(h)u] = vec4<$(T)>(vec4<f32>(
    value_a(row + $(h)u * 4u, i), value_a(row + $(h)u * 4u + 1u, i),
    value_a(row + $(h)u * 4u + 2u, i), value_a(row + $(h)u * 4u + 3u, i)));
//# end
}

// Neighbours (x) read neighbouring panels of a row of B.
@compute @workgroup_size(64)
fn pack_b(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let panel = group.x * 64u + lane;
  let i = group.y + sizes.first;
  let col = panel * 8u;
  if (col >= sizes.n) { return; }
//# for h in 0..2
  packed_b[(panel * sizes.k + i) * 2u + $(h)u] = vec4<$(T)>(vec4<f32>(
    value_b(i, col + $(h)u * 4u), value_b(i, col + $(h)u * 4u + 1u),
    value_b(i, col + $(h)u * 4u + 2u), value_b(i, col + $(h)u * 4u + 3u)));
//# end
}

@compute @workgroup_size(8, 8)
fn multiply(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let row = ((group.y + sizes.first) * 8u + local.y) * 8u;
  let col = (group.x * 8u + local.x) * 8u;
  if (row >= sizes.m || col >= sizes.n) { return; }
//# for r in 0..8
  var low_$(r) = vec4<f32>();
  var high_$(r) = vec4<f32>();
//# end
  var at_a = (row / 8u) * sizes.k * 2u;
  var at_b = (col / 8u) * sizes.k * 2u;
  // Two steps of k at a time: a sum is loaded and stored half as often.
  for (var i = 0u; i + 1u < sizes.k; i += 2u) {
//# for s in 0..2
    let above_$(s) = vec4<f32>(packed_a[at_a + $(s)u * 2u]);
    let below_$(s) = vec4<f32>(packed_a[at_a + $(s)u * 2u + 1u]);
    let left_$(s) = vec4<f32>(packed_b[at_b + $(s)u * 2u]);
    let right_$(s) = vec4<f32>(packed_b[at_b + $(s)u * 2u + 1u]);
//# end
    at_a += 4u;
    at_b += 4u;
//# for r in 0..4
    low_$(r) = low_$(r) + above_0[$(r)] * left_0 + above_1[$(r)] * left_1;
    high_$(r) = high_$(r) + above_0[$(r)] * right_0 + above_1[$(r)] * right_1;
//# end
//# for r in 4..8
    low_$(r) = low_$(r) + below_0[$(r) - 4] * left_0 + below_1[$(r) - 4] * left_1;
    high_$(r) = high_$(r) + below_0[$(r) - 4] * right_0 + below_1[$(r) - 4] * right_1;
//# end
  }
  if (sizes.k % 2u == 1u) {
    let above = vec4<f32>(packed_a[at_a]);
    let below = vec4<f32>(packed_a[at_a + 1u]);
    let left = vec4<f32>(packed_b[at_b]);
    let right = vec4<f32>(packed_b[at_b + 1u]);
//# for r in 0..4
    low_$(r) += above[$(r)] * left;
    high_$(r) += above[$(r)] * right;
//# end
//# for r in 4..8
    low_$(r) += below[$(r) - 4] * left;
    high_$(r) += below[$(r) - 4] * right;
//# end
  }
//# for r in 0..8
  store(row + $(r)u, col, low_$(r));
  store(row + $(r)u, col + 4u, high_$(r));
//# end
}

fn store(row: u32, col: u32, value: vec4<f32>) {
  if (row >= sizes.m) { return; }
  let at = row * sizes.n + col;
  if (col < sizes.n) { c[at] = value.x; }
  if (col + 1u < sizes.n) { c[at + 1u] = value.y; }
  if (col + 2u < sizes.n) { c[at + 2u] = value.z; }
  if (col + 3u < sizes.n) { c[at + 3u] = value.w; }
}
