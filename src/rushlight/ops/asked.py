"""Families that are declared when first asked for, and the names under which they can be asked.

Declaring operators takes time at import, and few programs invert a matrix. So the functions of linear algebra on the public page, and
some others, come through its ``__getattr__``, and Tensor's methods are stand-ins, whose first call loads the family and then the
method that has taken the stand-in's place.
"""
import importlib

from ..tensor import Tensor
from . import table

__all__ = ["FUNCTIONS", "METHODS", "load", "function"]

# name -> the module that declares it
FUNCTIONS = dict.fromkeys(
    """cholesky cholesky_inverse cholesky_solve det eig frobenius_norm geqrf inverse lobpcg logdet lstsq lu lu_solve lu_unpack matrix_rank
    nuclear_norm orgqr ormqr pca_lowrank pinverse qr slogdet solve svd svd_lowrank symeig triangular_solve""".split(), "linalg")
METHODS = dict.fromkeys(
    """cholesky cholesky_inverse cholesky_solve det eig geqrf inverse logdet lstsq lu lu_solve orgqr ormqr pinverse qr slogdet solve svd
    symeig triangular_solve""".split(), "linalg")
FUNCTIONS |= dict.fromkeys(("igamma", "igammac"), "special_gamma") | dict.fromkeys(("stft", "istft"), "spectrum") | dict.fromkeys(
    ("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"), "windows")
METHODS |= dict.fromkeys(("igamma", "igamma_", "igammac", "igammac_"), "special_gamma") | dict.fromkeys(("stft", "istft"), "spectrum")


def load(module):
    """Declare a family."""
    importlib.import_module(f"{__package__}.{module}")


def function(name):
    """The function of the public page called ``name``."""
    load(FUNCTIONS[name])
    return table.namespaces["torch"][name]


def _stand_in(name):
    def method(self, *args, **kwargs):
        load(METHODS[name])
        return getattr(Tensor, name)(self, *args, **kwargs)
    method.__name__ = method.__qualname__ = name
    return method


for _name in METHODS:
    setattr(Tensor, _name, _stand_in(_name))
