"""Stands in for packages that a framework imports and its configuration does not need: everything of them exists and does nothing.

PyTorch is two gigabytes, and parsers ask it for the names of types at most."""

import importlib.abc
import importlib.machinery
import sys
import types
import typing


class Anything(type(typing.Protocol)):
    """A class that has every attribute, and is a decorator too."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __call__(cls, *args, **kwargs):
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], Anything):
            return args[0]
        return object.__new__(cls)

    def __getitem__(cls, _):
        return cls

    def __or__(cls, _):
        return cls

    __ror__ = __or__

    def __iter__(cls):
        return iter(())


class Base(metaclass=Anything):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else self

    def __bool__(self):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def anything(name):
    return Anything(name, (Base,), {})


class Absent(types.ModuleType):
    __path__ = []
    __version__ = "2.9.1"
    __file__ = "absent"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = anything(name)
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def install():
    """Puts them in place, with what parsers do ask for: types of numbers, and an H100."""
    names = "torch numpy triton einops hjson ninja psutil cpuinfo msgpack transformer_engine transformer_engine_torch torchdata datasets safetensors tokenizers"
    sys.meta_path.insert(0, Finder(set(names.split())))
    # Of Python 3.12.
    typing.override = getattr(typing, "override", lambda function: function)
    import torch

    class dtype:
        pass

    torch.dtype = dtype
    for name in "float32 float bfloat16 half float16 uint8 int64 long int32 bool".split():
        setattr(torch, name, dtype())
    import torch.cuda

    torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(major=9, minor=0)
    torch.cuda.get_device_capability = lambda *_: (9, 0)
