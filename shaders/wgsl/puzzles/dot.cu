__global__ void dot(const float* a, const float* b, float* out, int n) {
  __shared__ float part[64];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 64) sum += a[i] * b[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

// dot<<<1, 64>>>(a, b, out, n);
