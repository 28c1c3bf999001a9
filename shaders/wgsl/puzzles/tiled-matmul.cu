__global__ void tiled(const float* a, const float* b, float* out, int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += 16) {
    tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
    tile_b[y][x] = start + y < k && col < n ? b[(start + y) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  if (row < m && col < n) out[row * n + col] = sum;
}

// dim3 grid((n + 15) / 16, (m + 15) / 16), block(16, 16);
// tiled<<<grid, block>>>(a, b, out, m, n, k);
