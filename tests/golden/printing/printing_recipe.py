"""The tensors of the printing recordings, built from fixed seeds, so that the recording holds texts only.

Only `numpy.random.Generator.random` and `integers`, products and casts are used: no function whose last bit
depends on the processor. `digest` tells a changed recipe (or a changed NumPy stream) from a changed text.
"""
from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

NUMPY = {
    "bool": np.bool_, "uint8": np.uint8, "int8": np.int8, "int16": np.int16, "int32": np.int32,
    "int64": np.int64, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64,
    "complex64": np.complex64, "complex128": np.complex128,
}
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
WHOLE = tuple(name for name in NUMPY if name not in FLOATS + COMPLEX)

nan, inf = np.nan, np.inf


@dataclass
class Case:
    """One tensor to print: its elements, how it came to be, and the options in force."""

    name: str
    array: np.ndarray
    dtype: str
    history: str = ""           # "", "leaf" (requires grad), or how it was made: "clone", "mul", "function"
    wrapper: str = "tensor"     # "tensor", "subclass", "parameter", "parameter subclass", "flagged subclass"
    options: dict[str, Any] = field(default_factory=dict)
    default: str = "float32"


def _reals(rng: np.random.Generator, shape: tuple[int, ...], scale: float) -> np.ndarray:
    return (rng.random(shape) * 2 - 1) * scale


def fill(rng: np.random.Generator, dtype: str, shape: tuple[int, ...], scale: float = 4.0) -> np.ndarray:
    """Elements of any dtype: floats within +-scale, integers of mixed lengths over the whole range."""
    target = NUMPY[dtype]
    if dtype in FLOATS:
        return np.asarray(_reals(rng, shape, scale)).astype(target)
    if dtype in COMPLEX:
        result = np.empty(shape, np.complex128)
        result.real = _reals(rng, shape, scale)
        result.imag = _reals(rng, shape, scale)
        return result.astype(target)
    if dtype == "bool":
        return np.asarray(rng.integers(0, 2, shape)).astype(target)
    limits = np.iinfo(target)
    whole = np.asarray(rng.integers(limits.min, limits.max, shape, dtype=target, endpoint=True))
    shift = np.asarray(rng.integers(0, limits.bits, shape)).astype(target)
    return np.asarray(whole >> shift)


def _by_dtype_and_shape() -> Iterator[Case]:
    shapes = [(), (1,), (5,), (3, 4), (2, 3, 4), (2, 1, 2, 3), (0,), (2, 0), (3, 0, 2), (37,)]
    for i, dtype in enumerate(NUMPY):
        for j, shape in enumerate(shapes):
            yield Case(f"shape/{dtype}/{shape}", fill(np.random.default_rng([1, i, j]), dtype, shape), dtype)


def _by_scale() -> Iterator[Case]:
    reach = {"float16": (-6, 4), "bfloat16": (-30, 30)}
    for i, dtype in enumerate(FLOATS + COMPLEX):
        low, high = reach.get(dtype, (-30, 30))
        for exponent in range(low, high + 1, 2 if dtype == "float16" else 6):
            rng = np.random.default_rng([2, i, exponent - low])
            yield Case(f"scale/{dtype}/{exponent}", fill(rng, dtype, (6,), float(f"1e{exponent}")), dtype)
        for spread in (1, 2, 3, 4) if dtype == "float16" else (1, 2, 3, 4, 9, 20):
            rng = np.random.default_rng([3, i, spread])
            scales = np.array([float(f"1e{e}") for e in rng.integers(-spread, spread + 1, 8).tolist()])
            mixed = (fill(rng, "complex128" if dtype in COMPLEX else "float64", (8,), 1.0) * scales)
            yield Case(f"mixed/{dtype}/{spread}", mixed.astype(NUMPY[dtype]), dtype)


