// FlashAttention-2 style: a workgroup of 8 × 8 invocations takes QUERIES queries. For the scores, each invocation has
// ROWS queries and COLS keys of a tile; for the output, the same queries and W4 vectors of the head. Only the division by
// the sum is left to the end (arXiv:2307.08691, §3.1).
struct Sizes { seq: u32, head_dim: u32, heads: u32, kv_heads: u32, causal: u32, first: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

const HIDDEN = -3.4e38;

// Rows are one vector longer than the head, so that neighbours read from different banks.
var<workgroup> tile_q: array<vec4<f32>, $(Q_TILE)>;
// K, and when the scores are done, V.
var<workgroup> tile_kv: array<vec4<f32>, $(KV_TILE)>;
var<workgroup> tile_s: array<f32, $(S_TILE)>;

@compute @workgroup_size(8, 8)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let top = (group.y + sizes.first) * $(QUERIES)u;
  let head = group.z;
  let q_start = (head * sizes.seq + top) * $(D4)u;
  let kv_start = head * sizes.kv_heads / sizes.heads * sizes.seq * $(D4)u;
  for (var at = lane; at < $(QUERIES)u * $(D4)u; at += 64u) {
    var value = vec4<f32>();
    if (top + at / $(D4)u < sizes.seq) { value = q[q_start + at] * sizes.scale; }
    tile_q[at / $(D4)u * $(PITCH)u + at % $(D4)u] = value;
  }
//# for r in 0..ROWS
  let query_$(r) = top + local.y + $(r)u * 8u;
  var most_$(r) = HIDDEN;
  var sum_$(r) = 0.0;
//# for w in 0..W4
  var o_$(r)_$(w) = vec4<f32>();
//# end
//# end
  let keys = select(sizes.seq, min(top + $(QUERIES)u, sizes.seq), sizes.causal == 1u);
  for (var start = 0u; start < keys; start += $(KEYS)u) {
    for (var at = lane; at < $(KEYS)u * $(D4)u; at += 64u) {
      var value = vec4<f32>();
      if (start + at / $(D4)u < sizes.seq) { value = k[kv_start + start * $(D4)u + at]; }
      tile_kv[at / $(D4)u * $(PITCH)u + at % $(D4)u] = value;
    }
    workgroupBarrier();
//# for r in 0..ROWS
//# for j in 0..COLS
    var s_$(r)_$(j) = 0.0;
//# end
//# end
    for (var i = 0u; i < $(D4)u; i++) {
//# for r in 0..ROWS
      let q_$(r) = tile_q[(local.y + $(r)u * 8u) * $(PITCH)u + i];
//# end
//# for j in 0..COLS
      let k_$(j) = tile_kv[(local.x + $(j)u * 8u) * $(PITCH)u + i];
//# for r in 0..ROWS
      s_$(r)_$(j) += dot(q_$(r), k_$(j));
//# end
//# end
    }
//# for r in 0..ROWS
//# for j in 0..COLS
    let key_$(r)_$(j) = start + local.x + $(j)u * 8u;
    if (key_$(r)_$(j) >= sizes.seq || (sizes.causal == 1u && key_$(r)_$(j) > query_$(r))) { s_$(r)_$(j) = HIDDEN; }
    tile_s[(local.y + $(r)u * 8u) * $(KEYS)u + local.x + $(j)u * 8u] = s_$(r)_$(j);
//# end
//# end
    workgroupBarrier();
    for (var at = lane; at < $(KEYS)u * $(D4)u; at += 64u) {
      var value = vec4<f32>();
      if (start + at / $(D4)u < sizes.seq) { value = v[kv_start + start * $(D4)u + at]; }
      tile_kv[at / $(D4)u * $(PITCH)u + at % $(D4)u] = value;
    }
//# for r in 0..ROWS
    var now_$(r) = most_$(r);
    for (var j = 0u; j < $(KEYS)u; j++) { now_$(r) = max(now_$(r), tile_s[(local.y + $(r)u * 8u) * $(KEYS)u + j]); }
    let shrink_$(r) = exp(most_$(r) - now_$(r));
    most_$(r) = now_$(r);
    sum_$(r) *= shrink_$(r);
//# end
    workgroupBarrier();
//# for r in 0..ROWS
//# for j in 0..COLS
    // A row that has seen no key yet would have exp(0) here.
    let p_$(r)_$(j) = select(0.0, exp(s_$(r)_$(j) - now_$(r)), s_$(r)_$(j) > HIDDEN);
    sum_$(r) += p_$(r)_$(j);
    tile_s[(local.y + $(r)u * 8u) * $(KEYS)u + local.x + $(j)u * 8u] = p_$(r)_$(j);
//# end
//# for w in 0..W4
    o_$(r)_$(w) *= shrink_$(r);
//# end
//# end
    workgroupBarrier();
    for (var j = 0u; j < $(KEYS)u; j++) {
//# for w in 0..W4
      let v_$(w) = tile_kv[j * $(PITCH)u + local.x + $(w)u * 8u];
//# end
//# for r in 0..ROWS
      let weight_$(r) = tile_s[(local.y + $(r)u * 8u) * $(KEYS)u + j];
//# for w in 0..W4
      o_$(r)_$(w) += weight_$(r) * v_$(w);
//# end
//# end
    }
    workgroupBarrier();
  }
  // Each invocation has the sum of its own keys; eight of them make a query's.
//# for r in 0..ROWS
  tile_s[(local.y + $(r)u * 8u) * 8u + local.x] = sum_$(r);
//# end
  workgroupBarrier();
//# for r in 0..ROWS
  if (query_$(r) < sizes.seq) {
    var whole = 0.0;
    for (var j = 0u; j < 8u; j++) { whole += tile_s[(local.y + $(r)u * 8u) * 8u + j]; }
//# for w in 0..W4
    o[(head * sizes.seq + query_$(r)) * $(D4)u + local.x + $(w)u * 8u] = o_$(r)_$(w) / whole;
//# end
  }
//# end
}
