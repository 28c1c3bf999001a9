// A workgroup of 16 × 16 invocations computes ROWS × COLS elements of C, each invocation OWN × OWN of them in registers,
// and everything moves in vectors of four: along k for A, along the columns for B and C. Where a row's length is no
// multiple of four, its vectors are put together from single values.
struct Sizes { m: u32, n: u32, k: u32, first: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
// A and B again, as vectors.
@group(0) @binding(4) var<storage, read> a4: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> b4: array<vec4<f32>>;

// ROWS rows of DEPTH/4 vectors, and DEPTH rows of COLS/4 vectors.
var<workgroup> tile_a: array<vec4<f32>, $(A_VECTORS)>;
var<workgroup> tile_b: array<vec4<f32>, $(B_VECTORS)>;

@compute @workgroup_size(16, 16)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let top = (group.y + sizes.first) * $(ROWS)u;
  let left = group.x * $(COLS)u;
//# for r in 0..OWN
//# for c in 0..OWN4
  var sum_$(r)_$(c) = vec4<f32>();
//# end
//# end
  for (var start = 0u; start < sizes.k; start += $(DEPTH)u) {
    for (var at = lane; at < $(A_VECTORS)u; at += 256u) {
      tile_a[at] = fetch_a(top + at / $(DEPTH4)u, start + at % $(DEPTH4)u * 4u);
    }
    for (var at = lane; at < $(B_VECTORS)u; at += 256u) {
      tile_b[at] = fetch_b(start + at / $(COLS4)u, left + at % $(COLS4)u * 4u);
    }
    workgroupBarrier();
    for (var i = 0u; i < $(DEPTH4)u; i++) {
      // Rows 16 apart, vectors of columns 16 apart: neighbours read neighbouring vectors.
//# for r in 0..OWN
      let a_$(r) = tile_a[(local.y + $(r)u * 16u) * $(DEPTH4)u + i];
//# end
//# for j in 0..4
//# for c in 0..OWN4
      let b_$(j)_$(c) = tile_b[(i * 4u + $(j)u) * $(COLS4)u + local.x + $(c)u * 16u];
//# end
//# for r in 0..OWN
//# for c in 0..OWN4
      sum_$(r)_$(c) += a_$(r)[$(j)] * b_$(j)_$(c);
//# end
//# end
//# end
    }
    workgroupBarrier();
  }
//# for r in 0..OWN
//# for c in 0..OWN4
  store(top + local.y + $(r)u * 16u, left + (local.x + $(c)u * 16u) * 4u, sum_$(r)_$(c));
//# end
//# end
}

fn fetch_a(row: u32, i: u32) -> vec4<f32> {
  var value = vec4<f32>();
  if (row >= sizes.m || i >= sizes.k) { return value; }
  let at = row * sizes.k + i;
  if (sizes.k % 4u == 0u) { return a4[at / 4u]; }
  value.x = a[at];
  if (i + 1u < sizes.k) { value.y = a[at + 1u]; }
  if (i + 2u < sizes.k) { value.z = a[at + 2u]; }
  if (i + 3u < sizes.k) { value.w = a[at + 3u]; }
  return value;
}

fn fetch_b(i: u32, col: u32) -> vec4<f32> {
  var value = vec4<f32>();
  if (i >= sizes.k || col >= sizes.n) { return value; }
  let at = i * sizes.n + col;
  if (sizes.n % 4u == 0u) { return b4[at / 4u]; }
  value.x = b[at];
  if (col + 1u < sizes.n) { value.y = b[at + 1u]; }
  if (col + 2u < sizes.n) { value.z = b[at + 2u]; }
  if (col + 3u < sizes.n) { value.w = b[at + 3u]; }
  return value;
}

fn store(row: u32, col: u32, value: vec4<f32>) {
  if (row >= sizes.m) { return; }
  let at = row * sizes.n + col;
  if (col < sizes.n) { c[at] = value.x; }
  if (col + 1u < sizes.n) { c[at + 1u] = value.y; }
  if (col + 2u < sizes.n) { c[at + 2u] = value.z; }
  if (col + 3u < sizes.n) { c[at + 3u] = value.w; }
}
