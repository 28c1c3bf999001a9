__global__ void split_k(const float* a, const float* b, float* out, int k) {
  __shared__ float part[64];
  int x = threadIdx.x, row = blockIdx.y, from = blockIdx.x * 256;
  float sum = 0.0f;
  for (int i = from + x; i < min(from + 256, k); i += 64) sum += a[row * k + i] * b[i];
  part[x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (x < half) part[x] += part[x + half];
    __syncthreads();
  }
  if (x == 0) out[row * gridDim.x + blockIdx.x] = part[0];
}

// split_k<<<dim3((k + 255) / 256, rows), 64>>>(a, b, out, k);
// A second kernel adds up each row of out: so few that its time is a launch.
