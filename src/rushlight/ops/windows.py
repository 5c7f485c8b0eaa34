"""Window functions: ``torch.hann_window`` and its kin, and those of ``torch.signal.windows``.

A window is a row of weights that falls off towards both ends; a signal cut out with one has a spectrum without the traces of the
cuts. *Symmetric* windows of n points are the same from both ends; *periodic* ones are the first n points of a symmetric one of
n + 1, for transforms, which see a signal as going on periodically.

As in PyTorch each step is rounded to the window's dtype. A window that requires grad is a leaf, like every tensor made from
numbers. The family loads when it is asked for.
"""
import math
import operator
from collections.abc import Iterable

import numpy as np

from .. import dtypes
from ..kernels.special_bessel import i0e
from ..layout import check_layout, strided
from ..tensor import Tensor
from . import table
from ._factory import check_place, finish, numpy_dtype
from .call import overridable
from .exact import c_name

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


# ---------------------------------------------------------------- the shapes

class _Steps:
    """Arithmetic that is rounded after each step: to the dtype, computed in float32 for half types."""

    def __init__(self, dtype):
        self.dtype, self.wide = dtype.numpy, np.dtype(np.float32) if dtype.low_precision else dtype.numpy

    def __call__(self, array):
        return np.asarray(array).astype(self.dtype).astype(self.wide)

    def times(self, array, factor):
        """The product with a number, which is rounded too."""
        return self(array * self(factor))

    def line(self, n, step):
        """0, step, 2 * step..."""
        return self.times(self(np.arange(n)), step)


def _intervals(n, periodic):
    return n if periodic else n - 1


def _cosines(n, periodic, coefficients, steps):
    angle = steps.line(n, 2 * math.pi / _intervals(n, periodic))
    total = steps(np.full(n, float(coefficients[0])))
    for k, c in enumerate(coefficients[1:], 1):
        total = steps(total + steps.times(steps(np.cos(steps(k * angle))), (-1) ** k * float(c)))
    return total


def _blackman(n, periodic, steps):
    """The same cosines as those of ``blackman``, added up in another order."""
    half = steps.line(n, math.pi / _intervals(n, periodic))
    fast, slow = steps(np.cos(steps(4 * half))), steps(np.cos(steps(2 * half)))
    return steps(steps(steps.times(fast, 0.08) - steps.times(slow, 0.5)) + steps(0.42))


