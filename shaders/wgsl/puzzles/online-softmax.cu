__global__ void online_softmax(const float* a, float* out, int cols) {
  __shared__ float mosts[64], sums[64];
  const float* row = a + blockIdx.x * cols;
  int x = threadIdx.x;
  float most = -3.4e38f, sum = 0.0f;
  for (int i = x; i < cols; i += 64) {
    float now = fmaxf(most, row[i]);
    sum = sum * expf(most - now) + expf(row[i] - now);
    most = now;
  }
  mosts[x] = most;
  sums[x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (x < half) {
      float now = fmaxf(mosts[x], mosts[x + half]);
      sums[x] = sums[x] * expf(mosts[x] - now) + sums[x + half] * expf(mosts[x + half] - now);
      mosts[x] = now;
    }
    __syncthreads();
  }
  for (int i = x; i < cols; i += 64) out[blockIdx.x * cols + i] = expf(row[i] - mosts[0]) / sums[0];
}

// online_softmax<<<rows, 64>>>(a, out, cols);
