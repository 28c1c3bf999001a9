__global__ void scan(const float* a, float* out, int n) {
  __shared__ float sums[2];
  int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32;
  float sum = i < n ? a[i] : 0.0f;
  for (int step = 1; step < 32; step *= 2) {
    float before = __shfl_up_sync(0xffffffff, sum, step);
    if (lane >= step) sum += before;
  }
  if (lane == 31) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) sum += sums[0];
  if (i < n) out[i] = sum;
}

// scan<<<(n + 63) / 64, 64>>>(a, out, n);
