"""The models beside the Python of their peers, one after the other on the same machine.

    python3 core/benches/peers.py --pp-schedules <checkout of Victarry/PP-Schedule-Visualization>

Runs `cargo bench -p ringside-core --bench models` first. Then the same pipeline in PP-Schedule-Visualization (1dd92bf, MIT), if its checkout
is named, and one layout of the same job in llm-analysis (0.2.2, Apache-2.0), if it is installed (`pip install llm-analysis`).
Each time is of its best of a few runs. Nobody's code is changed.
"""

import argparse
import importlib.util
import logging
import subprocess
import sys
import time


def best(runs, work):
    """Seconds of the quickest of so many runs, and what the last came to."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def report(seconds, what):
    print(f"{seconds * 1e6:>10.1f} µs  {what}", flush=True)


def pipeline(checkout):
    """64 stages of 512 micro-batches in 4 chunks, interleaved: what `cargo bench` calls by the same numbers."""
    sys.path.insert(0, checkout)
    sys.setrecursionlimit(1_000_000)
    from src.execution_model import ScheduleConfig
    from src.strategies import generate_1f1b_interleave_schedule

    for stages, microbatches, chunks, runs in [(8, 32, 2, 5), (64, 512, 4, 1)]:

        def work():
            config = ScheduleConfig(stages, stages * chunks, microbatches, placement_strategy="interleave")
            schedule = generate_1f1b_interleave_schedule(config)
            schedule.execute()
            return schedule.get_total_execution_time()

        seconds, makespan = best(runs, work)
        name = f"PP-Schedule-Visualization, {stages} stages of {microbatches} micro-batches in {chunks} chunks"
        report(seconds, f"{name}: {makespan:g} units of time")


def layout():
    """One layout of GPT-3 on A100s; the planner works out tens of thousands of such."""
    from llm_analysis.analysis import LLMAnalysis
    from llm_analysis.config import ParallelismConfig, get_dtype_config_by_name, get_gpu_config_by_name
    from llm_analysis.config import get_model_config_by_name

    logging.disable(logging.CRITICAL)
    analysis = LLMAnalysis(
        get_model_config_by_name("megatron-lm-175b"),
        get_gpu_config_by_name("a100-sxm-80gb"),
        get_dtype_config_by_name("w16a16e16"),
        ParallelismConfig(tp_size=8, pp_size=8, dp_size=16),
    )
    seconds, _ = best(20, lambda: analysis.training(batch_size_per_gpu=1, gradient_accumulation_steps=96, seq_len=2048))
    report(seconds, "llm-analysis, one layout of GPT-3 on 1024 A100")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--pp-schedules", metavar="DIR")
    given = arguments.parse_args()
    subprocess.run(["cargo", "bench", "--quiet", "-p", "ringside-core", "--bench", "models"], check=True)
    if given.pp_schedules:
        pipeline(given.pp_schedules)
    else:
        print("   skipped  PP-Schedule-Visualization: name its checkout with --pp-schedules")
    if importlib.util.find_spec("llm_analysis"):
        layout()
    else:
        print("   skipped  llm-analysis is not installed")


if __name__ == "__main__":
    main()
