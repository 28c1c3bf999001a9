"""Ringside lab 04: fp32, bf16 and fp16 with a loss scaler that overflows.

    python mixed_precision.py               # one process: CPU or one GPU
    python mixed_precision.py --steps 400 --interval 50
"""

import argparse
import json
import math

import torch
from torch import nn


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--unit", type=float, default=0.01, help="what the network's output is multiplied by; 1 lets fp16 do without a scale")
    parser.add_argument("--scale", type=float, default=2.0**40, help="the scaler's first scale; PyTorch's own default is 2¹⁶")
    parser.add_argument("--interval", type=int, default=30, help="clean steps until the scale is doubled")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


def model_of(args, device):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(args.width, args.width), nn.GELU(), nn.Linear(args.width, args.width)).to(device)


def batch(args, step, device, teacher):
    rows = torch.randn(64, args.width, generator=torch.Generator().manual_seed(step)).to(device)
    return rows, args.unit * teacher(rows).detach()


# [train]
def train(args, device, dtype, teacher, scaled):
    """The losses, the scale before each step, and the steps that the scaler skipped."""
    model = model_of(args, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-16)  # far below the gradients
    scaler = torch.amp.GradScaler(device.type, init_scale=args.scale, growth_interval=args.interval, enabled=scaled)
    losses, scales, skipped = [], [], []
    for step in range(args.steps):
        rows, target = batch(args, step, device, teacher)
        scales.append(scaler.get_scale())
        # Matmuls run in `dtype`; the weights, and what the optimizer keeps, stay fp32.
        with torch.autocast(device.type, dtype, enabled=dtype != torch.float32):
            out = model(rows)
        # A small unit makes a small loss, and smaller gradients: those of `out` are kept in `dtype`.
        loss = (args.unit * out.float() - target).square().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # skips the step if a gradient is infinite or NaN
        scaler.update()
        if scaled and scaler.get_scale() < scales[-1]:
            skipped.append(step)
        losses.append(loss.item() / args.unit**2)
    return losses, scales, skipped
# [/train]


# [flushed]
def flushed(args, device, teacher):
    """The share of gradients of the first step that fp16 makes zero, without a scale and with one of 2¹⁰."""
    shares = []
    for scale in (1.0, 1024.0):
        model = model_of(args, device)
        rows, target = batch(args, 0, device, teacher)
        loss = (args.unit * model(rows) - target).square().mean()
        (loss * scale).backward()
        gradients = torch.cat([p.grad.flatten() for p in model.parameters()])
        shares.append(((gradients.half() == 0) & (gradients != 0)).float().mean().item())
    return shares
# [/flushed]


def main():
    args = arguments()
    cuda = torch.cuda.is_available() and not args.cpu
    device = torch.device("cuda" if cuda else "cpu")
    torch.manual_seed(1)
    teacher = nn.Sequential(nn.Linear(args.width, args.width), nn.Tanh()).to(device)
    runs = {}
    for name, dtype, scaled in [("fp32", torch.float32, False), ("bf16", torch.bfloat16, False),
                                ("fp16", torch.float16, True), ("fp16-unscaled", torch.float16, False)]:
        losses, scales, skipped = train(args, device, dtype, teacher, scaled)
        runs[name] = {"losses": [round(x, 5) for x in losses[:: max(args.steps // 20, 1)]], "last": losses[-1], "finite": all(map(math.isfinite, losses))}
        if scaled:
            runs[name] |= {"scales": scales, "skipped": skipped}
        print(f"{name:>14}: {losses[0]:.4f} → {losses[-1]:.4f}, {len(skipped)} steps skipped")
    report({"lab": "mixed-precision", "version": 1, "device": str(device), "torch": torch.__version__, "steps": args.steps,
            "unit": args.unit, "scale": args.scale, "interval": args.interval, "runs": runs, "flushed": flushed(args, device, teacher)})


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
