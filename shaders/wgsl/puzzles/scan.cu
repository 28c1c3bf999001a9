__global__ void scan(const float* a, float* out, int n) {
  __shared__ float sums[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  sums[threadIdx.x] = i < n ? a[i] : 0.0f;
  for (int step = 1; step < 64; step *= 2) {
    __syncthreads();
    float before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0.0f;
    __syncthreads();
    sums[threadIdx.x] += before;
  }
  if (i < n) out[i] = sums[threadIdx.x];
}

// scan<<<(n + 63) / 64, 64>>>(a, out, n);
