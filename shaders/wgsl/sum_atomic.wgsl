// Every invocation adds its values to the one sum. There is no atomic addition of floats: it is tried again until nobody came between.
struct Sizes { n: u32, first: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(1)
fn clear() { atomicStore(&y[0], 0u); }

@compute @workgroup_size($(LANES))
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let chunk = group.y + sizes.first;
  let end = min((chunk + 1u) * $(CHUNK)u, sizes.n);
  var before = atomicLoad(&y[0]);
  for (var i = chunk * $(CHUNK)u + lane; i < end; i += $(LANES)u) {
    loop {
      let after = bitcast<u32>(bitcast<f32>(before) + x[i]);
      let tried = atomicCompareExchangeWeak(&y[0], before, after);
      if (tried.exchanged) {
        before = after;
        break;
      }
      before = tried.old_value;
    }
  }
}
