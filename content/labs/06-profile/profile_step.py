"""Ringside lab 06: one training step under the profiler, sound and with a fault of your choice.

    python profile_step.py                          # writes sound.pt.trace.json and loader.pt.trace.json
    python profile_step.py --fault sync             # .item() after every layer
    python profile_step.py --fault blind            # one of three, and nothing says which
    torchrun --nproc-per-node 2 profile_step.py --fault straggler

Drop the files on the trace detective: https://… /w/trace-detective/ reads them in your browser.
"""

import argparse
import json
import os
import random
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.data import DataLoader, Dataset


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", choices=["loader", "sync", "small", "straggler", "blind"], default="loader")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, help="1024 on a CPU, 4096 on a GPU: a matmul must last longer than its launch")
    parser.add_argument("--batch", type=int, help="128 on a CPU, 2048 on a GPU")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that a slow loader or a slow rank loses")
    parser.add_argument("--small", type=int, default=1000, help="additions to one number that the fault `small` puts after each layer")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


class Batches(Dataset):
    """Reads a batch, slowly if that is the fault."""
    def __init__(self, args, fault):
        self.shape, self.delay = (args.batch, args.width), args.delay if fault == "loader" else 0.0

    def __len__(self):
        return 1000

    def __getitem__(self, index):
        time.sleep(self.delay)
        return torch.randn(self.shape)


class Model(nn.Module):
    def __init__(self, args, fault):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(args.width, args.width, bias=False) for _ in range(args.layers)])
        self.register_buffer("one", torch.zeros(1))
        self.fault, self.small = fault, args.small

    def forward(self, rows):
        for layer in self.layers:
            rows = layer(rows).relu()
            if self.fault == "sync":
                rows.sum().item()  # the CPU waits for the GPU here, and has launched nothing ahead
            if self.fault == "small":
                for _ in range(self.small):
                    self.one.add_(1)  # a kernel that is over before the next one is launched
        return rows.square().mean()


# [step]
def step(model, optimizer, batches, args, fault, device):
    rows = next(batches).to(device)  # the profiler marks what a DataLoader does by itself
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
    """Seconds for a step without the profiler, and the FLOPs of one as the profiler counts them."""
    torch.manual_seed(0)
    model = Model(args, fault).to(device)
    if dist.is_initialized():
        model = DistributedDataParallel(model, broadcast_buffers=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = iter(DataLoader(Batches(args, fault), batch_size=None, pin_memory=device.type == "cuda"))
    one = lambda: step(model, optimizer, batches, args, fault, device)
    for _ in range(3):  # the first steps allocate, and would mislead
        one()
    means = []
    for _ in range(3):  # the GPU is waited for at the ends only: within, the CPU may run ahead
        wait(device)
        begin = time.perf_counter()
        for _ in range(5):
            one()
        wait(device)
        means.append((time.perf_counter() - begin) / 5)
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device.type == "cuda" else [])
    with profile(activities=activities, schedule=schedule(wait=0, warmup=1, active=2, repeat=1), with_flops=True,
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as profiler:
        for _ in range(3):  # one warms the profiler up, two are kept
            one()
            profiler.step()
    events = profiler.key_averages()
    return {"seconds": sorted(means)[1], "flops": sum(e.flops or 0 for e in events) / 2,
            "matmuls": sum(e.count for e in events if e.key == "aten::mm") / 2, "trace": path}
# [/record]


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


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
    elif args.fault == "straggler":
        raise SystemExit("A straggler needs others that wait for it: start this with torchrun --nproc-per-node 2.")
    device = torch.device("cuda" if cuda else "cpu")
    args.width, args.batch = args.width or (4096 if cuda else 1024), args.batch or (2048 if cuda else 128)
    fault = args.fault
    if fault == "blind":
        fault = random.SystemRandom().choice(["loader", "sync", "small"])
        with open("blind.answer.txt", "w") as file:
            file.write(fault + "\n")
    end = f".rank{rank()}.pt.trace.json" if dist.is_initialized() else ".pt.trace.json"
    runs = {name: recorded(args, kind, device, name + end) for name, kind in [("sound", ""), (args.fault, fault)]}
    if rank() == 0:
        report({"lab": "profile", "version": 1, "world": dist.get_world_size() if dist.is_initialized() else 1,
                "device": str(device), "torch": torch.__version__, "layers": args.layers, "width": args.width,
                "batch": args.batch, "fault": args.fault, "delay": args.delay, "small": args.small,
                "launch_seconds": launch_seconds(device), "sound": runs["sound"], "faulty": runs[args.fault]})
    if dist.is_initialized():
        dist.destroy_process_group()


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
