"""Gives the commands of tests/fixtures/serving-commands.txt to the engines' own argument parsers and prints what they say.

    pip install vllm==0.33.0 && pip install --no-deps sglang==0.5.23 && pip install ipython orjson
    serving.py tests/fixtures/serving-commands.txt

A test of core holds what we write to that file. No GPU is needed: the platform is set to the CPU, which argument parsing asks for."""

import argparse
import pathlib
import re
import shlex
import sys


def vllm(words):
    import vllm.platforms
    from vllm.platforms.cpu import CpuPlatform

    vllm.platforms._current_platform = CpuPlatform()
    from vllm.entrypoints.common.cli_args import make_arg_parser
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    return make_arg_parser(FlexibleArgumentParser()).parse_args(words[2:])


def sglang(words):
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    return parser.parse_args(words[3:])


def main(path):
    failed = False
    for engine, command in re.findall(r"# (\w+)\n(.*?)(?=\n# |\Z)", pathlib.Path(path).read_text(), re.S):
        try:
            {"vllm": vllm, "sglang": sglang}[engine](shlex.split(command.replace("\\\n", " ")))
            print(engine, "accepts it")
        except (SystemExit, Exception) as why:
            failed = True
            print(engine, "refuses it:", repr(why))
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1])
