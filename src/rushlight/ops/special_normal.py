"""The normal distribution's functions, entropy and ``xlog1py``, for ``torch.special``.

The arithmetic is in ``kernels/special_normal``. This family loads with ``rushlight.special``, not with the package.
"""
import math

import numpy as np

from ..kernels import special_normal as kernels
from ._reduced import give, need_tensor
from .call import overridable
from .declare import Array, Operand, both, op
from .late import torch
from .table import publish_late

__all__ = []


@op(promote="float", function=False, refuse=("entr_cpu", "c"))
def special_entr(input: Array):
    """``-input * log(input)``, the part that a probability has in an entropy: 0 at 0, -inf below.

    Example::

        >>> import rushlight as torch
        >>> torch.special.entr(torch.tensor([0., 0.5, 1.])) + 0
        tensor([0.0000, 0.3466, 0.0000])
    """
    return kernels.entr(input)


special_entr.derivative(input=lambda g, input: g * (-1 - both.log(input)))


@op(promote="float", function=False, refuse=("erfcx_cpu", "ch"))
def special_erfcx(input: Array):
    """``exp(input * input) * erfc(input)``, which neither overflows nor vanishes for large ``input``.

    Example::

        >>> import rushlight as torch
        >>> torch.special.erfcx(torch.tensor([0., 100.]))
        tensor([1.0000, 0.0056])
    """
    return kernels.erfcx(input)


special_erfcx.derivative(input=lambda g, input, out: g * (2 * input * out - 2 / math.sqrt(math.pi)))


@op(promote="float", function=False, refuse=("log_ndtr_cpu", "ch"))
def special_log_ndtr(input: Array):
    """The logarithm of ``ndtr``, accurate far out on both sides.

    Example::

        >>> import rushlight as torch
        >>> torch.special.log_ndtr(torch.tensor([-1., 0.]))
        tensor([-1.8410, -0.6931])
    """
    return kernels.log_ndtr(input)


special_log_ndtr.derivative(input=lambda g, input: g / both.special_erfcx(input * -math.sqrt(0.5)) * math.sqrt(2 / math.pi))


@op(promote="float", function=False, refuse=("ndtri_cpu", "ch"))
def special_ndtri(input: Array):
    """The inverse of ``ndtr``: infinite at 0 and 1, nan outside.

    Example::

        >>> import rushlight as torch
        >>> torch.special.ndtri(torch.tensor([0.025, 0.5]))
        tensor([-1.9600,  0.0000])
    """
    return kernels.ndtri(input)


special_ndtri.derivative(input=lambda g, out: g * (math.sqrt(2 * math.pi) * both.exp(out * out / 2)))


@op(promote="float", function=False, refuse=("xlog1py_cpu", "c"), grad_name="SpecialXlog1PyBackward0")
def special_xlog1py(input: Operand, other: Operand):
    """``input * log1p(other)``, and 0 where ``input`` is 0 unless ``other`` is nan.

    Example::

        >>> import rushlight as torch
        >>> torch.special.xlog1py(torch.tensor([0., 2.]), torch.tensor([-1., 1.]))
        tensor([0.0000, 1.3863])
    """
    return np.where(np.logical_and(input == 0, ~np.isnan(other)), 0, input * np.log1p(other)).astype(input.dtype, copy=False)


special_xlog1py.derivative(
    input=lambda g, input, other: both.where(both.logical_and(input == 0, other <= -1), 0, both.special_xlog1py(g, other)),
    other=lambda g, input, other: g * input / (other + 1))


def ndtr(input, *, out=None):
    """The integral of the normal distribution up to ``input``.

    Example::

        >>> import rushlight as torch
        >>> torch.special.ndtr(torch.tensor([-1., 0., 1.]))
        tensor([0.1587, 0.5000, 0.8413])
    """
    need_tensor("special_ndtr", "input", input)
    return give(out, (1 + torch.erf(input * math.sqrt(0.5))) * 0.5, "special_ndtr")


publish_late("special", "ndtr", overridable(ndtr, "special_ndtr"))
for _made in (special_entr, special_erfcx, special_log_ndtr, special_ndtri, special_xlog1py):
    publish_late("special", _made.name.removeprefix("special_"), _made.public)
