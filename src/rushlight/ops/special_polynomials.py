"""Orthogonal polynomials, for ``torch.special``. The arithmetic is in ``kernels/orthogonal``.

Each takes the points ``x`` and the degrees ``n``, tensors or numbers that broadcast, of which one is a tensor. Degrees are cut
to whole numbers; one below 0 gives 0. They have no derivatives, as in PyTorch. This family loads with ``rushlight.special``.
"""
from ..kernels import orthogonal as kernels
from .declare import Operand, op
from .table import publish_late

__all__ = []


def _op(kernel):
    """An operator on the page of ``torch.special``."""
    name = kernel.__name__.removeprefix("special_")
    made = op(promote="float", function=False, differentiable=False, refuse=(name + "_cpu", "ch"))(kernel)
    publish_late("special", name, made.public)
    return made


@_op
def special_chebyshev_polynomial_t(x: Operand, n: Operand):
    """Chebyshev's polynomial of the first kind, of degree ``n``: at the cosine of an angle, the cosine of n times the angle.

    Example::

        >>> import rushlight as torch
        >>> torch.special.chebyshev_polynomial_t(torch.tensor([0.5, 2.]), 3)
        tensor([-1., 26.])
    """
    return kernels.chebyshev("t", x, n)


@_op
def special_chebyshev_polynomial_u(x: Operand, n: Operand):
    """Chebyshev's polynomial of the second kind, of degree ``n``."""
    return kernels.chebyshev("u", x, n)


@_op
def special_chebyshev_polynomial_v(x: Operand, n: Operand):
    """Chebyshev's polynomial of the third kind, of degree ``n``."""
    return kernels.chebyshev("v", x, n)


@_op
def special_chebyshev_polynomial_w(x: Operand, n: Operand):
    """Chebyshev's polynomial of the fourth kind, of degree ``n``."""
    return kernels.chebyshev("w", x, n)


@_op
def special_shifted_chebyshev_polynomial_t(x: Operand, n: Operand):
    """Chebyshev's polynomial of the first kind, of degree ``n``, at ``2 * x - 1``."""
    return kernels.chebyshev("t", x, n, shifted=True)


@_op
def special_shifted_chebyshev_polynomial_u(x: Operand, n: Operand):
    """Chebyshev's polynomial of the second kind, of degree ``n``, at ``2 * x - 1``."""
    return kernels.chebyshev("u", x, n, shifted=True)


@_op
def special_shifted_chebyshev_polynomial_v(x: Operand, n: Operand):
    """Chebyshev's polynomial of the third kind, of degree ``n``, at ``2 * x - 1``."""
    return kernels.chebyshev("v", x, n, shifted=True)


@_op
def special_shifted_chebyshev_polynomial_w(x: Operand, n: Operand):
    """Chebyshev's polynomial of the fourth kind, of degree ``n``, at ``2 * x - 1``."""
    return kernels.chebyshev("w", x, n, shifted=True)


@_op
def special_hermite_polynomial_h(x: Operand, n: Operand):
    """Hermite's polynomial of degree ``n``, as physicists have it: leading coefficient 2 ** n.

    nan above degree 512 (128 in single precision).

    Example::

        >>> import rushlight as torch
        >>> torch.special.hermite_polynomial_h(torch.tensor([1., 2.]), 2)
        tensor([ 2., 14.])
    """
    return kernels.hermite(x, n)


@_op
def special_hermite_polynomial_he(x: Operand, n: Operand):
    """Hermite's polynomial of degree ``n``, as probabilists have it: leading coefficient 1; nan as ``hermite_polynomial_h``."""
    return kernels.hermite(x, n, probabilist=True)


@_op
def special_laguerre_polynomial_l(x: Operand, n: Operand):
    """Laguerre's polynomial of degree ``n``, 1 at 0.

    Example::

        >>> import rushlight as torch
        >>> torch.special.laguerre_polynomial_l(torch.tensor([0., 2.]), 2)
        tensor([ 1., -1.])
    """
    return kernels.laguerre(x, n)


@_op
def special_legendre_polynomial_p(x: Operand, n: Operand):
    """Legendre's polynomial of degree ``n``, 1 at 1.

    Example::

        >>> import rushlight as torch
        >>> torch.special.legendre_polynomial_p(torch.tensor([0.5, 1.]), 2)
        tensor([-0.1250,  1.0000])
    """
    return kernels.legendre(x, n)
