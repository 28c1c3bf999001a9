// One query of each head against a cache. A workgroup has SHARE queries whose heads share keys, and a chunk of these. Keys and values
// go straight into registers, and those of the next tile are asked for as soon as these have been used: what is on its way fills
// the memory's bandwidth.
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
// What each invocation's part of a key adds to a score; and the scores, four keys to a vector.
var<workgroup> parts: array<f32, $(P_TILE)>;
var<workgroup> tile_s: array<vec4<f32>, $(S_TILE)>;
// The sums of all invocations, at the end.
var<workgroup> sums_o: array<vec4<f32>, $(P_TILE)>;

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
  // The key of a tile that this invocation scores, and which vectors of it: every BESIDE-th.
  let scored = lane / $(BESIDE)u;
  let first = lane % $(BESIDE)u;
  // The vector of the output that this invocation adds up, and which of the keys it does so for.
  let own = lane % $(D4)u;
  let part = lane / $(D4)u;
//# for g in 0..SHARE
  var most_$(g) = HIDDEN;
  var sum_$(g) = 0.0;
  var o_$(g) = vec4<f32>();
//# end
//# for l in 0..8
  var k_$(l) = vec4<f32>();
  var v_$(l) = vec4<f32>();
  if (start_of + scored < end) { k_$(l) = k[(kv + start_of + scored) * $(D4)u + $(l)u * $(BESIDE)u + first]; }
  if (start_of + $(l)u * $(PARTS)u + part < end) { v_$(l) = v[(kv + start_of + $(l)u * $(PARTS)u + part) * $(D4)u + own]; }
//# end
  workgroupBarrier();
  for (var start = start_of; start < end; start += $(KEYS)u) {
    let next = start + $(KEYS)u;
//# for g in 0..SHARE
    var score_$(g) = 0.0;
//# for l in 0..8
    score_$(g) += dot(tile_q[$(g)u * $(D4)u + $(l)u * $(BESIDE)u + first], k_$(l));
//# end
    parts[$(g)u * 64u + lane] = score_$(g);
//# end
//# for l in 0..8
    if (next + scored < end) { k_$(l) = k[(kv + next + scored) * $(D4)u + $(l)u * $(BESIDE)u + first]; }
//# end
    workgroupBarrier();
    for (var four = lane; four < $(S_TILE)u; four += 64u) {
      var scores = vec4<f32>(HIDDEN);
//# for j in 0..4
      if (start + four % ($(KEYS)u / 4u) * 4u + $(j)u < end) {
        scores[$(j)] = 0.0;
        for (var b = 0u; b < $(BESIDE)u; b++) { scores[$(j)] += parts[(four * 4u + $(j)u) * $(BESIDE)u + b]; }
      }
//# end
      tile_s[four] = scores;
    }
    workgroupBarrier();
//# for g in 0..SHARE
    var four_$(g) = vec4<f32>(most_$(g));
    for (var j = 0u; j < $(KEYS)u / 4u; j++) { four_$(g) = max(four_$(g), tile_s[$(g)u * ($(KEYS)u / 4u) + j]); }
    let now_$(g) = max(max(four_$(g).x, four_$(g).y), max(four_$(g).z, four_$(g).w));
    let shrink_$(g) = exp(most_$(g) - now_$(g));
    sum_$(g) *= shrink_$(g);
    o_$(g) *= shrink_$(g);
    most_$(g) = now_$(g);
//# for l in 0..8
    let weight_$(g)_$(l) = exp(tile_s[$(g)u * ($(KEYS)u / 4u) + ($(l)u * $(PARTS)u + part) / 4u][($(l)u * $(PARTS)u + part) % 4u] - now_$(g));
    sum_$(g) += weight_$(g)_$(l);
    o_$(g) += weight_$(g)_$(l) * v_$(l);
//# end
//# end
//# for l in 0..8
    v_$(l) = vec4<f32>();
    if (next + $(l)u * $(PARTS)u + part < end) { v_$(l) = v[(kv + next + $(l)u * $(PARTS)u + part) * $(D4)u + own]; }
//# end
    workgroupBarrier();
  }
//# for g in 0..SHARE
  sums_o[$(g)u * 64u + lane] = o_$(g);
  parts[$(g)u * 64u + lane] = sum_$(g);
//# end
  workgroupBarrier();
  if (lane < $(D4)u) {
//# for g in 0..SHARE
    var all_$(g) = vec4<f32>();
    var whole_$(g) = 0.0;
    for (var p = 0u; p < $(PARTS)u; p++) {
      all_$(g) += sums_o[$(g)u * 64u + p * $(D4)u + lane];
      whole_$(g) += parts[$(g)u * 64u + p * $(D4)u];
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

var<workgroup> merged: array<vec4<f32>, $(MERGERS)>;
var<workgroup> weights: array<f32, $(MERGERS)>;

$(REDUCE)
// A head: the largest maximum of its chunks, then their sums, each scaled to it.
@compute @workgroup_size($(MERGERS))
fn merge(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let head = group.y + sizes.first;
  var most = HIDDEN;
  for (var chunk = lane; chunk < chunks(); chunk += $(MERGERS)u) { most = max(most, pairs[head * chunks() + chunk].x); }
  most = all_max(most, lane);
  var sum = 0.0;
  var all = vec4<f32>();
  for (var chunk = lane / $(D4)u; chunk < chunks(); chunk += $(MERGERS)u / $(D4)u) {
    let place = head * chunks() + chunk;
    let pair = pairs[place];
    let share = exp(pair.x - most);
    sum += pair.y * share;
    all += share * partial[place * $(D4)u + lane % $(D4)u];
  }
  merged[lane] = all;
  weights[lane] = sum;
  workgroupBarrier();
  if (lane < $(D4)u) {
    for (var other = lane + $(D4)u; other < $(MERGERS)u; other += $(D4)u) {
      all += merged[other];
      sum += weights[other];
    }
    o[head * $(D4)u + lane] = all / sum;
  }
}
//# end
