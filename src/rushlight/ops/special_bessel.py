"""Bessel functions and Airy's, for ``torch.special``. The arithmetic is in ``kernels/special_bessel``.

PyTorch differentiates the exponentially scaled functions and i0 and i1, and has no derivatives of the others: their results
never require grad. This family loads with ``rushlight.special``, not with the package.
"""
from ..kernels import special as plain
from ..kernels import special_bessel as kernels
from .declare import Array, both, op
from .special import special_i1
from .table import publish_late

__all__ = []


def _op(kernel):
    """An operator without derivatives, on the page of ``torch.special``."""
    name = kernel.__name__.removeprefix("special_")
    made = op(promote="float", function=False, differentiable=False, refuse=(name + "_cpu", "ch"))(kernel)
    publish_late("special", name, made.public)
    return made


# ---------------------------------------------------------------- with derivatives

publish_late("special", "i1", special_i1.public)


@op(promote="float", function=False, refuse=("i0e_cpu", "c"), grad_name="SpecialI0EBackward0")
def special_i0e(input: Array):
    """``exp(-abs(input))`` times the modified Bessel function of the first kind, order 0.

    Example::

        >>> import rushlight as torch
        >>> torch.special.i0e(torch.tensor([0., 1000.]))
        tensor([1.0000, 0.0126])
    """
    return kernels.i0e(input)


special_i0e.derivative(input=lambda g, input, out: g * (both.special_i1e(input) - both.sgn(input) * out))


@op(promote="float", function=False, refuse=("i1e_cpu", "c"), grad_name="SpecialI1EBackward0")
def special_i1e(input: Array):
    """``exp(-abs(input))`` times the modified Bessel function of the first kind, order 1."""
    return kernels.i1e(input)


def _i1e_gradient(g, input, out):
    zero = input == 0
    away = both.where(zero, 1, input)
    return g * both.where(zero, 0.5, both.special_i0e(away) - out * (both.sgn(away) + 1 / away))


special_i1e.derivative(input=_i1e_gradient)
for _made in (special_i0e, special_i1e):
    publish_late("special", _made.name.removeprefix("special_"), _made.public)


# ---------------------------------------------------------------- without

@_op
def special_bessel_j0(input: Array):
    """The Bessel function of the first kind, order 0. It has no derivative, as in PyTorch.

    Example::

        >>> import rushlight as torch
        >>> torch.special.bessel_j0(torch.tensor([0., 1.]))
        tensor([1.0000, 0.7652])
    """
    return kernels.j0(input)


@_op
def special_bessel_j1(input: Array):
    """The Bessel function of the first kind, order 1. It has no derivative."""
    return kernels.j1(input)


@_op
def special_bessel_y0(input: Array):
    """The Bessel function of the second kind, order 0: -inf at 0, nan below. It has no derivative."""
    return kernels.y0(input)


@_op
def special_bessel_y1(input: Array):
    """The Bessel function of the second kind, order 1: -inf at 0, nan below. It has no derivative."""
    return kernels.y1(input)


@_op
def special_modified_bessel_i0(input: Array):
    """The modified Bessel function of the first kind, order 0; ``i0`` is the same and has a derivative."""
    return plain.i0(input)


@_op
def special_modified_bessel_i1(input: Array):
    """The modified Bessel function of the first kind, order 1; ``i1`` is the same and has a derivative."""
    return plain.i1(input)


@_op
def special_modified_bessel_k0(input: Array):
    """The modified Bessel function of the second kind, order 0: inf at 0, nan below. It has no derivative."""
    return kernels.k0(input)


@_op
def special_modified_bessel_k1(input: Array):
    """The modified Bessel function of the second kind, order 1: inf at 0, nan below. It has no derivative."""
    return kernels.k1(input)


@_op
def special_scaled_modified_bessel_k0(x: Array):
    """``exp(x)`` times ``modified_bessel_k0``. It has no derivative."""
    return kernels.scaled_k0(x)


@_op
def special_scaled_modified_bessel_k1(x: Array):
    """``exp(x)`` times ``modified_bessel_k1``. It has no derivative."""
    return kernels.scaled_k1(x)


@_op
def special_spherical_bessel_j0(x: Array):
    """``sin(x) / x``, 1 at 0 and 0 at infinity. It has no derivative."""
    return kernels.spherical_j0(x)


@_op
def special_airy_ai(x: Array):
    """Airy's function Ai, which solves y'' = x y and vanishes for large x. It has no derivative.

    Example::

        >>> import rushlight as torch
        >>> torch.special.airy_ai(torch.tensor([-2., 0., 2.]))
        tensor([0.2274, 0.3550, 0.0349])
    """
    return kernels.airy_ai(x)
