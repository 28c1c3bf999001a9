"""Ringside lab 01: processes, ranks and collectives, timed.

    torchrun --nproc-per-node 2 collectives.py              # a laptop: two processes, gloo
    torchrun --nproc-per-node 8 collectives.py              # a node: one process for each GPU, nccl

Every process runs this whole file. What tells them apart is RANK.
"""

import argparse
import json
import os
import time

import torch
import torch.distributed as dist


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--op", choices=["all_reduce", "all_gather", "reduce_scatter", "broadcast"], default="all_reduce")
    parser.add_argument("--largest", type=int, default=64 << 20, help="bytes of the largest message (default 64 MiB)")
    parser.add_argument("--repeats", type=int, default=20, help="timed runs for each size; the median counts")
    parser.add_argument("--cpu", action="store_true", help="gloo on the CPU even where there are GPUs")
    return parser.parse_args()


# [setup]
def setup(args):
    """Joins the group. torchrun has set RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT."""
    cuda = torch.cuda.is_available() and not args.cpu
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda" if cuda else "cpu")
# [/setup]


# [call]
def collective(op, elements, device):
    """A function that runs the collective once. `elements` are those of the larger side, as nccl-tests counts them."""
    world = dist.get_world_size()
    whole = torch.ones(elements, device=device)
    piece = torch.ones(elements // world, device=device)
    return {
        "all_reduce": lambda: dist.all_reduce(whole),
        "all_gather": lambda: dist.all_gather_into_tensor(whole, piece),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(piece, whole),
        "broadcast": lambda: dist.broadcast(whole, src=0),
    }[op]
# [/call]


def wait(device):
    """A CUDA call returns before the GPU has done it: without this the clock would time the launch."""
    if device.type == "cuda":
        torch.cuda.synchronize()


# [time]
def seconds(run, repeats, device):
    """The median of the slowest rank's times: a collective is over when its last rank is."""
    for _ in range(3):  # the first calls open connections
        run()
    times = []
    for _ in range(repeats):
        wait(device)
        dist.barrier()
        begin = time.perf_counter()
        run()
        wait(device)
        times.append(time.perf_counter() - begin)
    slowest = torch.tensor(times, device=device, dtype=torch.float64 if device.type == "cpu" else torch.float32)
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    return slowest.median().item()
# [/time]


def bus_factor(op, world):
    """What nccl-tests multiplies algbw by, so that it can be held against the speed of a link (PERFORMANCE.md)."""
    return {"all_reduce": 2 * (world - 1) / world, "broadcast": 1.0}.get(op, (world - 1) / world)


def is_right(device):
    """Rank r gives r + 1: the sum is n(n + 1)/2 everywhere."""
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = torch.full((8,), float(rank + 1), device=device)
    dist.all_reduce(mine)
    return bool((mine == world * (world + 1) / 2).all())


def main():
    args = arguments()
    device = setup(args)
    rank, world = dist.get_rank(), dist.get_world_size()
    print(f"rank {rank} of {world}, local rank {os.environ.get('LOCAL_RANK')}, on {device}", flush=True)
    right = is_right(device)
    points, size = [], 1024
    while size <= args.largest:
        elements = max(size // 4 // world * world, world)
        took = seconds(collective(args.op, elements, device), args.repeats, device)
        points.append([elements * 4, took])
        if rank == 0:
            algbw = elements * 4 / took
            print(f"{elements * 4:>12} B {took * 1e6:>10.1f} µs  algbw {algbw / 1e9:>8.3f} GB/s  "
                  f"busbw {algbw * bus_factor(args.op, world) / 1e9:>8.3f} GB/s", flush=True)
        size *= 4
    if rank == 0:
        report({"lab": "collectives", "version": 1, "world": world, "device": name(device), "backend": dist.get_backend(),
                "torch": torch.__version__, "op": args.op, "right": right, "points": points})
    dist.destroy_process_group()


def name(device):
    return torch.cuda.get_device_name() if device.type == "cuda" else f"cpu, {torch.get_num_threads()} threads"


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
