__global__ void compact(const float* a, float* out, int n) {
  __shared__ int kept[2];
  int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float value = i < n ? a[i] : 0.0f;
  unsigned votes = __ballot_sync(0xffffffff, value > 0.0f);
  int place = __popc(votes & ((1u << lane) - 1));
  if (lane == 0) kept[warp] = __popc(votes);
  __syncthreads();
  if (warp == 1) place += kept[0];
  if (value > 0.0f) out[blockIdx.x * 64 + place] = value;
  if (i < n && threadIdx.x >= kept[0] + kept[1]) out[i] = 0.0f;
}

// compact<<<(n + 63) / 64, 64>>>(a, out, n);
