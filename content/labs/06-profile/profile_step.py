"""Ringside lab 06: one training step under the profiler, sound and with a fault of your choice.

    python profile_step.py                          # writes sound.pt.trace.json and loader.pt.trace.json
    python profile_step.py --fault sync             # .item() after every layer
    torchrun --nproc-per-node 2 profile_step.py --fault straggler

Drop the files on the trace detective: https://… /w/trace-detective/ reads them in your browser.
"""

import argparse
import json
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function, schedule


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", choices=["loader", "sync", "small", "straggler"], default="loader")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that a slow loader or a slow rank loses")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


class Model(nn.Module):
    def __init__(self, args, fault):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(args.width, args.width, bias=False) for _ in range(args.layers)])
        self.fault = fault

    def forward(self, rows):
        for layer in self.layers:
            rows = layer(rows).relu()
            if self.fault == "sync":
                rows.sum().item()  # the CPU waits for the GPU here, and has launched nothing ahead
            if self.fault == "small":
                for _ in range(50):
                    rows = rows + 0.0  # fifty kernels with nothing to do
        return rows.square().mean()


# [step]
def step(model, optimizer, args, fault, device):
    with record_function("load"):
        if fault == "loader":
            time.sleep(args.delay)
        rows = torch.randn(args.batch, args.width, device=device)
    with record_function("forward"):
        if fault == "straggler" and rank() == 1:
            time.sleep(args.delay)
        loss = model(rows)
    with record_function("backward"):
        loss.backward()
    with record_function("optimizer"):
        optimizer.step()
        optimizer.zero_grad()
# [/step]


# [record]
def recorded(args, fault, device, path):
    """Seconds for a step, at the median of five, and the FLOPs of one as the profiler counts them."""
    torch.manual_seed(0)
    model = Model(args, fault).to(device)
    if dist.is_initialized():
        model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device.type == "cuda" else [])
    times = []
    # One step is skipped, two warm the profiler up, two are kept: the first steps allocate, and would mislead.
    with profile(activities=activities, schedule=schedule(wait=1, warmup=2, active=2), with_flops=True,
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as profiler:
        for _ in range(5):
            if device.type == "cuda":
                torch.cuda.synchronize()
            begin = time.perf_counter()
            step(model, optimizer, args, fault, device)
            if device.type == "cuda":
                torch.cuda.synchronize()
            times.append(time.perf_counter() - begin)
            profiler.step()
    events = profiler.key_averages()
    return {"seconds": sorted(times)[2], "flops": sum(e.flops or 0 for e in events) / 2,
            "matmuls": sum(e.count for e in events if e.key == "aten::mm") / 2, "trace": path}
# [/record]


def rank():
    return dist.get_rank() if dist.is_initialized() else 0


def launch_seconds(device):
    """What one launch costs: a thousand additions to a single number."""
    one = torch.zeros(1, device=device)
    for round in range(2):
        begin = time.perf_counter()
        for _ in range(1000):
            one.add_(1)
        took = time.perf_counter() - begin
    return took / 1000


def main():
    args = arguments()
    cuda = torch.cuda.is_available() and not args.cpu
    if "RANK" in os.environ:
        if cuda:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda" if cuda else "cpu")
    end = f".rank{rank()}.pt.trace.json" if dist.is_initialized() else ".pt.trace.json"
    runs = {name: recorded(args, fault, device, name + end) for name, fault in [("sound", ""), (args.fault, args.fault)]}
    if rank() == 0:
        report({"lab": "profile", "version": 1, "world": dist.get_world_size() if dist.is_initialized() else 1,
                "device": str(device), "torch": torch.__version__, "layers": args.layers, "width": args.width,
                "batch": args.batch, "fault": args.fault, "delay": args.delay,
                "launch_seconds": launch_seconds(device), "sound": runs["sound"], "faulty": runs[args.fault]})
    if dist.is_initialized():
        dist.destroy_process_group()


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
