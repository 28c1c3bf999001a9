"""Ringside lab 09: every sharding strategy of FSDP1 and its form in FSDP2, in mixed precision: same bits, same bytes.

    torchrun --nproc-per-node 4 fsdp_in_code.py
    torchrun --nproc-per-node 8 fsdp_in_code.py --node 4 --width 2048
"""

import argparse
import functools
import json
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import (FSDPModule, FullyShardedDataParallel, MixedPrecision, MixedPrecisionPolicy,
                                    ShardingStrategy, fully_shard)
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

STRATEGIES = ["FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--node", type=int, default=2, help="ranks that HYBRID_SHARD takes for a node")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def forward(self, rows):
        return rows + self.down(self.up(rows).relu())


def model_of(args, device):
    torch.manual_seed(0)
    return nn.Sequential(*[Block(args.width) for _ in range(args.layers)]).to(device)


def mesh_of(strategy, args, device):
    world = dist.get_world_size()
    if strategy == "HYBRID_SHARD":
        return init_device_mesh(device.type, (world // args.node, args.node), mesh_dim_names=("replicate", "shard"))
    return init_device_mesh(device.type, (world,))


# [fsdp2]
def fsdp2(model, strategy, mesh):
    """Each block, then the root. The mesh and `reshard_after_forward` say what the strategy said."""
    mixed = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model:
        fully_shard(block, mesh=mesh, mp_policy=mixed, reshard_after_forward=strategy != "SHARD_GRAD_OP")
    return fully_shard(model, mesh=mesh, mp_policy=mixed)
# [/fsdp2]


# [fsdp1]
def fsdp1(model, strategy, mesh, device, block=Block):
    """One call. The policy finds the blocks by their class; whatever it does not find joins the root's unit."""
    return FullyShardedDataParallel(
        model,
        sharding_strategy=ShardingStrategy[strategy],
        auto_wrap_policy=functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={block}),
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
        device_mesh=mesh, device_id=device, use_orig_params=True)
# [/fsdp1]


class Counter:
    """Bytes that a ring sends from this rank: (n − 1)/n of the whole for a gather or a scatter, twice that for a sum."""
    NAMES = ["all_gather_into_tensor", "all_gather", "reduce_scatter_tensor", "all_reduce"]

    def __enter__(self):
        self.gathers, self.bytes, self.between = 0, 0, 0
        self.real = {name: getattr(dist, name) for name in self.NAMES}
        for name in self.NAMES:
            setattr(dist, name, functools.partial(self.count, name))
        return self

    def __exit__(self, *_):
        for name, call in self.real.items():
            setattr(dist, name, call)

    def count(self, name, *tensors, **options):
        given = [*tensors, *[options[k] for k in ("output", "input", "output_tensor", "input_tensor") if k in options]]
        sizes = [sum(t.nbytes for t in g) if isinstance(g, list) else g.nbytes for g in given if isinstance(g, (list, torch.Tensor))]
        n = dist.get_world_size(options.get("group") or next((g for g in given if isinstance(g, dist.ProcessGroup)), None))
        sent = max(sizes) * (n - 1) // n * (2 if name == "all_reduce" else 1)
        self.gathers, self.bytes = self.gathers + name.startswith("all_gather"), self.bytes + sent
        self.between += sent if name == "all_reduce" else 0
        return self.real[name](*tensors, **options)


def local(tensor):
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def step(model, args, device):
    """One forward and one backward pass: what was sent, what stays on the rank, and the whole gradient."""
    rows = torch.randn(16, args.width, generator=torch.Generator().manual_seed(dist.get_rank())).to(device)
    with Counter() as sent:
        out = model(rows)
        out.float().square().mean().backward()
    shards = [local(p) for p in model.parameters()]
    units = sum(isinstance(m, (FSDPModule, FullyShardedDataParallel)) for m in model.modules())
    result = {"units": units, "gathers": sent.gathers, "sent": sent.bytes, "between": sent.between,
              "shard": sum(p.nbytes for p in shards), "low": out.dtype == torch.bfloat16,
              "master": all(p.dtype == torch.float32 for p in shards)}
    if isinstance(model, FSDPModule):
        return result, [p.grad.full_tensor() for p in model.parameters()]
    with FullyShardedDataParallel.summon_full_params(model, with_grads=True):
        return result, [p.grad.clone() for p in model.parameters()]


def main():
    args = arguments()
    cuda = torch.cuda.is_available() and not args.cpu
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    runs = {}
    for strategy in STRATEGIES:
        mesh = mesh_of(strategy, args, device)
        new, after = step(fsdp2(model_of(args, device), strategy, mesh), args, device)
        old, before = step(fsdp1(model_of(args, device), strategy, mesh, device), args, device)
        runs[strategy] = {"fsdp1": old, "fsdp2": new, "same_bits": all(a.equal(b) for a, b in zip(after, before))}
    wrong, _ = step(fsdp1(model_of(args, device), "FULL_SHARD", mesh_of("FULL_SHARD", args, device), device, nn.Conv1d), args, device)
    if dist.get_rank() == 0:
        report({"lab": "fsdp-in-code", "version": 1, "world": dist.get_world_size(), "device": device.type,
                "torch": torch.__version__, "layers": args.layers, "width": args.width, "node": args.node, "runs": runs, "wrong": wrong})
    dist.destroy_process_group()


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
