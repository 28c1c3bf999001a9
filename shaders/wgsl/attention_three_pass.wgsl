// Attention in three dispatches, as it is written on paper: every score goes to memory, is normalised there, and is read
// again. What a causal mask hides is stored as −∞ would be.
struct Sizes { seq: u32, head_dim: u32, heads: u32, kv_heads: u32, causal: u32, first: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;
@group(0) @binding(5) var<storage, read_write> scores: array<f32>;

const HIDDEN = -3.4e38;

fn kv_head(head: u32) -> u32 { return head * sizes.kv_heads / sizes.heads; }

@compute @workgroup_size(16, 16)
fn score(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let key = group.x * 16u + local.x;
  let query = (group.y + sizes.first) * 16u + local.y;
  let head = group.z;
  if (key >= sizes.seq || query >= sizes.seq) { return; }
  var sum = HIDDEN;
  if (sizes.causal == 0u || key <= query) {
    sum = 0.0;
    let row = (head * sizes.seq + query) * sizes.head_dim;
    let col = (kv_head(head) * sizes.seq + key) * sizes.head_dim;
    for (var i = 0u; i < sizes.head_dim; i++) { sum += q[row + i] * k[col + i]; }
    sum *= sizes.scale;
  }
  scores[(head * sizes.seq + query) * sizes.seq + key] = sum;
}

var<workgroup> shared_values: array<f32, 64>;

// One workgroup for each row.
@compute @workgroup_size(64)
fn normalise(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let start = (group.z * sizes.seq + group.y + sizes.first) * sizes.seq;
  var most = HIDDEN;
  for (var i = lane; i < sizes.seq; i += 64u) { most = max(most, scores[start + i]); }
  shared_values[lane] = most;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (lane < half) { shared_values[lane] = max(shared_values[lane], shared_values[lane + half]); }
    workgroupBarrier();
  }
  most = shared_values[0];
  workgroupBarrier();
  var sum = 0.0;
  for (var i = lane; i < sizes.seq; i += 64u) {
    let weight = exp(scores[start + i] - most);
    scores[start + i] = weight;
    sum += weight;
  }
  shared_values[lane] = sum;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (lane < half) { shared_values[lane] += shared_values[lane + half]; }
    workgroupBarrier();
  }
  sum = shared_values[0];
  for (var i = lane; i < sizes.seq; i += 64u) { scores[start + i] /= sum; }
}

@compute @workgroup_size(16, 16)
fn weigh(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let col = group.x * 16u + local.x;
  let query = (group.y + sizes.first) * 16u + local.y;
  let head = group.z;
  if (col >= sizes.head_dim || query >= sizes.seq) { return; }
  let row = (head * sizes.seq + query) * sizes.seq;
  let values = kv_head(head) * sizes.seq * sizes.head_dim + col;
  let keys = select(sizes.seq, query + 1u, sizes.causal == 1u);
  var sum = 0.0;
  for (var i = 0u; i < keys; i++) { sum += scores[row + i] * v[values + i * sizes.head_dim]; }
  o[(head * sizes.seq + query) * sizes.head_dim + col] = sum;
}
