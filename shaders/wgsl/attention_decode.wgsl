// One query of each head against a cache. A workgroup has SHARE queries whose heads share keys, and a chunk of these. Scores are made
// of keys in workgroup memory; values are read by the invocations that add them up, neighbours side by side.
struct Sizes { keys: u32, head_dim: u32, heads: u32, kv_heads: u32, chunk: u32, first: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@group(0) @binding(4) var<uniform> sizes: Sizes;
//# for s in 0..SPLIT
// Of each chunk of each head: the weighted sum of values; the maximum and the sum.
@group(0) @binding(5) var<storage, read_write> partial: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> pairs: array<vec2<f32>>;
//# end

const HIDDEN = -3.4e38;

var<workgroup> tile_q: array<vec4<f32>, $(Q_TILE)>;
// Rows are one vector longer than the head, so that neighbours read from different banks.
var<workgroup> tile_k: array<vec4<f32>, $(K_TILE)>;
var<workgroup> tile_s: array<f32, $(S_TILE)>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let query = (group.y + sizes.first) * $(SHARE)u;
  let kv = query * sizes.kv_heads / sizes.heads * sizes.keys;
//# for w in 0..WHOLE
  let start_of = 0u;
  let end = sizes.keys;
//# end
//# for s in 0..SPLIT
  let start_of = group.x * sizes.chunk;
  let end = min(start_of + sizes.chunk, sizes.keys);
//# end
  for (var at = lane; at < $(Q_TILE)u; at += 64u) { tile_q[at] = q[query * $(D4)u + at] * sizes.scale; }
  // The vector of the output that this invocation adds up, and which of the keys it does so for.
  let own = lane % $(D4)u;
  let part = lane / $(D4)u;
//# for g in 0..SHARE
  var most_$(g) = HIDDEN;
  var sum_$(g) = 0.0;
  var o_$(g) = vec4<f32>();
//# end
  for (var start = start_of; start < end; start += $(KEYS)u) {
    for (var at = lane; at < $(KEYS)u * $(D4)u; at += 64u) {
      var value = vec4<f32>();
      if (start + at / $(D4)u < end) { value = k[(kv + start) * $(D4)u + at]; }
      tile_k[at / $(D4)u * $(PITCH)u + at % $(D4)u] = value;
    }
    workgroupBarrier();
    for (var pair = lane; pair < $(S_TILE)u; pair += 64u) {
      let key = pair % $(KEYS)u;
      var score = HIDDEN;
      if (start + key < end) {
        score = 0.0;
        for (var i = 0u; i < $(D4)u; i++) { score += dot(tile_q[pair / $(KEYS)u * $(D4)u + i], tile_k[key * $(PITCH)u + i]); }
      }
      tile_s[pair] = score;
    }
    workgroupBarrier();
//# for g in 0..SHARE
    var now_$(g) = most_$(g);
    for (var j = 0u; j < $(KEYS)u; j++) { now_$(g) = max(now_$(g), tile_s[$(g)u * $(KEYS)u + j]); }
    let shrink_$(g) = exp(most_$(g) - now_$(g));
    sum_$(g) *= shrink_$(g);
    o_$(g) *= shrink_$(g);
    most_$(g) = now_$(g);
//# end
    for (var key = part; key < min($(KEYS)u, end - start); key += $(PARTS)u) {
      let value = v[(kv + start + key) * $(D4)u + own];
//# for g in 0..SHARE
      let weight_$(g) = exp(tile_s[$(g)u * $(KEYS)u + key] - most_$(g));
      sum_$(g) += weight_$(g);
      o_$(g) += weight_$(g) * value;
//# end
    }
    workgroupBarrier();
  }
//# for g in 0..SHARE
  tile_k[$(g)u * 64u + lane] = o_$(g);
  if (own == 0u) { tile_s[$(g)u * $(PARTS)u + part] = sum_$(g); }
//# end
  workgroupBarrier();
  if (lane < $(D4)u) {
//# for g in 0..SHARE
    var all_$(g) = vec4<f32>();
    var whole_$(g) = 0.0;
    for (var p = 0u; p < $(PARTS)u; p++) {
      all_$(g) += tile_k[$(g)u * 64u + p * $(D4)u + lane];
      whole_$(g) += tile_s[$(g)u * $(PARTS)u + p];
    }
//# for w in 0..WHOLE
    o[(query + $(g)u) * $(D4)u + lane] = all_$(g) / whole_$(g);
//# end
//# for s in 0..SPLIT
    let place_$(g) = (query + $(g)u) * chunks() + group.x;
    partial[place_$(g) * $(D4)u + lane] = all_$(g);
    if (lane == 0u) { pairs[place_$(g)] = vec2<f32>(most_$(g), whole_$(g)); }
//# end
//# end
  }
}
//# for s in 0..SPLIT

fn chunks() -> u32 { return (sizes.keys + sizes.chunk - 1u) / sizes.chunk; }

// A head: its chunks, each scaled to the largest maximum so far.
@compute @workgroup_size(32)
fn merge(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let head = group.y + sizes.first;
  if (lane >= $(D4)u) { return; }
  var most = HIDDEN;
  var sum = 0.0;
  var all = vec4<f32>();
  for (var chunk = 0u; chunk < chunks(); chunk++) {
    let place = head * chunks() + chunk;
    let pair = pairs[place];
    let now = max(most, pair.x);
    let kept = exp(most - now);
    let share = exp(pair.x - now);
    sum = sum * kept + pair.y * share;
    all = all * kept + share * partial[place * $(D4)u + lane];
    most = now;
  }
  o[head * $(D4)u + lane] = all / sum;
}
//# end
