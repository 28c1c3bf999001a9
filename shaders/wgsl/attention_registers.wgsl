$(ENABLE)
// Q and O never leave the registers. Four neighbours share ROWS queries: each has a quarter of the head, every fourth vector of it, and
// so each reads a quarter of a key. What the four quarters of a score add up to is found by shuffles, or in
// workgroup memory.
// The next tile of keys and values is on its way while this one is used, and only tiles that the mask cuts are masked.
struct Sizes { seq: u32, head_dim: u32, heads: u32, kv_heads: u32, causal: u32, first: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

//# for h in 0..CONVERT
// K and V in f16, copied by the first pass.
@group(0) @binding(5) var<storage, read_write> half_k: array<vec4<f16>>;
@group(0) @binding(6) var<storage, read_write> half_v: array<vec4<f16>>;

@compute @workgroup_size(64)
fn convert(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let at = (group.y + sizes.first) * 64u + lane;
  if (at >= sizes.seq * $(D4)u) { return; }
  half_k[group.z * sizes.seq * $(D4)u + at] = vec4<f16>(k[group.z * sizes.seq * $(D4)u + at]);
  half_v[group.z * sizes.seq * $(D4)u + at] = vec4<f16>(v[group.z * sizes.seq * $(D4)u + at]);
}
//# end

const HIDDEN = -3.4e38;

// Four neighbours read four vectors side by side, and all fours the same: no two of a read are in one bank.
var<workgroup> tile_k: array<vec4<$(T)>, $(TILES)>;
var<workgroup> tile_v: array<vec4<$(T)>, $(TILES)>;
//# for e in 0..EXCHANGE
var<workgroup> quarters: array<vec4<f32>, $(QUARTERS)>;
//# end

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let top = (group.y + sizes.first) * $(QUERIES)u;
  let head = group.z;
  let kv = head * sizes.kv_heads / sizes.heads * sizes.seq;
  let part = lane % 4u;
//# for r in 0..ROWS
  let query_$(r) = top + lane / 4u + $(r)u * 16u;
  let row_$(r) = (head * sizes.seq + query_$(r)) * $(D4)u + part;
  var most_$(r) = HIDDEN;
  var sum_$(r) = 0.0;
//# for i in 0..D16
  var q_$(r)_$(i) = vec4<$(T)>();
  var o_$(r)_$(i) = vec4<f32>();
//# end
  if (query_$(r) < sizes.seq) {
//# for i in 0..D16
    q_$(r)_$(i) = vec4<$(T)>(q[row_$(r) + $(i)u * 4u] * sizes.scale);
//# end
  }
//# end
  let keys = select(sizes.seq, min(top + $(QUERIES)u, sizes.seq), sizes.causal == 1u);
//# for l in 0..LOADS
  var next_k_$(l) = vec4<$(T)>();
  var next_v_$(l) = vec4<$(T)>();
  if (($(l)u * 64u + lane) / $(D4)u < sizes.seq) {
    next_k_$(l) = $(STORED)k[kv * $(D4)u + $(l)u * 64u + lane];
    next_v_$(l) = $(STORED)v[kv * $(D4)u + $(l)u * 64u + lane];
  }
  tile_k[$(l)u * 64u + lane] = next_k_$(l);
  tile_v[$(l)u * 64u + lane] = next_v_$(l);
//# end
  workgroupBarrier();
  var used = 0u;
  for (var start = 0u; start < keys; start += $(KEYS)u) {
    let more = start + $(KEYS)u < keys;
    if (more) {
      let next = start + $(KEYS)u;
//# for l in 0..LOADS
      next_k_$(l) = vec4<$(T)>();
      next_v_$(l) = vec4<$(T)>();
      if (next + ($(l)u * 64u + lane) / $(D4)u < sizes.seq) {
        next_k_$(l) = $(STORED)k[(kv + next) * $(D4)u + $(l)u * 64u + lane];
        next_v_$(l) = $(STORED)v[(kv + next) * $(D4)u + $(l)u * 64u + lane];
      }
//# end
    }
    let cut = start + $(KEYS)u > sizes.seq || (sizes.causal == 1u && start + $(KEYS)u > top + 1u);
    for (var j = 0u; j < $(KEYS)u; j += 4u) {
      let at = used + j * $(D4)u + part;
//# for r in 0..ROWS
      var s_$(r) = vec4<f32>();
//# end
//# for b in 0..4
//# for i in 0..D16
      let k_$(b)_$(i) = tile_k[at + $(b)u * $(D4)u + $(i)u * 4u];
//# for r in 0..ROWS
      s_$(r)[$(b)] += f32(dot(q_$(r)_$(i), k_$(b)_$(i)));
//# end
//# end
//# end
//# for e in 0..SHUFFLE
//# for r in 0..ROWS
      s_$(r) += subgroupShuffleXor(s_$(r), 1u);
      s_$(r) += subgroupShuffleXor(s_$(r), 2u);
//# end
//# end
//# for e in 0..EXCHANGE
      // Two places in turn: who writes the next scores overwrites none that is still read.
      let place = j / 4u % 2u * $(HALF)u;
//# for r in 0..ROWS
      quarters[place + $(r)u * 64u + lane] = s_$(r);
//# end
      workgroupBarrier();
//# for r in 0..ROWS
      s_$(r) = quarters[place + $(r)u * 64u + lane / 4u * 4u] + quarters[place + $(r)u * 64u + lane / 4u * 4u + 1u]
        + quarters[place + $(r)u * 64u + lane / 4u * 4u + 2u] + quarters[place + $(r)u * 64u + lane / 4u * 4u + 3u];
//# end
//# end
//# for r in 0..ROWS
      if (cut) {
//# for b in 0..4
        let key_$(b) = start + j + $(b)u;
        if (key_$(b) >= sizes.seq || (sizes.causal == 1u && key_$(b) > query_$(r))) { s_$(r)[$(b)] = HIDDEN; }
//# end
      }
      // Every query sees the first key: from then on its maximum is a score.
      let now_$(r) = max(most_$(r), max(max(s_$(r).x, s_$(r).y), max(s_$(r).z, s_$(r).w)));
      // After the first tiles the maximum seldom moves, and nothing has to be scaled.
      if (now_$(r) > most_$(r)) {
        let shrink_$(r) = exp(most_$(r) - now_$(r));
        most_$(r) = now_$(r);
        sum_$(r) *= shrink_$(r);
//# for i in 0..D16
        o_$(r)_$(i) *= shrink_$(r);
//# end
      }
      let p_$(r) = exp(s_$(r) - most_$(r));
      sum_$(r) += p_$(r).x + p_$(r).y + p_$(r).z + p_$(r).w;
//# end
//# for b in 0..4
//# for i in 0..D16
      let v_$(b)_$(i) = vec4<f32>(tile_v[at + $(b)u * $(D4)u + $(i)u * 4u]);
//# for r in 0..ROWS
      o_$(r)_$(i) += p_$(r)[$(b)] * v_$(b)_$(i);
//# end
//# end
//# end
    }
//# for e in 0..EXCHANGE
    workgroupBarrier();
//# end
    used = $(OTHER)u - used;
    if (more) {
//# for l in 0..LOADS
      tile_k[used + $(l)u * 64u + lane] = next_k_$(l);
      tile_v[used + $(l)u * 64u + lane] = next_v_$(l);
//# end
    }
    workgroupBarrier();
  }
//# for r in 0..ROWS
  if (query_$(r) < sizes.seq) {
//# for i in 0..D16
    o[row_$(r) + $(i)u * 4u] = o_$(r)_$(i) / sum_$(r);
//# end
  }
//# end
}
