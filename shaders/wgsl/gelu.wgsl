// x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))), written with one exponential.
fn gelu(x: f32) -> f32 { return x / (1.0 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x))); }
