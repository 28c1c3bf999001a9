__global__ void softmax(const float* a, float* out, int cols) {
  __shared__ float part[64];
  const float* row = a + blockIdx.x * cols;
  float most = -3.4e38f, sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 64) most = fmaxf(most, row[i]);
  part[threadIdx.x] = most;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  for (int i = threadIdx.x; i < cols; i += 64) sum += expf(row[i] - most);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < cols; i += 64) out[blockIdx.x * cols + i] = expf(row[i] - most) / part[0];
}

// softmax<<<rows, 64>>>(a, out, cols);
