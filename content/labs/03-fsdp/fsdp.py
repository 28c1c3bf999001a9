"""Ringside lab 03: ZeRO's three stages and FSDP2, memory by rank and bytes sent.

    torchrun --nproc-per-node 2 fsdp.py
    torchrun --nproc-per-node 8 fsdp.py --layers 24 --width 2048
"""

import argparse
import gc
import json
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


def model_of(args, device):
    torch.manual_seed(0)
    return nn.Sequential(*[nn.Linear(args.width, args.width, bias=False) for _ in range(args.layers)]).to(device)


# [zero]
class Zero:
    """Adam over one flat parameter. Stage 1 shards its states, stage 2 the gradients too."""

    def __init__(self, model, stage):
        self.model, self.stage, self.sent = model, stage, 0
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        with torch.no_grad():
            self.flat = torch.cat([p.flatten() for p in model.parameters()])
        at = 0
        for p in model.parameters():  # the parameters become views of the flat one
            p.data = self.flat[at:at + p.numel()].view_as(p)
            at += p.numel()
        mine = self.flat.chunk(self.world)[self.rank] if stage >= 1 else self.flat
        self.master = nn.Parameter(mine, requires_grad=True)  # the same memory: fp32 needs no second copy
        self.adam = torch.optim.Adam([self.master], lr=1e-3)

    def count(self, times, whole):
        """What a ring sends from each rank: gather and reduce-scatter (n − 1)/n of the whole, all-reduce twice that."""
        self.sent += times * bytes_of([whole]) * (self.world - 1) // self.world

    def step(self):
        self.gradient = self.master.grad = None  # the last step's
        whole = torch.cat([p.grad.flatten() for p in self.model.parameters()]).div_(self.world)
        for p in self.model.parameters():
            p.grad = None
        if self.stage == 0:
            dist.all_reduce(whole)
            self.count(2, whole)
            self.master.grad = self.gradient = whole
        else:
            self.master.grad = torch.empty_like(self.master)
            dist.reduce_scatter_tensor(self.master.grad, whole)
            self.count(1, whole)
            self.gradient = whole if self.stage == 1 else self.master.grad  # stage 2 lets the whole go
        self.adam.step()
        if self.stage >= 1:
            # The pieces that the others have updated. In place: every rank's piece is a part of `flat`.
            dist.all_gather_into_tensor(self.flat, self.master.detach().clone())
            self.count(1, self.flat)

    def memory(self):
        return {"parameters": bytes_of([self.flat]), "gradients": bytes_of([self.gradient]),
                "states": bytes_of(t for s in self.adam.state.values() for t in s.values() if t.numel() > 1)}
# [/zero]


# [fsdp2]
def fsdp2(args, device):
    """Stage 3: each block's weights are gathered for its forward and for its backward, and freed again."""
    rank, world = dist.get_rank(), dist.get_world_size()
    with torch.device("meta"):  # shapes without memory: no rank ever holds the whole model
        model = model_of(args, "meta")
    mesh = init_device_mesh(device.type, (world,))
    for block in model:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    model.to_empty(device=device)  # memory for this rank's rows alone
    torch.manual_seed(0)
    for block in model:  # the weights of the other stages, one matrix at a time
        rows = nn.Linear(args.width, args.width, bias=False).weight.detach().chunk(world)[rank]
        block.weight.to_local().detach().copy_(rows)
    return model
# [/fsdp2]


def bytes_of(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def local(tensors):
    return [t.to_local() for t in tensors]


def batch(args, device):
    return torch.randn(16, args.width, generator=torch.Generator().manual_seed(dist.get_rank())).to(device)


def run(args, stage, device):
    """Three steps of one stage: what the rank holds, the loss, and the peak. Whatever it allocated is free when it returns."""
    world = dist.get_world_size()
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    if stage == 3:
        model = fsdp2(args, device)
        adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    else:
        model = model_of(args, device)
        zero = Zero(model, stage)
    for _ in range(3):
        loss = model(batch(args, device)).square().mean()
        loss.backward()
        if stage == 3:
            adam.step()
            gradients = bytes_of(local([p.grad for p in model.parameters()]))
            adam.zero_grad()
        else:
            zero.step()
    if stage == 3:
        held = {"parameters": bytes_of(local(model.parameters())), "gradients": gradients,
                "states": bytes_of(local(t for s in adam.state.values() for t in s.values() if t.numel() > 1))}
    else:
        held = zero.memory() | {"sent": zero.sent // 3}
    total = loss.detach().clone()
    dist.all_reduce(total)
    return held, total.item() / world, torch.cuda.max_memory_allocated() if device.type == "cuda" else None


def main():
    args = arguments()
    cuda = torch.cuda.is_available() and not args.cpu
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device, world = torch.device("cuda" if cuda else "cpu"), dist.get_world_size()
    if args.width % world:
        raise SystemExit(f"--width is {args.width}; it must be a multiple of the {world} ranks, so that every rank has as many rows.")
    stages, losses, peaks = {}, {}, {}
    for stage in (0, 1, 2, 3):
        stages[stage], losses[stage], peaks[stage] = run(args, stage, device)
    if dist.get_rank() == 0:
        report({"lab": "fsdp", "version": 1, "world": world, "device": str(device), "torch": torch.__version__,
                "layers": args.layers, "width": args.width, "parameters": args.layers * args.width**2,
                "stages": stages, "losses": losses, "peaks": peaks})
    dist.destroy_process_group()


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
