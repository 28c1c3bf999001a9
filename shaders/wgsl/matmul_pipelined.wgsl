$(ENABLE)
// A workgroup computes ROWS × COLS elements of C. While it multiplies one stage of A and B out of workgroup memory, the next one is
// on its way from memory into registers. 32 neighbours are a warp of 4 × 8 invocations, which read fewer different values than one of
// 2 × 16. Vectors of four lie along k in A, along the columns in B and C.
struct Sizes { m: u32, n: u32, k: u32, first: u32 }
@group(0) @binding(0) var<storage, read> a: array<$(A_ELEMENT)>;
@group(0) @binding(1) var<storage, read> b: array<$(B_ELEMENT)>;
@group(0) @binding(2) var<storage, read_write> c: array<$(C_ELEMENT)>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
$(CONVERT)

// Whether whole tiles cover C, and whole stages k: then no bounds are looked at.
override FIT_ROWS = false;
override FIT_COLS = false;
override FIT_DEPTH = false;

var<workgroup> tile_a: array<vec4<$(T)>, $(A_TILE)>;
var<workgroup> tile_b: array<vec4<$(T)>, $(B_TILE)>;

@compute @workgroup_size($(LANES))
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  // Bands of GROUP rows of tiles: workgroups that run at the same time share rows of A and columns of B in the cache.
  let tiles = vec2<u32>((sizes.n + $(COLS)u - 1u) / $(COLS)u, (sizes.m + $(ROWS)u - 1u) / $(ROWS)u);
  let number = (group.y + sizes.first) * tiles.x + group.x;
  let band = number / ($(GROUP)u * tiles.x);
  let high = min($(GROUP)u, tiles.y - band * $(GROUP)u);
  let within = number % ($(GROUP)u * tiles.x);
  let top = (band * $(GROUP)u + within % high) * $(ROWS)u;
  let left = within / high * $(COLS)u;
  let warp = lane / 32u;
  let x = warp % $(WARPS_X)u * 8u + lane % 8u;
  let y = warp / $(WARPS_X)u * 4u + lane % 32u / 8u;
//# for r in 0..OWN_ROWS
//# for c in 0..OWN_COLS4
  var sum_$(r)_$(c) = vec4<f32>();
//# end
//# end
//# for l in 0..A_LOADS
  var next_a_$(l) = fetch_a(top, 0u, lane + $(l)u * $(LANES)u);
  put_a(0u, lane + $(l)u * $(LANES)u, next_a_$(l));
//# end
//# for l in 0..B_LOADS
  var next_b_$(l) = fetch_b(left, 0u, lane + $(l)u * $(LANES)u);
  put_b(0u, lane + $(l)u * $(LANES)u, next_b_$(l));
//# end
  workgroupBarrier();
  let stages = (sizes.k + $(DEPTH)u - 1u) / $(DEPTH)u;
  for (var stage = 0u; stage < stages; stage++) {
    let more = stage + 1u < stages;
    if (more) {
      let start = (stage + 1u) * $(DEPTH)u;
//# for l in 0..A_LOADS
      next_a_$(l) = fetch_a(top, start, lane + $(l)u * $(LANES)u);
//# end
//# for l in 0..B_LOADS
      next_b_$(l) = fetch_b(left, start, lane + $(l)u * $(LANES)u);
//# end
    }
    let buffer = stage % $(BUFFERS)u;
    let from_a = buffer * $(A_VECTORS)u;
    let from_b = buffer * $(B_VECTORS)u;
//# for p in 0..PARTS
//# for r in 0..OWN_ROWS
//# for c in 0..OWN_COLS4
    var part_$(r)_$(c) = vec4<$(T)>();
//# end
//# end
//# end
//# for i in 0..DEPTH4
//# for s in 0..ALONE
//# for r in 0..OWN_ROWS
    let a_$(i)_$(r) = tile_a[from_a + place(y + $(r)u * $(HIGH)u, $(i)u)];
//# end
//# end
//# for s in 0..SHUFFLE
    // Four neighbours need the same rows of A: each reads every fourth of them, and all get all.
    var mine_$(i): array<vec4<$(T)>, $(QUADS)>;
//# for q in 0..QUADS
    mine_$(i)[$(q)] = tile_a[from_a + place(y + ($(q)u * 4u + lane % 4u) * $(HIGH)u, $(i)u)];
//# end
//# for r in 0..OWN_ROWS
    let a_$(i)_$(r) = quadBroadcast(mine_$(i)[$(r) / 4], $(r)u % 4u);
//# end
//# end
//# for j in 0..4
//# for c in 0..OWN_COLS4
    let b_$(i)_$(j)_$(c) = $(V)(tile_b[from_b + ($(i)u * 4u + $(j)u) * $(COLS4)u + x + $(c)u * $(ACROSS)u]);
//# end
//# for r in 0..OWN_ROWS
//# for c in 0..OWN_COLS4
    $(SUM)_$(r)_$(c) += $(F)(a_$(i)_$(r)[$(j)]) * b_$(i)_$(j)_$(c);
//# end
//# end
//# end
//# end
//# for p in 0..PARTS
//# for r in 0..OWN_ROWS
//# for c in 0..OWN_COLS4
    sum_$(r)_$(c) += vec4<f32>(part_$(r)_$(c));
//# end
//# end
//# end
//# for s in 0..SINGLE
    // With one buffer, nobody may write to it before all have read it.
    workgroupBarrier();
//# end
    if (more) {
      let to = (stage + 1u) % $(BUFFERS)u;
//# for l in 0..A_LOADS
      put_a(to, lane + $(l)u * $(LANES)u, next_a_$(l));
//# end
//# for l in 0..B_LOADS
      put_b(to, lane + $(l)u * $(LANES)u, next_b_$(l));
//# end
    }
    workgroupBarrier();
  }
