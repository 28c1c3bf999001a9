"""Ringside lab 05: DeepSpeed's stages and offload, from the JSON that the planner exports.

    deepspeed --num_gpus 8 deepspeed_zero.py --config ds_config.json
    torchrun --nproc-per-node 2 deepspeed_zero.py --cpu            # two processes, gloo; offload is not tried

Needs DeepSpeed (pip install deepspeed). Without --config, stages 0 to 3 are run one after another.
"""

import argparse
import json
import os
import time

os.environ.setdefault("DS_ACCELERATOR", "cpu" if "--cpu" in os.sys.argv else "cuda")

import deepspeed
import torch
import torch.distributed as dist
from torch import nn


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", help="a DeepSpeed JSON, such as the planner's")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--local_rank", type=int, default=0, help="set by the launcher")
    return parser.parse_args()


# [config]
def config_of(args, stage):
    """The planner's file with what this small run needs; or the least that a stage needs."""
    if args.config:
        with open(args.config) as file:
            config = json.load(file)
    else:
        config = {"train_micro_batch_size_per_gpu": 16, "gradient_accumulation_steps": 1,
                  "bf16": {"enabled": True}, "zero_optimization": {"stage": stage}}
    config.pop("train_batch_size", None)  # it follows from the other two and the number of ranks
    config["optimizer"] = {"type": "Adam", "params": {"lr": 1e-3, "torch_adam": True}}
    return config
# [/config]


def model_of(args):
    torch.manual_seed(0)
    return nn.Sequential(*[nn.Linear(args.width, args.width, bias=False) for _ in range(args.layers)])


def bytes_of(tensors):
    return sum(t.numel() * t.element_size() for t in tensors if torch.is_tensor(t))


# [train]
def train(args, stage):
    """What this rank holds after some steps of one stage, in bytes, and a step's seconds."""
    config = config_of(args, stage)
    model = model_of(args)
    engine, optimizer, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
    rows = config["train_micro_batch_size_per_gpu"]
    data = torch.Generator().manual_seed(dist.get_rank())
    times = []
    for _ in range(args.steps):
        begin = time.perf_counter()
        x = torch.randn(rows, args.width, generator=data).to(engine.device, next(engine.module.parameters()).dtype)
        loss = engine(x).float().square().mean()
        engine.backward(loss)
        engine.step()
        times.append(time.perf_counter() - begin)
    inner = getattr(optimizer, "optimizer", optimizer)
    states = [t for state in inner.state.values() for t in state.values() if torch.is_tensor(t) and t.numel() > 1]
    groups = [group["params"] for group in inner.param_groups]
    masters = [p for group in getattr(optimizer, "fp32_partitioned_groups_flat", groups) for p in ([group] if torch.is_tensor(group) else group)]
    held = [getattr(p, "ds_tensor", p) for p in engine.module.parameters()]  # stage 3 keeps a rank's piece there
    result = {"stage": engine.zero_optimization_stage(), "parameters": bytes_of(held), "masters": bytes_of(masters),
              "states": bytes_of(states), "loss": loss.item(), "seconds": sorted(times)[len(times) // 2]}
    engine.destroy()
    return result
# [/train]


def main():
    args = arguments()
    deepspeed.init_distributed("gloo" if args.cpu else "nccl")
    stages = [None] if args.config else [0, 1, 2, 3]
    results = [train(args, stage) for stage in stages]
    if dist.get_rank() == 0:
        report({"lab": "deepspeed", "version": 1, "world": dist.get_world_size(), "device": "cpu" if args.cpu else "cuda",
                "torch": torch.__version__, "deepspeed": deepspeed.__version__, "layers": args.layers, "width": args.width,
                "parameters": args.layers * args.width**2, "stages": results})
    dist.destroy_process_group()


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
