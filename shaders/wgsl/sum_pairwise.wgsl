// One workgroup adds neighbours, then neighbouring sums, until one is left. Levels lie in the two halves of `partial` in turn.
struct Sizes { n: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
@group(0) @binding(3) var<storage, read_write> partial: array<f32>;

@compute @workgroup_size($(LANES))
fn main(@builtin(local_invocation_index) lane: u32) {
  let half = (sizes.n + 1u) / 2u;
  for (var i = lane; i < half; i += $(LANES)u) {
    var sum = x[2u * i];
    if (2u * i + 1u < sizes.n) { sum += x[2u * i + 1u]; }
    partial[i] = sum;
  }
  var at = 0u;
  var to = half;
  var count = half;
  while (count > 1u) {
    storageBarrier();
    let next = (count + 1u) / 2u;
    for (var i = lane; i < next; i += $(LANES)u) {
      var sum = partial[at + 2u * i];
      if (2u * i + 1u < count) { sum += partial[at + 2u * i + 1u]; }
      partial[to + i] = sum;
    }
    count = next;
    let other = at;
    at = to;
    to = other;
  }
  if (lane == 0u) { y[0] = partial[at]; }
}
