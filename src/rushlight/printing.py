"""The text of a tensor, PyTorch's character for character, from a plain array.

``Tensor.__repr__`` hands its array and a few facts about itself to `tensor_text`. The way from there:

    keep     a tensor of more than ``threshold`` elements is cut to the edges of each axis *before* anything
             is converted, so that the text of a billion elements costs what the text of its corners costs;
    cells    each kept element becomes a text, all of one width (``_float_cells`` and its neighbours);
    rows     the cells of the last axis are broken into lines, and the axes above put brackets around them;
    suffixes ``size=``, ``dtype=``, ``grad_fn=`` follow, each on a new line when the last one is full.

How floats look is decided once for the tensor, by its finite non-zero elements alone, in double precision:

- scientific when the largest is over 1000 times the smallest, or over 1e8, or the smallest is under 1e-4
  (``sci_mode`` in the options overrules this);
- otherwise ``1.`` instead of ``1.0000`` when all of them are whole numbers;
- the width is that of the widest of them. Zeros, infinities and NaN have no say in it, so ``[inf, 1.]`` is
  not aligned, and a tensor of nothing else prints as whole numbers whatever the options say. That is
  PyTorch's way.

Two texts are made by callers, since they belong to classes. ``Parameter.__repr__`` puts ``Parameter
containing:`` and a newline before the text of its tensor. ``Tensor.__format__`` formats a 0-d tensor of
exactly the class Tensor as the Python number in it (``f"{loss:.3f}"``, detached, so without a warning), and
leaves everything else, subclasses and Parameters included, to ``object.__format__``, which knows the empty
format only and raises TypeError for the others.
"""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import dtypes

__all__ = ["PRINT_OPTS", "get_printoptions", "printoptions", "set_printoptions", "tensor_text"]

DOTS = " ..."       # between the cells of a row; between rows it stands without the blank


@dataclass(slots=True)
class PrintOptions:
    """How tensors print. `set_printoptions` explains the fields and changes them."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PRINT_OPTS = PrintOptions()

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors print, for the whole program. What is None stays as it was, except ``sci_mode``.

    ``precision``: digits after the point of floating and complex elements (4 at first).
    ``threshold``: a tensor of more elements is summarised (1000).
    ``edgeitems``: how many a summary keeps at either end of each axis (3).
    ``linewidth``: where lines break, in characters (80).
    ``profile``: ``"default"``, ``"short"`` or ``"full"``, sets these four before the others apply; another
    name sets nothing, as in PyTorch.
    ``sci_mode``: True or False forces scientific notation on or off; None leaves it to the elements, and
    since None is what a call without it says, every call resets it, as in PyTorch.

    Values are not checked here but when a tensor is printed: a precision that Python cannot format with
    raises ValueError there.

    Example::

        >>> import rushlight as torch
        >>> torch.set_printoptions(precision=2)
        >>> torch.tensor([1.12345])
        tensor([1.12])
        >>> torch.set_printoptions(threshold=5)
        >>> torch.arange(10)
        tensor([0, 1, 2,  ..., 7, 8, 9])
        >>> torch.set_printoptions(profile="default")
        >>> torch.tensor([1.12345])
        tensor([1.1235])
    """
    given = dict(_PROFILES.get(profile, {})) if profile is not None else {}
    for name, value in (("precision", precision), ("threshold", threshold), ("edgeitems", edgeitems),
                        ("linewidth", linewidth)):
        if value is not None:
            given[name] = value
    for name, value in given.items():
        setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options now in force, as a dictionary that ``set_printoptions(**options)`` takes back.

    Example::

        >>> from rushlight.printing import get_printoptions
        >>> get_printoptions()
        {'precision': 4, 'threshold': 1000, 'edgeitems': 3, 'linewidth': 80, 'sci_mode': None}
    """
    return asdict(PRINT_OPTS)


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Within ``with``, the options of `set_printoptions`; then those of before, whatever happened inside.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.printing import printoptions
        >>> with printoptions(precision=1, sci_mode=True):
        ...     print(torch.tensor([1.12345]))
        tensor([1.1e+00])
    """
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


# --- cells: the elements as texts ---------------------------------------------------------------------------