def _triangle(n, periodic, steps):
    rise = steps.line(n, 2 / _intervals(n, periodic))
    return np.where(np.arange(n) <= _intervals(n, periodic) // 2, rise, steps(2 - rise))


def _kaiser(n, periodic, beta):
    """i0(beta * height) / i0(beta), through scaled functions, which do not overflow."""
    place = 2 * np.arange(n) / _intervals(n, periodic) - 1
    height = abs(beta) * np.sqrt(np.maximum(1 - place ** 2, 0))
    return i0e(height) / i0e(np.array([float(beta)])) * np.exp(height - abs(beta))


# ---------------------------------------------------------------- of the main namespace

def _main_page(function):
    return table.publish_composite(function.__name__, function, method=False, inplace=False, space="torch")


def _main(name, make, window_length, periodic, dtype, layout, device, pin_memory, requires_grad):
    if isinstance(window_length, bool) or not hasattr(window_length, "__index__"):
        raise TypeError(f"{name}(): argument 'window_length' (position 1) must be int, not {type(window_length).__name__}"
                        "\nIt is a number of points.")
    if not isinstance(periodic, (bool, np.bool_)):
        raise TypeError(f"{name}(): argument 'periodic' (position 2) must be bool, not {type(periodic).__name__}\nPass True or False.")
    n = operator.index(window_length)
    if layout is not None and layout is not strided:
        check_layout(layout)
    check_place(layout, device, pin_memory)
    wanted = dtypes.get_default_dtype() if dtype is None else dtypes.of(numpy_dtype(dtype, name))
    if wanted.category < dtypes.FLOATING:
        named = {"int64": "long int", "int16": "short int"}.get(wanted.name, c_name(wanted))
        raise RuntimeError(f"{name} expects floating point dtypes, got: TensorOptions(dtype={named}, device=cpu, layout=Strided (default), "
                           f"requires_grad={'true' if requires_grad else 'false (default)'}, pinned_memory=false, "
                           "memory_format=(nullopt))\nWeights are fractions.")
    if n < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={n}\nIt is a number of points.")
    if n > 1 and wanted.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{wanted.scalar_name}'\nPass another dtype.")
    made = make(n, bool(periodic), _Steps(wanted)) if n > 1 else np.ones(n)
    return finish(np.asarray(made).astype(wanted.numpy), requires_grad, name)


@_main_page
def hann_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Hann's window: half a cosine's wave, from 0 over 1 to 0.

    Args:
        window_length: the number of points.
        periodic: for transforms; False gives the symmetric window.

    TypeError unless the length is a whole number; RuntimeError if it is negative, or for a dtype that is not floating.

    Example::

        >>> import rushlight as torch
        >>> torch.hann_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _main("hann_window", lambda n, p, steps: _cosines(n, p, (0.5, 0.5), steps), window_length, periodic, dtype, layout, device,
                 pin_memory, requires_grad)


@_main_page
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None, device=None, pin_memory=False,
                   requires_grad=False):
    """Hamming's window, ``alpha - beta * cos``; lengths and errors as in ``hann_window``.

    Example::

        >>> import rushlight as torch
        >>> torch.hamming_window(4)
        tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    return _main("hamming_window", lambda n, p, steps: _cosines(n, p, (alpha, beta), steps), window_length, periodic, dtype, layout,
                 device, pin_memory, requires_grad)


@_main_page
def blackman_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Blackman's window, of two cosines; lengths and errors as in ``hann_window``."""
    return _main("blackman_window", _blackman, window_length, periodic, dtype, layout, device, pin_memory, requires_grad)


@_main_page
def bartlett_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Bartlett's window, a triangle; lengths and errors as in ``hann_window``."""
    return _main("bartlett_window", _triangle, window_length, periodic, dtype, layout, device, pin_memory, requires_grad)


@_main_page
def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None, pin_memory=False,
                  requires_grad=False):
    """Kaiser's window, of a Bessel function; a larger ``beta`` makes it narrower. Lengths and errors as in ``hann_window``."""
    return _main("kaiser_window", lambda n, p, _: _kaiser(n, p, beta), window_length, periodic, dtype, layout, device, pin_memory,
                 requires_grad)


# ---------------------------------------------------------------- of torch.signal.windows

def _checked(name, M, dtype, layout, device):
    """The dtype of a window of ``torch.signal.windows``, which are stricter."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}\nIt is a number of points.")
    if layout is not None and layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}\nLeave layout out.")
    wanted = dtypes.get_default_dtype() if dtype is None else dtype
    if wanted not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {wanted}\nConvert the window afterwards.")
    if not hasattr(M, "__index__"):
        raise TypeError(f"{name}(): argument 'M' must be int, not {type(M).__name__}\nIt is a number of points.")
    check_place(layout, device)
    return wanted


def _page(function):
    """Publish on the page of ``torch.signal.windows``."""
    made = overridable(function, function.__name__)
    table.publish_late("signal.windows", function.__name__, made)
    return made


def _made(name, M, dtype, layout, device, requires_grad, compute, one=None):
    """The window; ``one`` stands for that of a single point, where the formula would divide by zero."""
    wanted = _checked(name, M, dtype, layout, device)
    n = operator.index(M)
    made = np.zeros(0) if n == 0 else np.full(1, one) if n == 1 and one is not None else compute(n, _Steps(wanted))
    return finish(made.astype(wanted.numpy), requires_grad, name)


def _centred(n, sym):
    """Distances from the middle, which is at n / 2 of periodic windows."""
    return np.arange(n) - (n if not sym and n > 1 else n - 1) / 2


@_page
def general_cosine(M, *, a, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """A sum of cosines with the coefficients ``a``, of alternating sign.

    Args:
        M: the number of points.
        a: the coefficients, a sequence of numbers.
        sym: the symmetric window; False gives the periodic one, for transforms.

    ValueError for a negative ``M``, dtypes other than float32 and float64, and without coefficients; TypeError if ``a`` is no
    sequence.

    Example::

        >>> import rushlight as torch
        >>> torch.signal.windows.general_cosine(5, a=[0.5, 0.5])
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    def compute(n, steps):
        if not isinstance(a, Iterable):
            raise TypeError("Coefficients must be a list/tuple\nPass numbers.")
        if not a:
            raise ValueError("Coefficients cannot be empty\nPass one or more.")
        return _cosines(n, not sym, list(a), steps)
    return _made("general_cosine", M, dtype, layout, device, requires_grad, compute, 1.0)