SPECIAL: dict[str, list[float]] = {
    "nan": [nan], "inf": [inf], "minus inf": [-inf], "zero": [0.0], "minus zero": [-0.0],
    "zeros": [0.0, -0.0, 0.0], "only nonfinite": [nan, inf, -inf],
    "nonfinite and zero": [nan, 0.0, inf, -0.0],
    "whole and nan": [1.0, nan, -20.0],
    "whole and inf": [inf, 1.0, -inf], "whole and minus zero": [-0.0, 1.0],
    "fraction and nan": [0.5, nan, -20.25], "fraction and inf": [0.5, -inf, inf],
    "fraction, minus zero": [-0.0, 0.5], "scientific and nan": [1e-3, nan, 2048.0],
    "scientific and inf": [-inf, 1e-3, inf, 2048.0, 0.0, -0.0],
    "whole": [1.0, 2.0, 3.0], "whole, negative": [-1.0, 20.0, -300.0], "whole, ratio 1000": [1.0, 1000.0],
    "whole, ratio 1001": [1.0, 1001.0], "fraction, ratio 1000": [0.5, 500.0],
    "fraction, ratio 1001": [0.5, 500.5], "small": [2e-4, 3e-4], "one tiny": [1e-4], "under 1e-4": [9.99e-5],
    "one half": [0.5], "thirds": [1 / 3, -2 / 3], "rounds up": [9.99996, 1.5],
    "rounds to even": [0.00005, 0.00015, 0.00025], "width by rounding": [99.99999, -9.99999],
}
WIDE: dict[str, list[float]] = {
    "1e8": [1e8], "over 1e8": [100000008.0], "1e8 twice": [1e8, 5e7],
    "largest of float32": [3.4028234663852886e38], "subnormal": [1e-45],
    "long whole": [12345678.0, 87654321.0], "1e16": [1e16, 2e16], "fraction, long": [12345.5, 99999.25],
}
DOUBLE: dict[str, list[float]] = {
    "largest": [1.7976931348623157e308], "smallest": [5e-324], "both": [1.7976931348623157e308, 5e-324],
    "exactly 1e-4": [1e-4, 1e-3], "just over 1e8": [100000000.00000001, 100000000.00000003],
}


def _special() -> Iterator[Case]:
    for dtype in FLOATS:
        tables = {"float32": [SPECIAL, WIDE], "float64": [SPECIAL, WIDE, DOUBLE]}.get(dtype, [SPECIAL])
        for name, values in [item for table in tables for item in table.items()]:
            yield Case(f"special/{dtype}/{name}", np.array(values).astype(NUMPY[dtype]), dtype)
    for name, values in SPECIAL.items():
        real = np.array(values)
        both = np.empty(len(values), np.complex128)
        both.real, both.imag = real, real[::-1]
        yield Case(f"special/complex128/{name}", both, "complex128")
        both = both.copy()
        both.imag = 1.5
        yield Case(f"special/complex64/{name}", both.astype(np.complex64), "complex64")
        yield Case(f"special/0-d/{name}", np.array(values[0], np.float32), "float32")


def _summarised() -> Iterator[Case]:
    shapes = [(1000,), (1001,), (40, 40), (7, 11, 17), (2, 3, 8, 30), (6, 200), (1, 1, 1500), (1500, 1),
              (5, 5, 5, 9)]
    for i, dtype in enumerate(("float32", "float64", "bfloat16", "int64", "uint8", "bool", "complex64")):
        for j, shape in enumerate(shapes):
            if shape == (1000,) and dtype != "int64":
                continue
            rng = np.random.default_rng([4, i, j])
            yield Case(f"summary/{dtype}/{shape}", fill(rng, dtype, shape), dtype)
    whole = np.arange(3000.0).reshape(30, 100)
    yield Case("summary/edges decide the ratio", whole, "float64")
    hidden = np.ones(3000, np.float32)
    hidden[1500] = 1e30
    yield Case("summary/the hidden do not decide", hidden, "float32")
    yield Case("summary/transposed", whole.T, "float64")
    yield Case("summary/expanded", np.broadcast_to(np.float32(2.5), (10, 10, 50)), "float32")
    yield Case("summary/every second", whole[::2, ::3], "float64")


OPTIONS: list[dict[str, Any]] = [
    {"precision": 0}, {"precision": 1}, {"precision": 8}, {"precision": 17, "linewidth": 120},
    {"threshold": 5}, {"threshold": 0}, {"threshold": 5, "edgeitems": 1},
    {"threshold": 5, "edgeitems": 2, "linewidth": 30}, {"threshold": 5, "edgeitems": 0}, {"edgeitems": 0},
    {"linewidth": 20}, {"linewidth": 1}, {"linewidth": 200},
    {"sci_mode": True}, {"sci_mode": False}, {"sci_mode": True, "precision": 2},
    {"profile": "short"}, {"profile": "full"}, {"profile": "default"}, {"profile": "short", "precision": 6},
]


