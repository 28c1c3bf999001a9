"""Ringside lab 07: tensor and pipeline parallelism in miniature.

    torchrun --nproc-per-node 2 parallel.py
    torchrun --nproc-per-node 4 parallel.py --width 4096
"""

import argparse
import json
import os
import time

import torch
import torch.distributed as dist
from torch import nn


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--rows", type=int, default=256, help="of one micro-batch")
    parser.add_argument("--layers", type=int, default=4, help="in each stage of the pipeline")
    parser.add_argument("--microbatches", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


# [tensor]
class Reduce(torch.autograd.Function):
    """Megatron's g: the sum over the ranks on the way forward, nothing on the way back."""
    @staticmethod
    def forward(ctx, partial):
        whole = partial.clone()
        dist.all_reduce(whole)
        return whole

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Copy(torch.autograd.Function):
    """Megatron's f: nothing forward, the sum on the way back."""
    @staticmethod
    def forward(ctx, rows):
        return rows

    @staticmethod
    def backward(ctx, gradient):
        whole = gradient.clone()
        dist.all_reduce(whole)
        return whole


def tensor_parallel_mlp(rows, up, down):
    """`up` is cut by columns and `down` by rows, so that GELU needs no communication between them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    my_up, my_down = up.chunk(world, dim=0)[rank], down.chunk(world, dim=1)[rank]  # nn.Linear keeps (out, in)
    hidden = nn.functional.gelu(Copy.apply(rows) @ my_up.T)
    return Reduce.apply(hidden @ my_down.T)
# [/tensor]


def check_tensor_parallel(args, device):
    torch.manual_seed(0)
    up = torch.randn(4 * args.width, args.width, device=device) / args.width**0.5
    down = torch.randn(args.width, 4 * args.width, device=device) / args.width**0.5
    outs = []
    for mlp in (lambda x: nn.functional.gelu(x @ up.T) @ down.T, lambda x: tensor_parallel_mlp(x, up, down)):
        rows = torch.randn(args.rows, args.width, generator=torch.Generator().manual_seed(1)).to(device).requires_grad_()
        out = mlp(rows)
        out.square().mean().backward()
        outs.append((out.detach(), rows.grad))
    error = [((a - b).abs().max() / a.abs().max()).item() for a, b in zip(*outs)]
    return {"forward_error": error[0], "backward_error": error[1], "reduced_bytes": 2 * outs[0][0].numel() * 4}


# [pipeline]
def one_f_one_b(stage, inputs, shape, device):
    """A step of 1F1B on this rank: warm-up forwards, then one forward and one backward in turn, then the rest."""
    rank, world, count = dist.get_rank(), dist.get_world_size(), len(inputs)
    first, last, kept = rank == 0, rank == world - 1, []

    def swap(peer, sent=None, receives=True):
        """Sends to a neighbor and receives from it in one batch, so that neither waits for the other's send to be taken."""
        if not 0 <= peer < world or (sent is None and not receives):
            return None
        got = torch.empty(shape, device=device)
        ops = [dist.P2POp(dist.isend, sent, peer)] if sent is not None else []
        ops += [dist.P2POp(dist.irecv, got, peer)] if receives else []
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        return got

    def forward(index, got):
        rows = inputs[index] if first else got.requires_grad_()
        out = stage(rows).square().mean() / count if last else stage(rows)
        kept.append((rows, out))
        return out.detach()

    def backward(gradient):
        rows, out = kept.pop(0)
        out.backward(gradient)
        return rows.grad

    warm_up = min(world - 1 - rank, count)
    for index in range(warm_up):
        out = forward(index, swap(rank - 1))
        swap(rank + 1, out, receives=False)
    rows = swap(rank - 1, receives=warm_up < count)
    for index in range(warm_up, count):
        out = forward(index, rows)
        gradient = swap(rank + 1, out)  # an activation leaves while a gradient arrives
        gradient = backward(gradient)
        rows = swap(rank - 1, gradient, receives=index + 1 < count)  # and the other way round
    for _ in range(warm_up):
        swap(rank - 1, backward(swap(rank + 1)), receives=False)
# [/pipeline]


def pipeline_times(args, device):
    torch.manual_seed(dist.get_rank())
    layers = [m for _ in range(args.layers) for m in (nn.Linear(args.width, args.width), nn.GELU())]
    stage, shape, times = nn.Sequential(*layers).to(device), (args.rows, args.width), []
    for count in args.microbatches:
        inputs = [torch.randn(shape, device=device) for _ in range(count)]
        runs = []
        for _ in range(7):
            stage.zero_grad()
            dist.barrier()
            begin = time.perf_counter()
            one_f_one_b(stage, inputs, shape, device)
            if device.type == "cuda":
                torch.cuda.synchronize()
            dist.barrier()
            runs.append(time.perf_counter() - begin)
        times.append([count, sorted(runs)[3]])
    return times


def main():
    args = arguments()
    cuda = torch.cuda.is_available() and not args.cpu
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda" if cuda else "cpu")
    result = check_tensor_parallel(args, device) | {"times": pipeline_times(args, device)}
    if dist.get_rank() == 0:
        report({"lab": "parallel", "version": 1, "world": dist.get_world_size(), "device": str(device),
                "torch": torch.__version__, "width": args.width, "rows": args.rows, "layers": args.layers, **result})
    dist.destroy_process_group()


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
