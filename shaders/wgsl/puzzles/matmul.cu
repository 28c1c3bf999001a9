__global__ void matmul(const float* a, const float* b, float* out, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
    out[row * n + col] = sum;
  }
}

// dim3 grid((n + 15) / 16, (m + 15) / 16), block(16, 16);
// matmul<<<grid, block>>>(a, b, out, m, n, k);
