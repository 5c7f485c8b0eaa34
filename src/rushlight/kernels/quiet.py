"""Silence for NumPy's floating-point warnings, cheap enough for every call.

PyTorch computes inf and nan without a word, so kernels run with NumPy's warnings off: not for the whole process, whose
NumPy code keeps its own settings, but from ``hush()`` to ``unhush(token)``. NumPy 2 keeps the setting in a context
variable; setting that takes a tenth of the time of ``np.errstate``. Where a later NumPy hides it, ``np.errstate`` serves.
"""
import types

import numpy as np

__all__ = ["hush", "unhush", "nameless"]

try:
    from numpy._core.umath import _extobj_contextvar, _make_extobj
except ImportError:
    def hush():
        """Turn warnings off; returns what ``unhush`` needs."""
        quiet = np.errstate(all="ignore")
        quiet.__enter__()
        return quiet

    def unhush(token):
        """Back to the setting before."""
        token.__exit__(None, None, None)
else:
    import functools

    hush = functools.partial(_extobj_contextvar.set, _make_extobj(all="ignore"))
    unhush = _extobj_contextvar.reset


def nameless(function):
    """The function in a namespace whose ``__name__`` is None: the interpreter drops warnings attributed to such a frame, so NumPy's
    are not heard, at no cost. Everything that the function calls by name must exist already.
    """
    made = types.FunctionType(function.__code__, {**function.__globals__, "__name__": None}, function.__name__,
                              function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__doc__, made.__annotations__ = function.__doc__, function.__annotations__
    return made
