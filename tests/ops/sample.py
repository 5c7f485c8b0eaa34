"""What an operator's samples are made of, and how they become tensors of an engine.

    SAMPLES = {"add": [Sample(T((2, 3)), T((3,), seed=1), alpha=2)]}

``T`` describes a tensor; the numbers come from NumPy's generator, so a sample is the same for every engine and on every machine.
"""
import dataclasses
import functools
import importlib
import pathlib

import numpy as np


@dataclasses.dataclass(frozen=True)
class T:
    """A tensor of ``shape`` with numbers between ``low`` and ``high``; floating ones require grad unless told otherwise."""

    shape: tuple
    dtype: str = "float64"
    low: float = -2
    high: float = 2
    seed: int = 0
    requires_grad: bool = True

    def array(self):
        rng = np.random.default_rng([self.seed, *self.shape, 7])
        if self.dtype == "bool":
            return rng.integers(0, 2, self.shape).astype(bool)
        if self.dtype.startswith(("int", "uint")):
            return rng.integers(int(self.low), int(self.high), self.shape).astype(self.dtype)
        values = rng.uniform(self.low, self.high, self.shape)
        if self.dtype.startswith("complex"):
            values = values + 1j * rng.uniform(self.low, self.high, self.shape)
        return values.astype(self.dtype)

    def make(self, lib, dtype=None, grad=True, strided=False):
        array = np.asarray(self.array())
        if dtype is not None and self.dtype == "float64":
            array = array.astype(dtype)
        if strided and array.ndim:
            wide = np.repeat(array[..., None], 2, -1)
            wide[..., 1] = 0
            t = lib.from_numpy(wide)[..., 0]
        else:
            t = lib.from_numpy(array)
        wants = grad and self.requires_grad and array.dtype.kind in "fc"
        return t.requires_grad_() if wants else t


class Sample:
    """The arguments of one call."""

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def make(self, lib, **options):
        """(args, kwargs) as tensors of an engine."""
        def convert(value):
            if isinstance(value, T):
                return value.make(lib, **options)
            if isinstance(value, (list, tuple)):
                return type(value)(convert(v) for v in value)
            if isinstance(value, str) and value.startswith("dtype:"):
                return getattr(lib, value[6:])
            return value
        return [convert(a) for a in self.args], {k: convert(v) for k, v in self.kwargs.items()}

    def __repr__(self):
        return f"Sample({', '.join([*map(repr, self.args), *(f'{k}={v!r}' for k, v in self.kwargs.items())])})"


def families():
    """{family: {operator: samples}} of every file beside this one."""
    folder = pathlib.Path(__file__).parent / "samples"
    return {p.stem: importlib.import_module(f"tests.ops.samples.{p.stem}").SAMPLES for p in sorted(folder.glob("*.py"))
            if p.stem != "__init__"}


def find(lib, name):
    """The operator called ``name``: a function of the engine, of nn.functional, or a method; ``fft.fft`` is one of a corner."""
    if "." in name:
        return functools.reduce(getattr, name.split("."), lib)
    for owner in (lib, lib.nn.functional, lib.Tensor):
        found = getattr(owner, name, None)
        if callable(found) and not isinstance(found, type):
            return found
    raise AttributeError(name)


def tensors_in(value, kind):
    """The tensors among an operator's results or arguments, in order."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from tensors_in(v, kind)
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from tensors_in(v, kind)