@_page
def general_hamming(M, *, alpha=0.54, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """``alpha - (1 - alpha) * cos``; the other arguments and errors are those of ``general_cosine``."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


@_page
def hamming(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Hamming's window; arguments and errors as in ``general_cosine``.

    Example::

        >>> import rushlight as torch
        >>> torch.signal.windows.hamming(5)
        tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


@_page
def hann(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Hann's window; arguments and errors as in ``general_cosine``."""
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


@_page
def blackman(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Blackman's window; arguments and errors as in ``general_cosine``."""
    return _made("blackman", M, dtype, layout, device, requires_grad, lambda n, steps: _cosines(n, not sym, (0.42, 0.5, 0.08), steps), 1.0)


@_page
def nuttall(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Nuttall's window of the least side lobes; arguments and errors as in ``general_cosine``."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)


@_page
def bartlett(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Bartlett's window, a triangle; arguments and errors as in ``general_cosine``."""
    return _made("bartlett", M, dtype, layout, device, requires_grad, lambda n, steps: _triangle(n, not sym, steps), 1.0)


@_page
def kaiser(M, *, beta=12.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Kaiser's window; a larger ``beta`` makes it narrower, a negative one is a ValueError. The others as in ``general_cosine``."""
    _checked("kaiser", M, dtype, layout, device)
    beta = beta.item() if isinstance(beta, Tensor) else beta
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return _made("kaiser", M, dtype, layout, device, requires_grad, lambda n, _: _kaiser(n, not sym, beta), 1.0)


@_page
def cosine(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Half a sine's wave; arguments and errors as in ``general_cosine``."""
    def compute(n, _):
        return np.sin(math.pi * (np.arange(n) + 0.5) / (n + 1 if not sym and n > 1 else n))
    return _made("cosine", M, dtype, layout, device, requires_grad, compute)


@_page
def gaussian(M, *, std=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """The bell curve of standard deviation ``std``, ValueError unless that is positive. The others as in ``general_cosine``."""
    _checked("gaussian", M, dtype, layout, device)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return _made("gaussian", M, dtype, layout, device, requires_grad, lambda n, _: np.exp(-(_centred(n, sym) / std) ** 2 / 2))


@_page
def exponential(M, *, center=None, tau=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Decay from the middle to both sides, to 1 / e over ``tau`` points.

    ``center`` puts the middle of a periodic window elsewhere. ValueError for a ``tau`` that is not positive, and for a ``center``
    with ``sym``; the others as in ``general_cosine``.
    """
    _checked("exponential", M, dtype, layout, device)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows\nPass sym=False.")

    def compute(n, _):
        return np.exp(-np.abs(_centred(n, sym) if center is None else np.arange(n) - center) / tau)
    return _made("exponential", M, dtype, layout, device, requires_grad, compute)


table.settle_homes()
