// FlashAttention: 64 queries, one for each invocation, share tiles of KEYS keys and values in workgroup memory. After every
// tile the output is scaled to the new maximum and divided by the new sum, so that it is right for the keys seen so far
// (arXiv:2205.14135, algorithm 1, lines 10 to 13). The loop over queries is the outer one, as in FlashAttention-2.
struct Sizes { seq: u32, head_dim: u32, heads: u32, kv_heads: u32, causal: u32, first: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

const HIDDEN = -3.4e38;

var<workgroup> tile_k: array<vec4<f32>, $(TILE)>;
var<workgroup> tile_v: array<vec4<f32>, $(TILE)>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let top = (group.y + sizes.first) * 64u;
  let query = top + lane;
  let head = group.z;
  let kv = head * sizes.kv_heads / sizes.heads * sizes.seq;
  let row = (head * sizes.seq + min(query, sizes.seq - 1u)) * $(D4)u;
  var most = HIDDEN;
  var sum = 0.0;
//# for c in 0..D4
  let q_$(c) = q[row + $(c)u] * sizes.scale;
  var o_$(c) = vec4<f32>();
//# end
  // The same for all of the workgroup, so that its barriers are met by all.
  let keys = select(sizes.seq, min(top + 64u, sizes.seq), sizes.causal == 1u);
  for (var start = 0u; start < keys; start += $(KEYS)u) {
    for (var at = lane; at < $(TILE)u; at += 64u) {
      let key = start + at / $(D4)u;
      if (key < sizes.seq) {
        tile_k[at] = k[kv * $(D4)u + start * $(D4)u + at];
        tile_v[at] = v[kv * $(D4)u + start * $(D4)u + at];
      } else {
        tile_k[at] = vec4<f32>();
        tile_v[at] = vec4<f32>();
      }
    }
    workgroupBarrier();
    var now = most;
//# for j in 0..KEYS
    var s_$(j) = HIDDEN;
    if (start + $(j)u < sizes.seq && (sizes.causal == 0u || start + $(j)u <= query)) {
      s_$(j) = 0.0
//# for c in 0..D4
        + dot(q_$(c), tile_k[$(j)u * $(D4)u + $(c)u])
//# end
        ;
      now = max(now, s_$(j));
    }
//# end
    // A query beyond the end may have seen no key at all: its result is not stored.
    let kept = sum * exp(most - now);
    sum = kept;
//# for j in 0..KEYS
    let p_$(j) = exp(s_$(j) - now);
    sum += p_$(j);
//# end
    most = now;
//# for c in 0..D4
    o_$(c) = (o_$(c) * kept
//# for j in 0..KEYS
      + p_$(j) * tile_v[$(j)u * $(D4)u + $(c)u]
//# end
      ) / sum;
//# end
    workgroupBarrier();
  }
  if (query < sizes.seq) {
//# for c in 0..D4
    o[row + $(c)u] = o_$(c);
//# end
  }
}
