// SPLITS invocations each add a run of neighbours; then one adds their sums, from the first on.
struct Sizes { n: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

var<workgroup> parts: array<f32, $(SPLITS)>;

@compute @workgroup_size($(SPLITS))
fn main(@builtin(local_invocation_index) lane: u32) {
  let run = (sizes.n + $(SPLITS)u - 1u) / $(SPLITS)u;
  let end = min((lane + 1u) * run, sizes.n);
  var sum = 0.0;
  for (var i = lane * run; i < end; i += 1u) { sum += x[i]; }
  parts[lane] = sum;
  workgroupBarrier();
  if (lane == 0u) {
    sum = 0.0;
    for (var i = 0u; i < $(SPLITS)u; i += 1u) { sum += parts[i]; }
    y[0] = sum;
  }
}
