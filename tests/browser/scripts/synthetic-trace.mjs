// A trace of PyTorch's profiler with so many events, made up: nested operators, launches, kernels on three streams and collectives.

const KERNELS = ["void gemm_bf16<128, 128>(float const*)", "void at::native::vectorized_elementwise_kernel<4>(int)", "flash_fwd_kernel", "layer_norm_kernel"];
const OPERATORS = ["aten::linear", "aten::addmm", "aten::mm", "aten::add_", "aten::layer_norm"];

/** The text of the trace of a rank. */
export function synthetic(events, rank = 0) {
  const out = [];
  const span = (name, cat, pid, tid, ts, dur, args = {}) =>
    out.push(`{"ph":"X","cat":"${cat}","name":"${name}","pid":${pid},"tid":${tid},"ts":${ts.toFixed(3)},"dur":${dur.toFixed(3)},"args":${JSON.stringify(args)}}`);
  // What looks random and is the same every time.
  let seed = 1 + rank;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  let [cpu, gpu, net] = [0, 60, 100];
  for (let i = 1; out.length < events - 5; i++) {
    const work = 1 + 20 * random() ** 3;
    span(OPERATORS[i % 5], "cpu_op", 1, 1, cpu, 9);
    span(OPERATORS[(i + 1) % 5], "cpu_op", 1, 1, cpu + 1, 7);
    span("cudaLaunchKernel", "cuda_runtime", 1, 1, cpu + 3, 3, { correlation: i });
    gpu = Math.max(gpu, cpu + 8);
    span(KERNELS[i % 4], "kernel", 0, i % 7 ? 7 : 13, gpu, work, { stream: i % 7 ? 7 : 13, correlation: i });
    if (i % 10 === 0) {
      net = Math.max(net, gpu);
      span("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "kernel", 0, 20, net, 60, { stream: 20, correlation: i, "Collective name": "allreduce" });
      net += 65;
    }
    cpu += 9 + 2 * random();
    gpu += work + 0.4;
  }
  return `{"distributedInfo":{"rank":${rank},"world_size":2},"traceEvents":[\n${out.join(",\n")}\n]}`;
}
