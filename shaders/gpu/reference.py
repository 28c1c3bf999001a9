"""Completes reference measurements on a machine with an NVIDIA GPU: cuBLAS and PyTorch's attention beside our kernels.

python3 shaders/gpu/reference.py <what `kernels --json` wrote>    (`cargo xtask kernels --reference` runs both)

Reads what our kernels measured, times the same products and attentions by torch in the same session, TF32 off, checks them against f64,
and writes core/src/kernels/reference.json, which chapters 16 and 18 show. Without torch, only ours are written.
"""

import datetime
import json
import math
import pathlib
import sys
import urllib.parse

OUT = pathlib.Path(__file__).parents[2] / "core/src/kernels/reference.json"
COMMAND = "cargo xtask kernels --reference"


def timed(torch, run):
    """Seconds of a run: quartiles of 9 rounds, each of as many runs as take about 30 ms."""

    def once(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(repeats):
            run()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) / 1e3 / repeats

    once(3)
    repeats = max(1, math.ceil(0.03 / once(3)))
    seconds = sorted(once(repeats) for _ in range(9))
    return {"low": seconds[2], "seconds": seconds[4], "high": seconds[6], "rounds": 9, "repeats": repeats}


def entry(device, family, kernel, sizes, flop, times, error, bound, count):
    """One measurement, with the names of `Measured` in core/src/kernels/measured.rs. Bytes are not counted for peers."""
    return {
        "family": family,
        "kernel": kernel,
        "sizes": "&".join(f"{name}={size}" for name, size in sizes.items()),
        "device": device,
        "instead": "",
        "software": False,
        **times,
        "flop": float(flop),
        "asked": 0.0,
        "memory": 0.0,
        "max_error": error,
        "bound": bound,
        "checked": float(count),
        "of": float(count),
        "verified": error <= bound,
    }


def sizes_of(measured, family):
    """The sizes at which kernels of a family were measured, each once."""
    queries = dict.fromkeys(m["sizes"] for m in measured if m["family"] == family)
    return [{name: int(size) for name, size in urllib.parse.parse_qsl(query)} for query in queries]


def peers(torch, measured):
    """cuBLAS and `scaled_dot_product_attention` in f32 and f16, at the sizes at which ours were measured."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    device = torch.cuda.get_device_name()
    rand = lambda *shape: 2 * torch.rand(*shape, device="cuda", dtype=torch.float64) - 1
    for dtype, name, half in [(torch.float32, "f32, TF32 off", False), (torch.float16, "f16", True)]:
        unit = 2.0**-11 if half else 2.0**-24
        for sizes in sizes_of(measured, "matmul"):
            m, n, k = sizes["m"], sizes["n"], sizes["k"]
            a, b = rand(m, k).to(dtype), rand(k, n).to(dtype)
            exact, weight = a.double() @ b.double(), a.double().abs() @ b.double().abs()
            # Sums in f32; in f16 the result is rounded once more.
            bounds = k * 2.0**-24 * weight + (unit * exact.abs() if half else 0)
            errors = ((a @ b).double() - exact).abs()
            at = (errors / bounds).argmax()
            found = errors.flatten()[at].item(), bounds.flatten()[at].item()
            times = timed(torch, lambda: a @ b)
            yield entry(device, "matmul", f"cuBLAS, {name}", sizes, 2 * m * n * k, times, *found, m * n)
        for sizes in sizes_of(measured, "attention"):
            seq, d, heads, causal = sizes["seq"], sizes["head_dim"], sizes["heads"], bool(sizes["causal"])
            if sizes["kv_heads"] != heads:
                continue
            q, k, v = (rand(1, heads, seq, d).mul(scale).to(dtype) for scale in (3, 3, 1))
            attend = lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
            exact = attend(q.double(), k.double(), v.double())
            error = (attend(q, k, v).double() - exact).abs().max().item()
            # `attention::HALF_TOLERANCE` and `TOLERANCE`.
            bound = (0.02 if half else 1e-4) * exact.abs().max().item()
            scores = heads * (seq * (seq + 1) // 2 if causal else seq * seq)
            times = timed(torch, lambda: attend(q, k, v))
            yield entry(device, "attention", f"PyTorch SDPA, {name}", sizes, 4 * d * scores, times, error, bound, q.numel())


def main():
    session = json.loads(pathlib.Path(sys.argv[1]).read_text())
    if not session["measured"]:
        sys.exit("Nothing was measured.")
    if any(m["software"] for m in session["measured"]):
        sys.exit("This was measured on a GPU made of software: reference measurements are of a real one.")
    try:
        import torch
    except ImportError:
        print("torch is not installed: cuBLAS and PyTorch's attention are left out.")
    else:
        session["measured"] += list(peers(torch, session["measured"]))
    session |= {"date": datetime.date.today().isoformat(), "command": COMMAND}
    sessions = [old for old in json.loads(OUT.read_text()) if old["measured"][0]["device"] != session["measured"][0]["device"]]
    OUT.write_text(json.dumps([*sessions, session], indent=1) + "\n")
    print(f"wrote {OUT}: {len(session['measured'])} measurements")


if __name__ == "__main__":
    main()