def _with_options() -> Iterator[Case]:
    rng = np.random.default_rng(5)
    tensors = [
        ("floats", "float32", fill(rng, "float32", (13,))),
        ("matrix", "float64", fill(rng, "float64", (4, 9))),
        ("whole", "float32", np.arange(-3, 8).astype(np.float32)),
        ("ints", "int32", fill(rng, "int32", (3, 3, 3))),
        ("complex", "complex64", fill(rng, "complex64", (2, 8))),
        ("scalar", "float32", np.array(2.718281828, np.float32)),
        ("odd", "float64", np.array([nan, 0.0, -0.0, inf, 1e-9, 12345.678])),
        ("none", "float32", np.zeros((2, 0), np.float32)),
        ("zeros", "float16", np.zeros(9, np.float16)),
        ("truth", "bool", fill(rng, "bool", (2, 2, 7))),
    ]
    for options in OPTIONS:
        for name, dtype, array in tensors:
            yield Case(f"options/{options}/{name}", array, dtype, options=options)
    large = fill(rng, "float32", (12, 100))
    for options in ({"profile": "full", "linewidth": 160}, {"profile": "short"}, {"edgeitems": 0},
                    {"edgeitems": 5}):
        yield Case(f"options/{options}/large", large, "float32", options=options)
    yield Case("options/negative edgeitems", np.arange(5), "int64", options={"threshold": 2, "edgeitems": -1})
    yield Case("options/all cut", np.arange(5.0), "float64", options={"threshold": 2, "edgeitems": -9})


def _with_default() -> Iterator[Case]:
    for default in ("float64", "float16", "bfloat16"):
        for i, dtype in enumerate(NUMPY):
            for shape in ((3,), (0,), (0, 3)):
                array = fill(np.random.default_rng([6, i]), dtype, shape)
                yield Case(f"default/{default}/{dtype}/{shape}", array, dtype, default=default)


def _with_suffixes() -> Iterator[Case]:
    for history in ("leaf", "clone", "mul", "function"):
        for size in range(4, 15):
            array = fill(np.random.default_rng([7, size]), "float32", (size,))
            yield Case(f"suffix/{history}/float32/{size}", array, "float32", history)
        for dtype, shape in (("float64", (6,)), ("float64", (5, 5)), ("float64", ()),
                             ("complex64", (2, 2)), ("float16", (0, 2)), ("bfloat16", (40, 40)),
                             ("complex128", (3,)), ("float32", (2, 0))):
            array = fill(np.random.default_rng([8, len(shape)]), dtype, shape)
            yield Case(f"suffix/{history}/{dtype}/{shape}", array, dtype, history)
    for wrapper in ("subclass", "parameter", "parameter subclass", "flagged subclass"):
        for i, (dtype, shape) in enumerate((
                ("float32", (3,)), ("float32", (2, 3)), ("float64", (30,)), ("float32", ()),
                ("float32", (30, 40)), ("float32", (0,)), ("complex64", (2, 2, 2)))):
            array = fill(np.random.default_rng([9, i]), dtype, shape)
            yield Case(f"wrapper/{wrapper}/{dtype}/{shape}", array, dtype, "leaf", wrapper)
            if wrapper == "subclass":
                yield Case(f"wrapper/{wrapper}/{dtype}/{shape}/no grad", array, dtype, "", wrapper)


def cases() -> list[Case]:
    """Every case, in the order of the recording."""
    groups = (_by_dtype_and_shape, _by_scale, _special, _summarised, _with_options, _with_default,
              _with_suffixes)
    return [case for group in groups for case in group()]


def digest(given: list[Case]) -> str:
    """A fingerprint of names and elements."""
    total = hashlib.sha256()
    for case in given:
        total.update(case.name.encode())
        total.update(np.ascontiguousarray(case.array).tobytes())
    return total.hexdigest()
