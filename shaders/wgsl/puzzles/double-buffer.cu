__global__ void pipelined(const float* a, const float* b, float* out, int m, int n, int k) {
  __shared__ float tile_a[2][16][16], tile_b[2][16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x, stages = (k + 15) / 16;
  tile_a[0][y][x] = row < m && x < k ? a[row * k + x] : 0.0f;
  tile_b[0][y][x] = y < k && col < n ? b[y * n + col] : 0.0f;
  __syncthreads();
  float sum = 0.0f;
  for (int stage = 0; stage < stages; stage++) {
    int now = stage % 2, i = (stage + 1) * 16 + x, j = (stage + 1) * 16 + y;
    // On their way while the products are made. From Ampere on, cp.async needs no registers for this.
    float next_a = row < m && i < k ? a[row * k + i] : 0.0f;
    float next_b = j < k && col < n ? b[j * n + col] : 0.0f;
    for (int l = 0; l < 16; l++) sum += tile_a[now][y][l] * tile_b[now][l][x];
    tile_a[1 - now][y][x] = next_a;
    tile_b[1 - now][y][x] = next_b;
    __syncthreads();
  }
  if (row < m && col < n) out[row * n + col] = sum;
}

// dim3 grid((n + 15) / 16, (m + 15) / 16), block(16, 16);
// pipelined<<<grid, block>>>(a, b, out, m, n, k);
