__global__ void transpose(const float* a, float* out, int rows, int cols) {
  __shared__ float tile[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = a[row * cols + col];
  __syncthreads();
  int to_row = blockIdx.x * 16 + threadIdx.y, to_col = blockIdx.y * 16 + threadIdx.x;
  if (to_row < cols && to_col < rows) out[to_row * rows + to_col] = tile[threadIdx.x][threadIdx.y];
}

// dim3 grid((cols + 15) / 16, (rows + 15) / 16), block(16, 16);
// transpose<<<grid, block>>>(a, out, rows, cols);
