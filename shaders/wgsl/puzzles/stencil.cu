__global__ void convolve(const float* a, const float* w, float* out, int n) {
  __shared__ float tile[68];
  int begin = blockIdx.x * 64;
  for (int j = threadIdx.x; j < 68; j += 64) {
    int from = begin + j - 2;
    tile[j] = from >= 0 && from < n ? a[from] : 0.0f;
  }
  __syncthreads();
  int i = begin + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    for (int k = 0; k < 5; k++) sum += w[k] * tile[threadIdx.x + k];
    out[i] = sum;
  }
}

// convolve<<<(n + 63) / 64, 64>>>(a, w, out, n);
