__global__ void grouped(const float* a, float* out, int rows, int cols, int high) {
  int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= rows * cols) return;
  int band = number / (high * cols), within = number % (high * cols);
  int here = min(high, rows - band * high);
  int row = band * high + within % here, col = within / here;
  out[number] = a[row * cols + col];
}

// grouped<<<(rows * cols + 63) / 64, 64>>>(a, out, rows, cols, high);
