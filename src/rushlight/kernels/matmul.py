"""Matrix products of arrays.

Floating products go straight to BLAS: ``ndarray.dot`` for matrices and vectors (half the overhead of
``np.matmul``), and one product instead of one for each batch where the second operand is a single matrix.
Half types are multiplied and added in float32 and rounded once, as PyTorch does. Which of PyTorch's operators
would have run decides the sentence of an error.
"""
import numpy as np

from . import blas
from .errors import c_name, refuse, scalar_name

__all__ = ["product", "matmul", "mm", "bmm", "mv", "dot", "transposed", "check_mm"]

_f32, _f64 = np.dtype(np.float32), np.dtype(np.float64)
_matmul = np.matmul
# ---------------------------------------------------------------- products

def product(a, b):
    """``a @ b`` of arrays that fit, at least 1-d and of one dtype."""
    d = a.dtype
    if d is _f32 or d is _f64:
        if a.ndim <= 2 and b.ndim <= 2:
            return a.dot(b) if a.size <= 4096 or b.ndim < 2 else blas.dot(a, b)
    elif d.kind == "V" or d.itemsize == 2 and d.kind == "f":
        return product(a.astype(_f32), b.astype(_f32)).astype(d)
    if b.ndim <= 2 < a.ndim and a.size:
        return product(a.reshape(-1, a.shape[-1]), b).reshape(a.shape[:-1] + b.shape[1:])
    return _matmul(a, b)


def transposed(x):
    """The last two dimensions exchanged; arrays and Tensors alike."""
    return x.T if x.ndim == 2 else x.mT


def _columns(shape):
    count = 1
    for n in shape:
        count *= n
    return count


def check_matmul(a, b):
    """PyTorch's errors for ``matmul``: those of the operator that it would have called."""
    n, m = a.ndim, b.ndim
    if n == 0 or m == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {n}D and {m}D"
                           "\nUse * to multiply by a scalar.")
    if n == 1 and m == 1:
        return check_dot(a, b)
    if n == 2 and m == 1:
        return check_mv(a, b)
    if n == 1 and m == 2:
        return check_mm(a[None], b)
    if n == 2 and m == 2:
        return check_mm(a, b)
    if m <= 2 and n >= 3:
        if m == 1:
            return check_mv(a.reshape(_columns(a.shape[:-1]), a.shape[-1]), b)
        return check_mm(a.reshape(_columns(a.shape[:-1]), a.shape[-1]), b)
    x = a[None] if n == 1 else a
    left, right = x.shape[:-2], b.shape[:-2]
    batch = broadcast_batch(left, right)
    size = _columns(batch)
    check_pair(size, x.shape[-2:], size, b.shape[-2:])
    check_same(a, b, "bmm")


def broadcast_batch(left, right):
    try:
        return np.broadcast_shapes(left, right)
    except ValueError:
        n = max(len(left), len(right))
        a, b = (1,) * (n - len(left)) + left, (1,) * (n - len(right)) + right
        i = next(i for i in range(n - 1, -1, -1) if a[i] != b[i] and 1 not in (a[i], b[i]))
        raise RuntimeError(f"The size of tensor a ({a[i]}) must match the size of tensor b ({b[i]}) at "
                           f"non-singleton dimension {i}"
                           "\nThe leading dimensions broadcast.") from None


def check_same(a, b, name):
    """Equal dtypes, and not bool, for a batched product."""
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(a.dtype)} but found {scalar_name(b.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    if a.dtype.kind == "b":
        raise refuse(name, a.dtype)


def check_mm(a, b, bias=None):
    if a.ndim != 2:
        raise RuntimeError("self must be a matrix\nIt has " + f"{a.ndim} dimension(s).")
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix\nIt has " + f"{b.ndim} dimension(s).")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
                           f"{b.shape[0]}x{b.shape[1]})"
                           "\nThe columns of the first are the rows of the second.")
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_name(a.dtype)} != {c_name(b.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    if a.dtype.kind == "b":
        raise refuse("addmm_impl_cpu_", a.dtype)


def check_mv(a, v, start=None):
    """PyTorch's errors for ``mv`` and ``addmv`` (with ``start``, what the product is added to)."""
    if a.ndim != 2 or v.ndim != 1:
        given = 1 if start is None else start.ndim
        raise RuntimeError(f"vector + matrix @ vector expected, got {given}, {a.ndim}, {v.ndim}")
    if a.shape[1] != v.shape[0] or start is not None and start.ndim and start.shape[0] not in (1, a.shape[0]):
        first = a.shape[0] if start is None else start.shape[0] if start.ndim else 1
        raise RuntimeError(f"size mismatch, got input ({first}), mat ({a.shape[0]}x{a.shape[1]}), vec "
                           f"({v.shape[0]})"
                           "\nThe vector has one element per column.")
    first = v if start is None else start
    if a.dtype != v.dtype or first.dtype != v.dtype:
        raise RuntimeError("addmv input tensors must have the same dtype, but got "
                           f"{scalar_name(first.dtype)}, "
                           f"{scalar_name(a.dtype)}, and {scalar_name(v.dtype)}\nConvert them with "
                           ".to(dtype).")
    if a.dtype.kind == "b":
        raise refuse("addmv_impl_cpu", a.dtype)


def check_dot(a, b):
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{scalar_name(a.dtype)} and "
                           f"{scalar_name(b.dtype)}\nConvert one of them with .to(dtype).")
    if a.shape != b.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have "
                           "the same number of "
                           f"elements, but got {a.size} and {b.size} elements respectively")
    if a.dtype.kind == "b":
        raise refuse("dot", a.dtype)


def check_pair(n, left, m, right):
    """Batch size and inner dimension of two stacks of matrices."""
    if n != m or left[1] != right[0]:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{n}, {left[1]}] "
                           "but got: "
                           f"[{m}, {right[0]}].\nThe shapes are (batch, n, m) and (batch, m, p).")


def check_bmm(a, b):
    for name, x in (("batch1", a), ("batch2", b)):
        if x.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor\nIt has {x.ndim} dimension(s).")
    check_pair(a.shape[0], a.shape[1:], b.shape[0], b.shape[1:])
    check_same(a, b, "bmm")


def matmul(a, b):
    """``a @ b`` with PyTorch's checks."""
    check_matmul(a, b)
    return product(a, b)


def mm(a, b):
    check_mm(a, b)
    return product(a, b)


def bmm(a, b):
    check_bmm(a, b)
    return product(a, b)


def mv(a, v):
    check_mv(a, v)
    return product(a, v)


def dot(a, b):
    check_dot(a, b)
    return product(a, b)
