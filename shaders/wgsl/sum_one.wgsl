// One workgroup adds up everything.
struct Sizes { n: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

$(REDUCE)
@compute @workgroup_size($(LANES))
fn main(@builtin(local_invocation_index) lane: u32) {
  var sum = 0.0;
  for (var i = lane; i < sizes.n; i += $(LANES)u) { sum += x[i]; }
  sum = all_sum(sum, lane);
  if (lane == 0u) { y[0] = sum; }
}
