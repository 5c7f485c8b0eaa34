"""How many threads NumPy's BLAS uses.

The OpenBLAS in NumPy's wheels starts a second thread from 2**18 multiplications on, and its threads wait for one another in a busy
loop. For products of that size the waiting costs about what the second thread gives, and on a machine that is busy with other work
it costs a hundred times more. So ``dot`` takes one thread for them and leaves larger products to as many as are set.
``set_threads`` is what ``torch.set_num_threads`` does. Where NumPy has another BLAS, nothing here has an effect.
"""
import ctypes
import glob
import os

import numpy as np

__all__ = ["dot", "set_threads", "get_threads"]

LOWER, UPPER = 1 << 18, 1 << 22       # multiplications between which one thread is taken


def _library():
    """The (set, get) functions of the OpenBLAS that came with NumPy, or None."""
    folder = os.path.dirname(os.path.dirname(np.__file__))
    for pattern in ("numpy.libs/*openblas*", "numpy/.dylibs/*openblas*"):
        for path in glob.glob(os.path.join(folder, pattern)):
            library = ctypes.CDLL(path)
            for prefix, suffix in (("scipy_openblas", "64_"), ("scipy_openblas", ""), ("openblas", "64_"), ("openblas", "")):
                try:
                    return library[f"{prefix}_set_num_threads{suffix}"], library[f"{prefix}_get_num_threads{suffix}"]
                except AttributeError:
                    continue
    return None


_functions = None
_looked = False


def _openblas():
    """The library's functions, looked for when first needed."""
    global _functions, _looked
    if not _looked:
        _functions, _looked = _library(), True
    return _functions


def get_threads():
    """The number of threads in force, or None if this BLAS does not tell."""
    found = _openblas()
    return found[1]() if found else None


def set_threads(n):
    """Let BLAS use ``n`` threads; False if this BLAS cannot be told."""
    found = _openblas()
    if found:
        found[0](n)
    return bool(found)


def dot(a, b):
    """``a.dot(b)`` of two matrices."""
    if LOWER < a.size * b.shape[-1] < UPPER:
        found = _openblas()
        if found:
            threads = found[1]()
            if threads > 1:
                found[0](1)
                try:
                    return a.dot(b)
                finally:
                    found[0](threads)
    return a.dot(b)
