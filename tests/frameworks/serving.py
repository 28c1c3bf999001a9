"""Gives written server commands to the engines' own argument parsers and writes down what they say.

    serving.py <folder with the sources> <commands.json> <verdicts.json>

Run by `cargo xtask test --only frameworks`, which installs vLLM and SGLang without what they depend on and fetches TensorRT-LLM's sources.
What isn't installed is stood in for: parsing asks PyTorch and CUDA for names alone."""

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import logging
import os
import pathlib
import shlex
import sys
import types
import typing
import warnings

import pydantic
import yaml
from pydantic_core import core_schema

import torch_that_is_absent as absent

# Of TensorRT-LLM these modules are its own. The rest of it needs its compiled library.
OWN = {f"tensorrt_llm.{name}" for name in ["commands", "commands.serve", "llmapi.llm_args", "llmapi.reasoning_parser", "logger"]}


class Rest(absent.Finder):
    """Whatever nobody else finds: it comes last."""

    def __init__(self):
        super().__init__(())

    def find_spec(self, name, path, target=None):
        within, _, _ = name.rpartition(".")
        of_another = within and not isinstance(sys.modules.get(within), absent.Absent)
        if not of_another and not name.startswith("_") and name.split(".")[0] not in sys.stdlib_module_names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)


class TensorRtLlm(absent.Finder):
    """Its own modules as they are, and the others stood in for."""

    def __init__(self, sources):
        super().__init__({"tensorrt_llm"})
        self.sources = pathlib.Path(sources)

    def find_spec(self, name, path, target=None):
        if name not in OWN:
            return super().find_spec(name, path, target)
        at = self.sources.joinpath(*name.split("."))
        if at.is_dir():
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return importlib.util.spec_from_file_location(name, at.with_suffix(".py"))


def stand_in(sources):
    """What is absent is more for these parsers: a number, a text, an empty list, a type that pydantic takes, and equal to its like."""
    absent.install()
    for kind in [absent.Anything, absent.Base]:
        kind.__int__ = kind.__index__ = lambda _: 0
        kind.__radd__ = lambda _, other: other
    absent.Anything.__members__ = {}
    absent.Base.__iter__ = lambda _: iter(())
    absent.Base.__eq__ = lambda one, other: type(one) is type(other)
    absent.Base.__hash__ = lambda one: hash(type(one))
    absent.Base.__get_pydantic_core_schema__ = classmethod(lambda *_: core_schema.any_schema())
    # Devices that PyTorch itself has no name for: a parser takes the name for the device.
    named = absent.Absent.__getattr__

    def getattr_(module, name):
        if name in ("npu", "hpu", "musa", "mlu"):
            raise AttributeError(name)
        return named(module, name)

    absent.Absent.__getattr__ = getattr_
    sys.meta_path.insert(0, TensorRtLlm(pathlib.Path(sources, "tensorrt-llm")))
    sys.meta_path.append(Rest())
    import torch.library

    def infer_schema(function, **_):
        """As many tensors as its annotation says that a function gives."""
        given = typing.get_args(function.__annotations__.get("return")) or (None,)
        return f"(Tensor x) -> {', '.join('Tensor' for _ in given)}"

    torch.library.infer_schema = infer_schema


def vllm():
    """`make_arg_parser`, as `vllm serve` has it. No GPU is needed: the platform is set to the CPU, which the parser asks for."""
    import vllm.platforms
    from vllm.platforms.cpu import CpuPlatform

    vllm.platforms._current_platform = CpuPlatform()
    from vllm.entrypoints.common.cli_args import make_arg_parser
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    return lambda words, _: make_arg_parser(FlexibleArgumentParser()).parse_args(words[2:])


def sglang():
    """`ServerArgs.add_cli_args`. The package's own start is left out: it patches transformers, which isn't there."""
    found = importlib.util.find_spec("sglang")
    package = types.ModuleType("sglang")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["sglang"] = package
    from sglang.srt.server_args import ServerArgs

    def check(words, _):
        parser = argparse.ArgumentParser()
        ServerArgs.add_cli_args(parser)
        return parser.parse_args(words[3:])

    return check


def trtllm():
    """The click command `serve`, and its file held to the fields of `TorchLlmArgs`."""
    from tensorrt_llm.commands.serve import serve
    from tensorrt_llm.llmapi.llm_args import TorchLlmArgs

    def check(words, file):
        parsed = serve.make_context("serve", words[1:]).params
        said = yaml.safe_load(file) if file else {}
        for name, value in said.items():
            if name not in TorchLlmArgs.model_fields:
                raise ValueError(f"TorchLlmArgs has no field {name}")
            pydantic.TypeAdapter(TorchLlmArgs.model_fields[name].annotation).validate_python(value)
        return parsed

    return check


def verdict(check, command):
    """Nothing, or why it was refused."""
    said = io.StringIO()
    # A file that the command is given stands before it: cat > serve.yaml <<'END' … END
    file, _, rest = command.rpartition("\nEND\n") if "<<'END'\n" in command else ("", "", command)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            check(shlex.split(rest.replace("\\\n", " ")), file.partition("\n")[2])
    except (Exception, SystemExit) as why:
        last = said.getvalue().strip().splitlines()[-1:] if isinstance(why, SystemExit) else []
        return f"{type(why).__name__}: {why} {' '.join(last)}".strip()


def main(sources, commands, verdicts):
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    os.environ["VLLM_LOGGING_LEVEL"] = "ERROR"
    stand_in(sources)
    checks = {"vllm": vllm(), "sglang": sglang(), "trtllm": trtllm()}
    plain = {"vllm": "vllm serve m", "sglang": "python -m sglang.launch_server --model-path m", "trtllm": "trtllm-serve m"}
    for name, check in checks.items():
        # A parser that takes anything says nothing.
        why = verdict(check, plain[name])
        assert why is None, f"{name}: {why}"
        assert verdict(check, f"{plain[name]} --no-such-option 1"), name
    found = {name: {} for name in checks}
    for command in json.loads(pathlib.Path(commands).read_text()):
        why = verdict(checks[command["server"]], command["text"])
        found[command["server"]][command["query"]] = f"refused: {why}" if why else command["digest"]
    pathlib.Path(verdicts).write_text(json.dumps(found, indent=1) + "\n")
    refused = [f"{name} {query}: {said}" for name, all in found.items() for query, said in all.items() if said.startswith("refused")]
    print("\n".join([*refused, f"{sum(map(len, found.values()))} commands, {len(refused)} refused"]))
    sys.exit(bool(refused))


main(*sys.argv[1:])
