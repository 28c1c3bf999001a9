"""Ringside lab 08: serve a small model. KV cache, batching, and tokens per second against the roofline.

    python serve.py
    python serve.py --layers 24 --width 2048 --heads 16 --dtype bfloat16     # on a GPU
"""

import argparse
import json
import time

import torch
from torch import nn
from torch.nn import functional as F


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--kv-heads", type=int, default=2)
    parser.add_argument("--context", type=int, default=256, help="tokens in each prompt")
    parser.add_argument("--tokens", type=int, default=16, help="tokens made for each prompt")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


# [cache]
class Block(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.heads, self.kv_heads, self.size = args.heads, args.kv_heads, args.width // args.heads
        self.q = nn.Linear(args.width, args.width, bias=False)
        self.kv = nn.Linear(args.width, 2 * args.kv_heads * self.size, bias=False)
        self.o = nn.Linear(args.width, args.width, bias=False)
        self.up = nn.Linear(args.width, 4 * args.width, bias=False)
        self.down = nn.Linear(4 * args.width, args.width, bias=False)
        self.norms = nn.ModuleList([nn.RMSNorm(args.width), nn.RMSNorm(args.width)])

    def forward(self, x, cache, at):
        """x: (batch, new tokens, width). The keys and values of the new tokens join those in the cache at `at`."""
        b, t, _ = x.shape
        y = self.norms[0](x)
        q = self.q(y).view(b, t, self.heads, self.size).transpose(1, 2)
        k, v = self.kv(y).view(b, t, 2 * self.kv_heads, self.size).transpose(1, 2).chunk(2, dim=1)
        cache[0][:, :, at:at + t], cache[1][:, :, at:at + t] = k, v
        k, v = cache[0][:, :, :at + t], cache[1][:, :, :at + t]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=t > 1, enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).reshape(b, t, -1))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))


class Model(nn.Module):
    def __init__(self, args, vocabulary=4096):
        super().__init__()
        self.args = args
        self.embed = nn.Embedding(vocabulary, args.width)
        self.blocks = nn.ModuleList([Block(args) for _ in range(args.layers)])
        self.head = nn.Linear(args.width, vocabulary, bias=False)

    def forward(self, tokens, caches, at):
        x = self.embed(tokens)
        for block, cache in zip(self.blocks, caches):
            x = block(x, cache, at)
        return self.head(x[:, -1])  # only the last token's logits are needed

    def caches(self, batch, room):
        shape = (batch, self.args.kv_heads, room, self.args.width // self.args.heads)
        like = self.head.weight
        return [(like.new_zeros(shape), like.new_zeros(shape)) for _ in self.blocks]
# [/cache]


def timed(run, device):
    if device.type == "cuda":
        torch.cuda.synchronize()
    begin = time.perf_counter()
    out = run()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - begin, out


# [serve]
def serve(model, prompts, tokens, device):
    """Greedy decoding. Seconds for the prefill and, at the median, for one step of decoding; and the bytes of the cache."""
    batch, length = prompts.shape
    caches = model.caches(batch, length + tokens)
    prefill, logits = timed(lambda: model(prompts, caches, 0), device)
    made, steps = [logits.argmax(-1)], []
    for i in range(tokens - 1):
        took, logits = timed(lambda: model(made[-1][:, None], caches, length + i), device)
        steps.append(took)
        made.append(logits.argmax(-1))
    cache_bytes = sum(t.numel() * t.element_size() for pair in caches for t in pair)
    return prefill, sorted(steps)[len(steps) // 2], cache_bytes
# [/serve]


def cache_error(args, device, off=0):
    """The largest difference that the cache makes to a logit, over the largest logit. With `off`, keys and values land in wrong places.

    In fp32, where rounding is far smaller than what a wrong mask does; in 16 bits the two would look alike."""
    torch.manual_seed(0)
    model = Model(argparse.Namespace(**{**vars(args), "layers": 2})).to(device)
    rows = torch.randint(4096, (2, 24), generator=torch.Generator().manual_seed(2)).to(device)
    caches, errors = model.caches(2, 24), []
    model(rows[:, :16], caches, 0)
    for at in range(16, 24):
        cached = model(rows[:, at:at + 1], caches, at - off)
        whole = model(rows[:, :at + 1], model.caches(2, at + 1), 0)
        errors.append(((cached - whole).abs().max() / whole.abs().max()).item())
    return max(errors)


def machine(device, dtype):
    """What a matmul and reading memory reach here: FLOP/s and bytes/s, the best of five."""
    cuda = device.type == "cuda"
    n, times = (8192, 20) if cuda else (2048, 1)  # on a GPU one launch would be a part of what is timed
    a = torch.randn(n, n, device=device, dtype=dtype)
    long = torch.randn((512 if cuda else 64) << 20, device=device, dtype=dtype)
    repeat = lambda run: timed(lambda: [run() for _ in range(times)], device)[0] / times
    flops = max(2 * n**3 / repeat(lambda: a @ a) for _ in range(5))
    bandwidth = max(long.nbytes / repeat(long.sum) for _ in range(5))
    return flops, bandwidth


@torch.inference_mode()
def main():
    args = arguments()
    device = torch.device("cuda" if torch.cuda.is_available() and not args.cpu else "cpu")
    dtype = getattr(torch, args.dtype)
    errors = cache_error(args, device), cache_error(args, device, off=1)
    torch.manual_seed(0)
    model = Model(args).to(device, dtype)
    flops, bandwidth = machine(device, dtype)
    prompts = torch.randint(4096, (max(args.batches), args.context), generator=torch.Generator().manual_seed(1)).to(device)
    rows = []
    for batch in args.batches:
        try:
            prefill, step, cache = serve(model, prompts[:batch], args.tokens, device)
        except torch.OutOfMemoryError:
            print(f"batch {batch:>3}: out of memory; the report has the smaller ones")
            break
        rows.append([batch, prefill, step, cache])
        print(f"batch {batch:>3}: prefill {prefill * 1e3:8.1f} ms, a step {step * 1e3:7.2f} ms, {batch / step:8.1f} tokens/s")
    read = sum(p.numel() * p.element_size() for n, p in model.named_parameters() if "embed" not in n)
    report({"lab": "serve", "version": 2, "device": str(device), "torch": torch.__version__, "layers": args.layers,
            "width": args.width, "heads": args.heads, "kv_heads": args.kv_heads, "context": args.context,
            "tokens": args.tokens, "bytes": dtype.itemsize, "weight_bytes": read, "flops": flops, "bandwidth": bandwidth,
            "cache_error": errors[0], "cache_error_if_wrong": errors[1], "rows": rows})


def report(result):
    print(f"===== ringside lab =====\n{json.dumps(result)}\n===== end =====", flush=True)


if __name__ == "__main__":
    main()
