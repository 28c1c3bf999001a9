"""Ringside lab 02: data parallelism from scratch, held against DistributedDataParallel bit by bit.

    torchrun --nproc-per-node 2 ddp.py
    torchrun --nproc-per-node 8 ddp.py --layers 24 --width 1024 --bucket-mb 25
"""

import argparse
import copy
import json
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--batch", type=int, default=64, help="rows on each rank")
    parser.add_argument("--bucket-mb", type=float, default=4.0, help="a bucket is sent once it holds so many MiB")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


# [ddp]
class Buckets:
    """Averages gradients over the ranks, a bucket at a time, while the backward pass goes on."""

    def __init__(self, model, limit, overlap=True):
        self.overlap, self.buckets, self.waiting = overlap, [], []
        bucket, size = [], 0
        # Gradients arrive from the last layer to the first, so buckets are filled in that order.
        for parameter in reversed(list(model.parameters())):
            bucket.append(parameter)
            size += parameter.numel() * parameter.element_size()
            if size >= limit:
                self.buckets.append(bucket)
                bucket, size = [], 0
        if bucket:
            self.buckets.append(bucket)
        self.missing = [len(b) for b in self.buckets]
        for index, bucket in enumerate(self.buckets):
            for parameter in bucket:
                parameter.register_post_accumulate_grad_hook(lambda _, index=index: self.arrived(index))

    def arrived(self, index):
        self.missing[index] -= 1
        if self.missing[index] == 0 and self.overlap:
            self.send(index)

    def send(self, index):
        flat = torch.cat([p.grad.flatten() for p in self.buckets[index]]) / dist.get_world_size()
        self.waiting.append((dist.all_reduce(flat, async_op=True), flat, index))  # returns at once

    def finish(self):
        """Call it between backward and the optimizer's step."""
        if not self.overlap:
            for index in range(len(self.buckets)):
                self.send(index)
        for work, flat, index in self.waiting:
            work.wait()
            pieces = flat.split([p.numel() for p in self.buckets[index]])
            for parameter, piece in zip(self.buckets[index], pieces):
                parameter.grad.copy_(piece.view_as(parameter))
        self.waiting, self.missing = [], [len(b) for b in self.buckets]
# [/ddp]


def model_of(args, device):
    torch.manual_seed(0)  # the same weights on every rank
    layers = []
    for _ in range(args.layers):
        layers += [nn.Linear(args.width, args.width), nn.GELU()]
    return nn.Sequential(*layers).to(device)


def train(model, args, device, after_backward):
    """Seconds for one step, at the median, and the parameters that come out."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.Generator().manual_seed(1 + dist.get_rank())  # other rows on every rank
    times = []
    for _ in range(args.steps):
        rows = torch.randn(args.batch, args.width, generator=data).to(device)
        wait(device)
        dist.barrier()
        begin = time.perf_counter()
        optimizer.zero_grad()
        model(rows).square().mean().backward()
        after_backward()
        optimizer.step()
        wait(device)
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 2], [p.detach().clone() for p in model.parameters()]


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def same_bits(ours, theirs):
    return all(torch.equal(a, b) for a, b in zip(ours, theirs))


def main():
    args = arguments()
    cuda = torch.cuda.is_available() and not args.cpu
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda" if cuda else "cpu")
    first, limit = model_of(args, device), args.bucket_mb * 2**20

    reference = DistributedDataParallel(copy.deepcopy(first), bucket_cap_mb=args.bucket_mb)
    ddp_seconds, theirs = train(reference, args, device, lambda: None)
    results = {}
    for overlap in (True, False):
        model = copy.deepcopy(first)
        buckets = Buckets(model, limit, overlap)
        results[overlap] = train(model, args, device, buckets.finish)
    alone_seconds, alone = train(copy.deepcopy(first), args, device, lambda: None)  # nothing is sent

    if dist.get_rank() == 0:
        sizes = [sum(p.numel() * p.element_size() for p in b) for b in buckets.buckets]
        report({"lab": "ddp", "version": 1, "world": dist.get_world_size(), "device": str(device), "torch": torch.__version__,
                "layers": args.layers, "width": args.width, "batch": args.batch, "bucket_mb": args.bucket_mb,
                "buckets": sizes, "same_bits": same_bits(results[True][1], theirs),
                "alone_differs": not same_bits(alone, theirs), "compute_seconds": alone_seconds,
                "overlap_seconds": results[True][0], "serial_seconds": results[False][0], "ddp_seconds": ddp_seconds})
    dist.destroy_process_group()


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
