struct Sizes { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // rows values
@group(0) @binding(1) var<storage, read> b: array<f32>;  // cols values
@group(0) @binding(2) var<storage, read_write> out: array<f32>;  // rows × cols, row by row
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
//# start
  let row = id.y;
  let col = id.x;
  // out[row, col] is a[row] + b[col]

//# solution
  let row = id.y;
  let col = id.x;
  if (row < sizes.rows && col < sizes.cols) {
    out[row * sizes.cols + col] = a[row] + b[col];
  }
//# end
}
