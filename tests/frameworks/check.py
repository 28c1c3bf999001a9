"""Gives exported layouts to the frameworks' own parsers and writes down what they say.

    check.py <folder with the sources> <exports.json> <verdicts.json>

Run by `cargo xtask test --only frameworks`, which fetches the sources at the commits that `core/src/memory/export` follows."""

import contextlib
import io
import json
import logging
import os
import pathlib
import shlex
import sys
import tempfile
import types
import warnings

import torch_that_is_absent


def megatron():
    """`parse_args`, `validate_args` and the `__post_init__` of `TransformerConfig`."""
    from megatron.training import arguments
    from megatron.training.argument_utils import core_transformer_config_from_args

    def check(text, gpus, _):
        # A shell's array: ARGS=( --flag value … )
        sys.argv = ["pretrain_gpt.py", *shlex.split(text, comments=True)[1:-1]]
        # As the export's comment has it.
        os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "8" if "CUDA_DEVICE_MAX_CONNECTIONS is not 1" in text else "1"
        os.environ["WORLD_SIZE"] = str(gpus)
        args = arguments.parse_args()
        arguments.validate_args(args, {})
        core_transformer_config_from_args(args)

    return check


def deepspeed():
    """`DeepSpeedConfig`, with the data-parallel ranks of the layout."""
    from deepspeed.runtime.config import DeepSpeedConfig

    def check(text, _, dp):
        ranks = types.SimpleNamespace(get_data_parallel_world_size=lambda: dp)
        DeepSpeedConfig(json.loads(text), mpu=ranks)

    return check


def torchtitan():
    """`ConfigManager.parse_args` and `ParallelDims`."""
    from torchtitan.config import ConfigManager
    from torchtitan.distributed.parallel_dims import ParallelDims

    def check(text, gpus, _):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(text)
            file.flush()
            config = ConfigManager().parse_args([f"--job.config_file={file.name}"])
        p = config.parallelism
        ParallelDims(
            dp_replicate=p.data_parallel_replicate_degree,
            dp_shard=p.data_parallel_shard_degree,
            cp=p.context_parallel_degree,
            tp=p.tensor_parallel_degree,
            pp=p.pipeline_parallel_degree,
            ep=p.expert_parallel_degree,
            etp=p.expert_tensor_parallel_degree,
            world_size=gpus,
        )

    return check


def verdict(check, export):
    """Nothing, or why it was refused."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            check(export["text"], export["gpus"], export["dp"])
    except (Exception, SystemExit) as why:
        last = said.getvalue().strip().splitlines()[-1:] if isinstance(why, SystemExit) else []
        return f"{type(why).__name__}: {why} {' '.join(last)}".strip()


def main(sources, exports, verdicts):
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch_that_is_absent.install()
    checks = {}
    for name, load in [("megatron", megatron), ("deepspeed", deepspeed), ("torchtitan", torchtitan)]:
        sys.path.insert(0, str(pathlib.Path(sources, name)))
        checks[name] = load()
    found = {name: {} for name in checks}
    for export in json.loads(pathlib.Path(exports).read_text()):
        why = verdict(checks[export["target"]], export)
        found[export["target"]][export["query"]] = f"refused: {why}" if why else export["digest"]
    pathlib.Path(verdicts).write_text(json.dumps(found, indent=1) + "\n")
    count = sum(map(len, found.values()))
    refused = [f"{name} {query}: {said}" for name, all in found.items() for query, said in all.items() if said.startswith("refused")]
    print("\n".join([*refused, f"{count} layouts, {len(refused)} refused"]))
    sys.exit(bool(refused))


main(*sys.argv[1:])
