"""The incomplete gamma functions and Hurwitz's zeta function. The arithmetic is in ``kernels/special_gamma``.

Their derivatives by the first argument PyTorch does not have: asking for one is a NotImplementedError. This family loads when
it is first asked for (``asked``), or with ``rushlight.special``.
"""
from ..kernels import special_gamma as kernels
from .declare import Array, Operand, both, op
from .table import publish_late, settle_homes

__all__ = ["igamma", "igammac"]


def _missing(name):
    """The rule of an input whose derivative nobody has written."""
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.\nDetach that input.")


@op(promote="arith", method=True, inplace=True, refuse=("igamma_cpu", "bic"))
def igamma(input: Array, other: Array):
    """The regularised lower incomplete gamma function: the share of the gamma distribution of shape ``input`` below ``other``.

    nan for negative numbers. NotImplementedError for integers and complex numbers; ``other`` has a derivative, ``input`` has none.

    Example::

        >>> import rushlight as torch
        >>> torch.igamma(torch.tensor([1., 2.]), torch.tensor([1., 1.]))
        tensor([0.6321, 0.2642])
    """
    return kernels.igamma(input, other)


def _density(input, other):
    return both.exp((input - 1) * both.log(other) - other - both.lgamma(input))


igamma.derivative(input=lambda g: _missing("igamma: input"), other=lambda g, input, other: g * _density(input, other))


@op(promote="arith", method=True, inplace=True, refuse=("igammac_cpu", "bic"))
def igammac(input: Array, other: Array):
    """``1 - igamma(input, other)``, accurate where that is tiny; errors and derivatives as there."""
    return kernels.igammac(input, other)


igammac.derivative(input=lambda g: _missing("igammac: input"), other=lambda g, input, other: -g * _density(input, other))


@op(promote="float", function=False, refuse=("zeta_cpu", "ch"))
def special_zeta(input: Operand, other: Operand):
    """Hurwitz's zeta function, the sum of ``(other + k) ** -input`` over k = 0, 1, 2...

    inf where ``input`` is 1 and at the poles ``other`` = 0, -1, -2...; nan where ``input`` is below 1. ``other`` has a derivative,
    ``input`` has none.

    Example::

        >>> import rushlight as torch
        >>> torch.special.zeta(torch.tensor([2., 4.]), 1)
        tensor([1.6449, 1.0823])
    """
    return kernels.zeta(input, other)


special_zeta.derivative(input=lambda g: _missing("zeta"),
                        other=lambda g, input, other: -g * input * both.special_zeta(input + 1., other))
publish_late("special", "zeta", special_zeta.public)
settle_homes()