//# for r in 0..OWN_ROWS
//# for c in 0..OWN_COLS4
  store(top + y + $(r)u * $(HIGH)u, left + (x + $(c)u * $(ACROSS)u) * 4u, sum_$(r)_$(c));
//# end
//# end
}

// Where vector i of a row lies: the last bits are exchanged by row, so that rows that are read together lie in different banks.
fn place(row: u32, i: u32) -> u32 {
  return row * $(DEPTH4)u + (i ^ ((row >> $(SHIFT)u) & ($(DEPTH4)u - 1u)));
}

fn put_a(buffer: u32, at: u32, value: vec4<$(T)>) {
//# for g in 0..A_SOME
  if (at >= $(A_VECTORS)u) { return; }
//# end
  tile_a[buffer * $(A_VECTORS)u + place(at / $(DEPTH4)u, at % $(DEPTH4)u)] = value;
}

fn put_b(buffer: u32, at: u32, value: vec4<$(T)>) {
//# for g in 0..B_SOME
  if (at >= $(B_VECTORS)u) { return; }
//# end
  tile_b[buffer * $(B_VECTORS)u + at] = value;
}

// Vector `at` of the stage of A that begins at row `top` and column `start`.
fn fetch_a(top: u32, start: u32, at: u32) -> vec4<$(T)> {
  let row = top + at / $(DEPTH4)u;
  let i = start + at % $(DEPTH4)u * 4u;
//# for g in 0..A_SOME
  if (at >= $(A_VECTORS)u) { return vec4<$(T)>(); }
//# end
//# for v in 0..HALF
  let pitch = (sizes.k + $(DEPTH)u - 1u) / $(DEPTH)u * $(DEPTH4)u;
  return half_a[row * pitch + i / 4u];
//# end
//# for v in 0..A_WHOLE
  if ((FIT_ROWS || row < sizes.m) && (FIT_DEPTH || i < sizes.k)) { return a[(row * sizes.k + i) / 4u]; }
  return vec4<f32>();
//# end
//# for v in 0..A_SINGLE
  var value = vec4<f32>();
  if (FIT_ROWS || row < sizes.m) {
//# for j in 0..4
    if (i + $(j)u < sizes.k) { value[$(j)] = a[row * sizes.k + i + $(j)u]; }
//# end
  }
  return value;
//# end
}

// Vector `at` of the stage of B that begins at row `start` and column `left`.
fn fetch_b(left: u32, start: u32, at: u32) -> vec4<$(T)> {
  let i = start + at / $(COLS4)u;
  let col = left + at % $(COLS4)u * 4u;
//# for g in 0..B_SOME
  if (at >= $(B_VECTORS)u) { return vec4<$(T)>(); }
//# end
//# for v in 0..HALF
  let pitch = (sizes.n + $(COLS)u - 1u) / $(COLS)u * $(COLS4)u;
  return half_b[i * pitch + col / 4u];
//# end
//# for v in 0..B_WHOLE
  if ((FIT_DEPTH || i < sizes.k) && (FIT_COLS || col < sizes.n)) { return b[(i * sizes.n + col) / 4u]; }
  return vec4<f32>();
//# end
//# for v in 0..B_SINGLE
  var value = vec4<f32>();
  if (FIT_DEPTH || i < sizes.k) {
//# for j in 0..4
    if (col + $(j)u < sizes.n) { value[$(j)] = b[i * sizes.n + col + $(j)u]; }
//# end
  }
  return value;
//# end
}

fn store(row: u32, col: u32, value: vec4<f32>) {
  if (!FIT_ROWS && row >= sizes.m) { return; }
//# for v in 0..C_WHOLE
  if (FIT_COLS || col < sizes.n) { c[(row * sizes.n + col) / 4u] = value; }
//# end
//# for v in 0..C_SINGLE
//# for j in 0..4
  if (col + $(j)u < sizes.n) { c[row * sizes.n + col + $(j)u] = value[$(j)]; }
//# end
//# end
}
