struct Sizes { rows: u32, cols: u32, high: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // rows × cols, row by row
@group(0) @binding(1) var<storage, read_write> out: array<f32>;  // rows × cols, in the order of the bands
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
//# start
  let number = id.x;
  // Number 0 is row 0 of column 0, number 1 is row 1 of column 0, and so on down a band of sizes.high rows; then comes column 1 of
  // the band. After its last column comes the next band, and the last one may have fewer rows.
  let row = number / sizes.cols;
  let col = number % sizes.cols;
  if (number < sizes.rows * sizes.cols) { out[number] = a[row * sizes.cols + col]; }
//# solution
  let number = id.x;
  let whole = sizes.high * sizes.cols;
  let band = number / whole;
  let within = number % whole;
  if (number < sizes.rows * sizes.cols) {
    let rows = min(sizes.high, sizes.rows - band * sizes.high);
    let row = band * sizes.high + within % rows;
    let col = within / rows;
    out[number] = a[row * sizes.cols + col];
  }
//# end
}
