__global__ void block_sums(const float* a, float* out, int n) {
  __shared__ float part[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  part[threadIdx.x] = i < n ? a[i] : 0.0f;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// block_sums<<<(n + 63) / 64, 64>>>(a, out, n);
