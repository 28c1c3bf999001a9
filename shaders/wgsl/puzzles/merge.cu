__global__ void merge(const float* mosts, const float* sums, const float* parts, float* out, int chunks, int d) {
  int row = blockIdx.x;
  for (int i = threadIdx.x; i < d; i += blockDim.x) {
    float most = -3.4e38f, sum = 0.0f, all = 0.0f;
    for (int c = 0; c < chunks; c++) {
      int place = row * chunks + c;
      float now = fmaxf(most, mosts[place]);
      float kept = expf(most - now), share = expf(mosts[place] - now);
      sum = sum * kept + sums[place] * share;
      all = all * kept + parts[place * d + i] * share;
      most = now;
    }
    out[row * d + i] = all / sum;
  }
}

// merge<<<rows, 64>>>(mosts, sums, parts, out, chunks, d);
