"""Functions and methods of ``torch`` whose families load when they are first called, so that import stays quick.

What they compute is written in ``special_gamma`` and ``spectrum``.
"""
import importlib

from .declare import composite

__all__ = []


def _family(name):
    return importlib.import_module(f".{name}", __package__)


@composite(method=True, inplace=True)
def igamma(input, other, *, out=None):
    """The regularised lower incomplete gamma function: the share of the gamma distribution of shape ``input`` below ``other``.

    nan for negative numbers. NotImplementedError for integers and complex numbers; ``other`` has a derivative, ``input`` has none.

    Example::

        >>> import rushlight as torch
        >>> torch.igamma(torch.tensor([1., 2.]), torch.tensor([1., 1.]))
        tensor([0.6321, 0.2642])
    """
    return _family("special_gamma").igamma.public(input, other, out=out)


@composite(method=True, inplace=True)
def igammac(input, other, *, out=None):
    """``1 - igamma(input, other)``, accurate where that is tiny; errors and derivatives as there."""
    return _family("special_gamma").igammac.public(input, other, out=out)
