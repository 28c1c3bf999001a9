// Every invocation adds its value to the one sum. There is no atomic addition of floats: it is tried again until nobody came between.
struct Sizes { n: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(1)
fn clear() { atomicStore(&y[0], 0u); }

@compute @workgroup_size($(LANES))
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = (group.y + sizes.first) * $(LANES)u + lane;
  if (i >= sizes.n) { return; }
  let value = x[i];
  var before = atomicLoad(&y[0]);
  loop {
    let after = bitcast<u32>(bitcast<f32>(before) + value);
    let tried = atomicCompareExchangeWeak(&y[0], before, after);
    if (tried.exchanged) { break; }
    before = tried.old_value;
  }
}