def _align(texts: list[str], width: int) -> list[str]:
    for text in texts:
        if len(text) < width:
            return [text.rjust(width) for text in texts]
    return texts


def _plain_cells(values: list[Any]) -> tuple[list[str], int]:
    """Integers and booleans: as wide as the widest, and at least 1."""
    texts = list(map(str, values))
    width = max(map(len, texts), default=1)
    return _align(texts, width), width


def _float_cells(values: list[float]) -> tuple[list[str], int]:
    """Python floats, formatted and aligned as the module's docstring says."""
    deciding = [v for v in values if v and v - v == 0.0]      # v - v is NaN for infinities and NaN
    if not deciding:
        return [f"{v:.0f}." if v == 0.0 else f"{v:.0f}" for v in values], 1

    scientific = PRINT_OPTS.sci_mode
    if scientific is None:
        magnitudes = list(map(abs, deciding))
        smallest, largest = min(magnitudes), max(magnitudes)
        scientific = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4

    if scientific:
        spec = f".{PRINT_OPTS.precision}e"
        texts = [f"{v:{spec}}" for v in values]
    elif all(map(float.is_integer, deciding)):
        texts = [f"{v:.0f}." if v - v == 0.0 else f"{v:.0f}" for v in values]
    else:
        spec = f".{PRINT_OPTS.precision}f"
        texts = [f"{v:{spec}}" for v in values]

    if len(deciding) == len(values):
        width = max(map(len, texts))
    else:
        width = max([len(t) for t, v in zip(texts, values, strict=True) if v and v - v == 0.0])
    return _align(texts, width), width


def _complex_cells(real: list[float], imaginary: list[float]) -> tuple[list[str], int]:
    """Complex numbers: the two parts decide apart; imaginary parts stand close to their sign, unaligned."""
    real_texts, real_width = _float_cells(real)
    imaginary_texts, imaginary_width = _float_cells(imaginary)
    texts = []
    for a, b in zip(real_texts, imaginary_texts, strict=True):
        b = b.lstrip()
        texts.append(f"{a}{b}j" if b[0] in "+-" else f"{a}+{b}j")
    return texts, real_width + imaginary_width + 1      # the "j"; the sign is not counted, as in PyTorch


def _cells(array: np.ndarray, dtype: dtypes.dtype) -> tuple[list[str], int]:
    """The elements in C order as texts, and the width of one of them (without its comma)."""
    flat = array.reshape(-1)
    if dtype.is_floating_point:
        if dtype is dtypes.bfloat16:
            flat = flat.astype(np.float32)      # exact, and tolist() then gives Python floats
        return _float_cells(flat.tolist())
    if dtype.is_complex:
        return _complex_cells(flat.real.tolist(), flat.imag.tolist())
    return _plain_cells(flat.tolist())


# --- rows: what is kept, and how it is laid out -------------------------------------------------------------

