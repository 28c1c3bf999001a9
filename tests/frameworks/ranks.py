"""Runs every puzzle's solution on real processes and compares what each rank submits with the puzzle's reference.

    torchrun --nproc_per_node 4 tests/frameworks/ranks.py content/programs

A puzzle of several launches runs if RANKS_FILES names a folder in which `--first` has run it on other ranks before:

    export RANKS_FILES=$(mktemp -d)
    torchrun --nproc_per_node 3 tests/frameworks/ranks.py content/programs --first
    torchrun --nproc_per_node 2 tests/frameworks/ranks.py content/programs

`--write tests/frameworks/ranks.json` keeps what came of each number of ranks; docs/ladder.md has it in its table.

Each solution is the same file that runs in the browser, beside the same ringside.py that "Run it for real" saves. Puzzles with a
rank that dies are left out: gloo ends the process group with it.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core/src/program"))

import torch
import torch.distributed as dist

import ringside


def expected(puzzle, ranks):
    """What one process expects of each rank: `expect(rank, name, tensor)`."""
    wanted = {}
    ringside.expect = lambda rank, name, tensor: wanted.__setitem__((rank, name), torch.as_tensor(tensor))
    size, ringside.world_size = ringside.world_size, lambda: ranks
    try:
        exec(compile(puzzle["reference"], "reference", "exec"), {"__name__": "reference"})
    finally:
        ringside.world_size = size
    return wanted


def run(puzzle, name):
    ringside.submitted.clear()
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(puzzle["solution"], name, "exec"), {"__name__": "__main__"})


def write(path, came, ranks):
    """Adds what came of this number of ranks to what the same PyTorch and backend gave on others."""
    by = {"torch": torch.__version__.split("+")[0], "backend": dist.get_backend()}
    kept = json.loads(path.read_text()) if path.exists() else {}
    puzzles = kept["puzzles"] if all(kept.get(key) == value for key, value in by.items()) else {}
    for name, said in came.items():
        puzzles.setdefault(name, {})[str(ranks)] = said
    path.write_text(json.dumps({**by, "puzzles": puzzles}, indent=1, sort_keys=True) + "\n")


def main():
    rank, ranks = dist.get_rank(), dist.get_world_size()
    failed, first, came = 0, "--first" in sys.argv, {}
    files = Path(os.environ["RANKS_FILES"]) if "RANKS_FILES" in os.environ else None
    for file in sorted(Path(sys.argv[1]).glob("*.toml")):
        puzzle = tomllib.loads(file.read_text())
        several = bool(puzzle.get("launches"))
        folder = files / file.stem if files and several else None
        ready = folder is not None and (first or folder.is_dir())
        if first and not several:
            continue
        if "fault" in puzzle or several and not ready or not first and ranks not in puzzle["ranks"]:
            if rank == 0:
                print(f"{file.stem}: not run on {ranks} ranks")
            continue
        problem = ""
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        try:
            with contextlib.chdir(folder) if folder is not None else contextlib.nullcontext():
                run(puzzle, file.stem)
            tolerance = puzzle.get("tolerance", 1e-4)
            for (of, name), want in expected(puzzle, ranks).items():
                if of == rank and not first:
                    got = ringside.submitted[name]
                    off = (got.float() - want.float()).abs()
                    if got.shape != want.shape or not (off <= tolerance * want.float().abs().clamp(min=1)).all():
                        problem = f"rank {rank}: {name} is off by up to {off.max().item():.3g}"
        except Exception as error:
            problem = f"rank {rank}: {type(error).__name__}: {error}"
        problems = [None] * ranks
        dist.all_gather_object(problems, problem)
        problem = next((p for p in problems if p), None)
        failed += problem is not None
        came[file.stem] = problem or "agrees"
        if rank == 0:
            print(f"{file.stem}: {problem or ('first launch done' if first else f'agrees on {ranks} ranks')}", flush=True)
    if rank == 0 and not first and "--write" in sys.argv:
        write(Path(sys.argv[sys.argv.index("--write") + 1]), came, ranks)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
