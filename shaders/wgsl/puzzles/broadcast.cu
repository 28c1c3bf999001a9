__global__ void outer_sum(const float* a, const float* b, float* out, int rows, int cols) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) out[row * cols + col] = a[row] + b[col];
}

// dim3 grid((cols + 7) / 8, (rows + 7) / 8), block(8, 8);
// outer_sum<<<grid, block>>>(a, b, out, rows, cols);
