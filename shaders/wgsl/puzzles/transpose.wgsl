struct Sizes { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;  // rows × cols
@group(0) @binding(1) var<storage, read_write> out: array<f32>;  // cols × rows
@group(0) @binding(2) var<uniform> sizes: Sizes;

// One column wider than it has to be: neighbours that read down a column then meet different banks.
var<workgroup> tile: array<array<f32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
//# start
  // out[col, row] is a[row, col]. The grid covers a: group.x counts tiles of columns, group.y tiles of rows.
  // Read neighbours next to each other, turn the tile, write neighbours next to each other.

//# solution
  let row = group.y * 16u + local.y;
  let col = group.x * 16u + local.x;
  if (row < sizes.rows && col < sizes.cols) {
    tile[local.y][local.x] = a[row * sizes.cols + col];
  }
  workgroupBarrier();
  let to_row = group.x * 16u + local.y;
  let to_col = group.y * 16u + local.x;
  if (to_row < sizes.cols && to_col < sizes.rows) {
    out[to_row * sizes.rows + to_col] = tile[local.x][local.y];
  }
//# end
}