def _summary(array: np.ndarray, edge: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """The kept corners of an array; for each axis, how many stay and where the dots go (-1: it is whole)."""
    if array.ndim == 1:
        size = len(array)
        if size <= 2 * edge:
            return array, [(size, -1)]
        head = array[:edge]
        kept = np.concatenate((head, array[-edge:]))
        return kept, [(len(kept), len(head))]
    if edge < 0:
        raise RuntimeError("stack expects a non-empty TensorList"
                           f"\nA summary keeps `edgeitems` elements at either end, and it is {edge}: "
                           "set it to 0 or more with set_printoptions(edgeitems=...).")
    plan = []
    axes = []
    for size in array.shape:
        if size > 2 * edge:
            plan.append((2 * edge, edge))
            axes.append([*range(edge), *range(size - edge, size)])
        else:
            plan.append((size, -1))
            axes.append(list(range(size)))
    return array[np.ix_(*axes)], plan


def _bracket(cells: list[str], width: int, plan: Sequence[tuple[int, int]], indent: int) -> str:
    """Nested brackets around the cells. ``indent`` is the column of the outermost one."""
    ndim = len(plan)
    column = indent + ndim - 1
    per_line = max(1, math.floor((PRINT_OPTS.linewidth - column) / (width + 2)))
    line_break = ",\n" + " " * (column + 1)

    count, cut = plan[-1]
    parts = []
    for row in [cells] if ndim == 1 else [cells[i:i + count] for i in range(0, len(cells), count)]:
        if cut >= 0:
            row = [*row[:cut], DOTS, *row[cut:]]
        if len(row) <= per_line:
            parts.append(f"[{', '.join(row)}]")
        else:
            lines = [", ".join(row[i:i + per_line]) for i in range(0, len(row), per_line)]
            parts.append(f"[{line_break.join(lines)}]")

    for axis in range(ndim - 2, -1, -1):
        count, cut = plan[axis]
        between = "," + "\n" * (ndim - axis - 1) + " " * (indent + axis + 1)
        groups = []
        for i in range(0, len(parts), count):
            group = parts[i:i + count]
            if cut >= 0:
                group.insert(cut, "...")
            groups.append(f"[{between.join(group)}]")
        parts = groups
    return parts[0]


def _contents(array: np.ndarray, dtype: dtypes.dtype, indent: int) -> str:
    """What stands between ``tensor(`` and the suffixes, for an array that has elements."""
    ndim = array.ndim
    if ndim == 0:
        return _cells(array, dtype)[0][0]
    if array.size > PRINT_OPTS.threshold:
        if not PRINT_OPTS.edgeitems:
            return "[...]"
        array, plan = _summary(array, PRINT_OPTS.edgeitems)
    else:
        plan = [(size, -1) for size in array.shape]
    cells, width = _cells(array, dtype)
    return _bracket(cells, width, plan, indent)


# --- the whole text -----------------------------------------------------------------------------------------

def _is_usual(dtype: dtypes.dtype) -> bool:
    """Whether elements alone show this dtype, so that no suffix needs to."""
    return (dtype is dtypes.get_default_dtype() or dtype is dtypes.int64 or dtype is dtypes.bool_
            or dtype is dtypes.default_complex())


def _append_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    # One or two more than the last line's length: PyTorch's count, kept because it decides the breaks.
    length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if length + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text + ")"


def tensor_text(
    array: np.ndarray,
    *,
    dtype: dtypes.dtype,
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    class_name: str = "tensor",
    is_parameter: bool = False,
    device: str = "cpu",
    contents: str | None = None,
) -> str:
    """The repr of a tensor that holds ``array``, any shape, of any dtype in `dtypes`.

    ``dtype``: the tensor's; shown when the elements do not tell it under the default dtype.
    ``grad_fn_name``: the class name of its ``grad_fn``, as ``"MulBackward0"``; it outranks ``requires_grad``.
    A view that was changed in place where that is forbidden has none to show (asking for it raises
    RuntimeError): pass ``"Invalid"``, as PyTorch prints.
    ``class_name``: ``"tensor"`` for Tensor and Parameter themselves, the name of the class for a subclass.
    ``is_parameter``: whether it is a Parameter; shown for subclasses only, as ``Parameter(MyTensor(...))``.
    ``device``: shown when it is not the CPU.
    ``contents``: stands in place of the elements, when given.

    Raises ValueError when the options hold a precision that Python cannot format with, and RuntimeError for
    the summary of a matrix with negative ``edgeitems``.

    Example::

        >>> import numpy as np
        >>> from rushlight import dtypes
        >>> from rushlight.printing import tensor_text
        >>> print(tensor_text(np.arange(4.0), dtype=dtypes.float64, grad_fn_name="MulBackward0"))
        tensor([0., 1., 2., 3.], dtype=torch.float64, grad_fn=<MulBackward0>)
    """
    indent = len(class_name) + 1
    suffixes = []
    if device != "cpu":
        suffixes.append(f"device='{device}'")
    if array.size == 0:
        if array.ndim != 1:
            suffixes.append(f"size={array.shape}")
        if dtype is not dtypes.get_default_dtype():     # no element is there to tell an int64 from a float
            suffixes.append(f"dtype={dtype!r}")
        text = "[]" if contents is None else contents
    else:
        if not PRINT_OPTS.edgeitems:
            suffixes.append(f"size={array.shape}")
        if not _is_usual(dtype):
            suffixes.append(f"dtype={dtype!r}")
        text = _contents(array, dtype, indent) if contents is None else contents
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")

    text = _append_suffixes(f"{class_name}({text}", suffixes, indent)
    return f"Parameter({text})" if is_parameter and class_name != "tensor" else text
