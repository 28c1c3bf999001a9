"""Runs a program from Ringside on real processes. Save this file as ringside.py beside it, then:

    torchrun --nproc_per_node 4 program.py

It needs PyTorch 2.9 or later. Processes talk over gloo on CPUs, over NCCL where each has a GPU of its own.
"""

import os

import torch
import torch.distributed as dist

_GPU = torch.cuda.is_available() and torch.cuda.device_count() >= int(os.environ.get("LOCAL_WORLD_SIZE", 1))
if _GPU:
    torch.set_default_device(f"cuda:{os.environ['LOCAL_RANK']}")
if "RANK" in os.environ and not dist.is_initialized():
    dist.init_process_group("nccl" if _GPU else "gloo")

submitted = {}


def rank():
    return dist.get_rank()


def world_size():
    return dist.get_world_size()


def _mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    z = (z ^ z >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return z ^ z >> 31


def randn(*size, seed=0):
    """The numbers that Ringside draws: each the sum of twelve uniform ones less 6, from SplitMix64."""
    size = size[0] if size and isinstance(size[0], (list, tuple)) else size
    step, mask = 0x9E3779B97F4A7C15, 0xFFFFFFFFFFFFFFFF
    state, values = _mix(seed + step & mask), []
    for _ in range(torch.Size(size).numel()):
        total = 0.0
        for _ in range(12):
            state = state + step & mask
            total += (_mix(state) >> 11) * (1.0 / (1 << 53))
        values.append(total - 6.0)
    return torch.tensor(values, dtype=torch.float32).reshape(size)


def submit(name, tensor):
    submitted[name] = torch.as_tensor(tensor).detach().cpu()
    print(f"rank {rank()}: {name} = {submitted[name].flatten()[:4].tolist()}", flush=True)


def tag(tensor, kind):
    """On real hardware, PyTorch's memory profiler says what is held for what."""
    return tensor


def compute(flops):
    """On real hardware, computing takes time by itself."""


def step(number):
    """Ringside may end a rank here. On real hardware, kill its process."""


def alive():
    return list(range(world_size()))


def exists(path):
    return os.path.exists(path)
