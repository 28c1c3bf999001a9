// Each invocation takes ROWS queries along the keys, KEYS at a time, with a running maximum and a running sum. When the
// maximum rises, what has been added up is scaled down. No score is ever written.
struct Sizes { seq: u32, head_dim: u32, heads: u32, kv_heads: u32, causal: u32, first: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

const HIDDEN = -3.4e38;

@compute @workgroup_size($(LANES))
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let top = ((group.y + sizes.first) * $(LANES)u + lane) * $(ROWS)u;
  if (top >= sizes.seq) { return; }
  let head = group.z;
  let last = sizes.seq - 1u;
  let kv = head * sizes.kv_heads / sizes.heads * sizes.seq;
//# for r in 0..ROWS
  let query_$(r) = min(top + $(r)u, last);
  let row_$(r) = (head * sizes.seq + query_$(r)) * $(D4)u;
  var most_$(r) = HIDDEN;
  var sum_$(r) = 0.0;
//# for c in 0..D4
  let q_$(r)_$(c) = q[row_$(r) + $(c)u] * sizes.scale;
  var o_$(r)_$(c) = vec4<f32>();
//# end
//# end
  let keys = select(sizes.seq, min(top + $(ROWS)u, sizes.seq), sizes.causal == 1u);
  for (var start = 0u; start < keys; start += $(KEYS)u) {
//# for j in 0..KEYS
    let key_$(j) = start + $(j)u;
    let at_$(j) = (kv + min(key_$(j), last)) * $(D4)u;
//# end
//# for r in 0..ROWS
//# for j in 0..KEYS
    var s_$(r)_$(j) = 0.0;
//# end
//# end
//# for c in 0..D4
//# for j in 0..KEYS
    let k_$(j)_$(c) = k[at_$(j) + $(c)u];
//# for r in 0..ROWS
    s_$(r)_$(j) += dot(q_$(r)_$(c), k_$(j)_$(c));
//# end
//# end
//# end
//# for r in 0..ROWS
    var now_$(r) = most_$(r);
//# for j in 0..KEYS
    if (key_$(j) >= sizes.seq || (sizes.causal == 1u && key_$(j) > query_$(r))) { s_$(r)_$(j) = HIDDEN; }
    now_$(r) = max(now_$(r), s_$(r)_$(j));
//# end
    let shrink_$(r) = exp(most_$(r) - now_$(r));
    most_$(r) = now_$(r);
    sum_$(r) *= shrink_$(r);
//# for j in 0..KEYS
    let p_$(r)_$(j) = exp(s_$(r)_$(j) - now_$(r));
    sum_$(r) += p_$(r)_$(j);
//# end
//# end
//# for c in 0..D4
//# for j in 0..KEYS
    let v_$(j)_$(c) = v[at_$(j) + $(c)u];
//# end
//# for r in 0..ROWS
    o_$(r)_$(c) = o_$(r)_$(c) * shrink_$(r)
//# for j in 0..KEYS
      + p_$(r)_$(j) * v_$(j)_$(c)
//# end
      ;
//# end
//# end
  }
//# for r in 0..ROWS
  if (top + $(r)u < sizes.seq) {
//# for c in 0..D4
    o[row_$(r) + $(c)u] = o_$(r)_$(c) / sum_$(r);
//# end
  }
//# end
}
