"""Ringside lab 10: ring attention. One sequence over several ranks, exactly; and who has how much of the causal work.

    torchrun --nproc-per-node 4 ring_attention.py
    torchrun --nproc-per-node 8 ring_attention.py --tokens 8192 --heads 32 --size 128
"""

import argparse
import json
import os

import torch
import torch.distributed as dist
from torch.nn import functional as F


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=512, help="of the whole sequence; a multiple of twice the ranks")
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--size", type=int, default=64, help="of a head")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


# [split]
def contiguous(tokens, world):
    """Rank r has the r-th piece. Under a causal mask the last rank has most of the work."""
    return list(torch.arange(tokens).chunk(world))


def zigzag(tokens, world):
    """Rank r has the r-th piece of 2n from the front and the r-th from the back: a cheap one and a dear one."""
    pieces = torch.arange(tokens).chunk(2 * world)
    return [torch.cat([pieces[r], pieces[2 * world - 1 - r]]) for r in range(world)]
# [/split]


# [ring]
def ring_attention(q, k, v, positions):
    """Causal attention for this rank's queries (heads, own tokens, size). Keys and values go once round the ring."""
    rank, world = dist.get_rank(), dist.get_world_size()
    kv, out = torch.stack([k, v]), torch.zeros_like(q)
    highest, total = torch.full(q.shape[:-1], -torch.inf, device=q.device), torch.zeros(q.shape[:-1], device=q.device)
    pairs = sent = 0
    for step in range(world):
        owner = (rank - step) % world  # the first block is its own: every query meets at least itself
        transfers = []
        if step + 1 < world:  # the next block travels while this one is computed
            arriving = torch.empty_like(kv)
            transfers = dist.batch_isend_irecv([dist.P2POp(dist.isend, kv, (rank + 1) % world),
                                                dist.P2POp(dist.irecv, arriving, (rank - 1) % world)])
            sent += kv.nbytes
        allowed = positions[rank][:, None] >= positions[owner][None, :]
        scores = (q @ kv[0].transpose(-1, -2) / q.shape[-1] ** 0.5).masked_fill(~allowed, -torch.inf)
        now = torch.maximum(highest, scores.amax(-1))
        shrink, weights = torch.exp(highest - now), torch.exp(scores - now[..., None])
        total = total * shrink + weights.sum(-1)
        out = out * shrink[..., None] + weights @ kv[1]
        highest, pairs = now, pairs + int(allowed.sum())
        for transfer in transfers:
            transfer.wait()
        kv = arriving if transfers else kv
    return out / total[..., None], pairs, sent
# [/ring]


def check(split, args, device):
    """The largest difference from attention on one rank, the pairs that each rank computed, and the bytes that it sent."""
    rank, world = dist.get_rank(), dist.get_world_size()
    positions = [p.to(device) for p in split(args.tokens, world)]
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(args.heads, args.tokens, args.size, generator=generator).to(device) for _ in range(3))
    whole = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    mine = positions[rank]
    out, pairs, sent = ring_attention(q[:, mine], k[:, mine].contiguous(), v[:, mine].contiguous(), positions)
    error = (out - whole[:, mine]).abs().max() / whole.abs().max()
    dist.all_reduce(error, op=dist.ReduceOp.MAX)
    every = torch.zeros(world, dtype=torch.int64, device=device)
    every[rank] = pairs
    dist.all_reduce(every)
    return {"error": error.item(), "pairs": every.tolist(), "sent": sent}


def main():
    args = arguments()
    cuda = torch.cuda.is_available() and not args.cpu
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device, world = torch.device("cuda" if cuda else "cpu"), dist.get_world_size()
    if args.tokens % (2 * world):
        raise SystemExit(f"--tokens must be a multiple of {2 * world}: zig-zag cuts the sequence into that many pieces.")
    splits = {split.__name__: check(split, args, device) for split in (contiguous, zigzag)}
    if dist.get_rank() == 0:
        report({"lab": "ring-attention", "version": 1, "world": world, "device": device.type, "torch": torch.__version__,
                "tokens": args.tokens, "heads": args.heads, "size": args.size, "splits": splits})
    dist.destroy_process_group()


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
