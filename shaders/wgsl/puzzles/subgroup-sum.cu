__global__ void block_sums(const float* a, float* out, int n) {
  __shared__ float part[2];
  int i = blockIdx.x * 64 + threadIdx.x;
  float sum = i < n ? a[i] : 0.0f;
  // A warp always has 32 threads.
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0] + part[1];
}

// block_sums<<<(n + 63) / 64, 64>>>(a, out, n);
