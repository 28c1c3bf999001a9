// Each workgroup adds up CHUNK values; then one adds up their sums.
struct Sizes { n: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
@group(0) @binding(3) var<storage, read_write> partial: array<f32>;

$(REDUCE)
@compute @workgroup_size($(LANES))
fn chunks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let chunk = group.y + sizes.first;
  let end = min((chunk + 1u) * $(CHUNK)u, sizes.n);
  var sum = 0.0;
  for (var i = chunk * $(CHUNK)u + lane; i < end; i += $(LANES)u) { sum += x[i]; }
  sum = all_sum(sum, lane);
  if (lane == 0u) { partial[chunk] = sum; }
}

@compute @workgroup_size($(LANES))
fn rest(@builtin(local_invocation_index) lane: u32) {
  let count = (sizes.n + $(CHUNK)u - 1u) / $(CHUNK)u;
  var sum = 0.0;
  for (var i = lane; i < count; i += $(LANES)u) { sum += partial[i]; }
  sum = all_sum(sum, lane);
  if (lane == 0u) { y[0] = sum; }
}
