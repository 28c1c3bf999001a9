var<workgroup> shared_values: array<f32, $(LANES)>;

// The sum of the values of a workgroup, known to all of it. All of it has to call.
fn all_sum(value: f32, lane: u32) -> f32 {
  // The last result may still be read.
  workgroupBarrier();
  shared_values[lane] = value;
  workgroupBarrier();
  for (var half = $(LANES)u / 2u; half > 0u; half /= 2u) {
    if (lane < half) { shared_values[lane] += shared_values[lane + half]; }
    workgroupBarrier();
  }
  return shared_values[0];
}

// The largest of them.
fn all_max(value: f32, lane: u32) -> f32 {
  workgroupBarrier();
  shared_values[lane] = value;
  workgroupBarrier();
  for (var half = $(LANES)u / 2u; half > 0u; half /= 2u) {
    if (lane < half) { shared_values[lane] = max(shared_values[lane], shared_values[lane + half]); }
    workgroupBarrier();
  }
  return shared_values[0];
}
