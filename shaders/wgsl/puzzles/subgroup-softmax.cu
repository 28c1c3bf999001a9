__global__ void softmax(const float* a, float* out, int cols) {
  __shared__ float part[2];
  const float* row = a + blockIdx.x * cols;
  float most = -3.4e38f, sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 64) most = fmaxf(most, row[i]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  most = fmaxf(part[0], part[1]);
  __syncthreads();
  for (int i = threadIdx.x; i < cols; i += 64) sum += expf(row[i] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = part[0] + part[1];
  for (int i = threadIdx.x; i < cols; i += 64) out[blockIdx.x * cols + i] = expf(row[i] - most) / sum;
}

// softmax<<<rows, 64>>>(a, out, cols);
