"""What the families of ``torch.linalg`` share: ``out=`` of one and of several results, the errors of matrices that have no result,
and the few operations that rules need on arrays and Tensors alike.
"""
import numpy as np

from ..kernels.errors import c_name
from ..kernels.linalg import LinAlgError
from ..tensor import Tensor
from . import call, table
from ._reduced import give, like, plain
from .declare import both

__all__ = ["adjoint", "eye_like", "exactly", "give_one", "give_all", "named", "need_tensors", "need_none", "is_complex", "diagonal_matrix",
           "on_page", "show"]


def adjoint(x):
    """``x`` transposed and conjugated."""
    return both.conj(x.mT)


def is_complex(x):
    return plain(x).dtype.kind == "c"


def eye_like(x, rows, columns=None):
    """Ones on the diagonal, in the dtype and world of ``x``."""
    return like(x, np.eye(rows, columns, dtype=plain(x).dtype))


def diagonal_matrix(x):
    """Square matrices with the last dimension of ``x`` on the diagonal, 0 beside it."""
    n = x.shape[-1]
    return x[..., None] * like(x, np.eye(n, dtype=plain(x).real.dtype))


# ---------------------------------------------------------------- arguments

def need_tensors(name, **given):
    """TypeError for what is no Tensor, among the first parameters and in their order."""
    for position, (parameter, x) in enumerate(given.items(), 1):
        if not isinstance(x, Tensor):
            raise TypeError(f"{name}(): argument '{parameter}' (position {position}) must be Tensor, not {type(x).__name__}"
                            "\nConvert it with torch.as_tensor.")


# ---------------------------------------------------------------- out=

def exactly(wanted, given):
    """What an operator with ``out=`` says of another dtype than its result's."""
    return f"Expected out tensor to have dtype {c_name(wanted.numpy)}, but got {c_name(given.numpy)} instead"


def give_one(out, made, name):
    """A composite's result, or ``out`` with the result written into it."""
    if isinstance(out, Tensor) and out._a.dtype != made._a.dtype:
        raise RuntimeError(exactly(made.dtype, out.dtype) + "\nGive a tensor of the result's dtype.")
    return give(out, made, name)


def named(*fields):
    """A function over operators that returns a named tuple, as PyTorch's ``torch.return_types``."""
    def declare(function):
        function.returns = call.return_type(function.__name__, fields)
        return function
    return declare


def give_all(out, made, function):
    """The results of a ``named`` function, or the tensors given as ``out=`` with the results written into them."""
    if out is not None:
        name = function.__name__
        if len(out) != len(made):
            raise TypeError(f"{name}() expected a tuple of {len(made)} elements as argument 'out', but got {len(out)}")
        made = [give_one(o, r, name) for o, r in zip(out, made)]
    return function.returns(tuple(made))


# ---------------------------------------------------------------- matrices that have no result

def need_none(name, info, text):
    """LinAlgError for the first matrix of which ``info`` tells something; ``text`` goes on from there, with the number."""
    info = plain(info)
    if not info.any():
        return
    at = int(np.flatnonzero(info)[0])
    batch = f"(Batch element {at}): " if info.ndim else ""
    raise LinAlgError(f"{name}: {batch}{text(int(info.reshape(-1)[at]))}")


# ---------------------------------------------------------------- the page

def on_page(function):
    """Put a function over operators, called ``linalg_<name>``, on the page ``torch.linalg``."""
    wrapped = call.overridable(function, function.__name__)
    wrapped.composite = True
    table.COMPOSITES[function.__name__] = function
    table.publish_late("linalg", function.__name__.removeprefix("linalg_"), wrapped)
    return function


def show(*ops):
    """Put operators called ``linalg_<name>`` on the page."""
    for op in ops:
        table.publish_late("linalg", op.name.removeprefix("linalg_"), op.public)
