"""Products of arrays built on matrix products: with something added, and cross products."""
import numpy as np

from ..dtypes import BY_NUMPY, combine
from .errors import refuse, scalar_name, wrap_dim
from .masked import broadcast
from .matmul import check_mm, check_mv, check_pair, check_same, product

__all__ = ["addmm", "addmv", "addr", "baddbmm", "addbmm", "cross", "cheapest_order", "check_square",
           "matrix_exp"]

_f32 = np.dtype(np.float32)
_PLAIN = frozenset((_f32, np.dtype(np.float64)))


def _wide(x):
    return x.astype(_f32) if BY_NUMPY[x.dtype].low_precision else x


def check_expand(x, shape):
    """``x`` must broadcast to ``shape``."""
    given = x.shape
    lead = len(shape) - len(given)
    if lead < 0:
        raise RuntimeError(f"expand({list(given)}, size={list(shape)}): the number of sizes provided "
                           f"({len(shape)}) must be greater "
                           f"or equal to the number of dimensions in the tensor ({len(given)})")
    for i in range(len(given) - 1, -1, -1):
        if given[i] not in (1, shape[lead + i]):
            raise RuntimeError(f"The expanded size of the tensor ({shape[lead + i]}) must match the existing "
                               f"size ({given[i]}) at "
                               f"non-singleton dimension {lead + i}.  Target sizes: {list(shape)}.  Tensor "
                               f"sizes: {list(given)}")


def _number(value, dtype):
    """``alpha`` or ``beta`` in the kind of the dtype."""
    if dtype.kind in "iu":
        return int(value)
    return value if dtype.kind == "c" or not isinstance(value, complex) else value.real


def combined(x, made, beta, alpha, dtype):
    """``beta * x + alpha * made`` in ``dtype``; ``made`` is ours to write into."""
    beta, alpha = _number(beta, dtype), _number(alpha, dtype)
    if alpha != 1:
        made = made * alpha
    if beta == 0:
        return np.asarray(made).astype(dtype, copy=False)
    return np.asarray((_wide(x) if beta == 1 else _wide(x) * beta) + made).astype(dtype, copy=False)


def addmm(x, a, b, beta, alpha):
    if beta == 1 == alpha and a.ndim == 2 == b.ndim and a.dtype is b.dtype is x.dtype and a.dtype in _PLAIN:
        if a.shape[1] == b.shape[0] and (x.shape == b.shape[1:] or x.shape == (a.shape[0], b.shape[1])):
            made = a.dot(b)
            made += x
            return made
    for name, m in (("mat1", a), ("mat2", b)):
        if m.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {m.ndim}-D tensor\nUse matmul for stacks of "
                               "matrices.")
    if a.shape[1] != b.shape[0]:
        check_mm(a, b)
    check_expand(x, (a.shape[0], b.shape[1]))
    if x.dtype != b.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {scalar_name(x.dtype)} and "
                           f"{scalar_name(b.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    if a.dtype != b.dtype:
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {scalar_name(a.dtype)} and "
                           f"{scalar_name(b.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    check_mm(a, b)
    return combined(x, product(_wide(a), _wide(b)), beta, alpha, a.dtype)


def addmv(x, a, v, beta, alpha):
    check_mv(a, v, x)
    if x.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {x.ndim}, {a.ndim}, {v.ndim}")
    return combined(x, product(_wide(a), _wide(v)), beta, alpha, a.dtype)


def addr(x, v, w, beta, alpha):
    for name, m in (("vec1", v), ("vec2", w)):
        if m.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {m.ndim}-D\nFlatten it first.")
    check_expand(x, (v.shape[0], w.shape[0]))
    common = combine([BY_NUMPY[y.dtype] for y in (x, v, w)], [], []).numpy
    for name, number in (("beta", beta), ("alpha", alpha)):
        if isinstance(number, bool) and common.kind != "b":
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.\nGive a number of the "
                               "tensors' own kind.")
        if isinstance(number, float) and common.kind in "biu":
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point "
                               "number."
                               "\nConvert a tensor to floating point first.")
    x, v, w = (y.astype(common, copy=False) for y in (x, v, w))
    if common.kind == "b":
        made = v[:, None] & w & bool(alpha)
        return made | (x & bool(beta)) if beta else made
    return combined(x, _wide(v)[:, None] * _wide(w), beta, alpha, common)


def _check_batches(a, b):
    for which, m in (("batch1", a), ("batch2", b)):
        if m.ndim != 3:
            raise RuntimeError(f"{which} must be a 3D tensor\nIt has {m.ndim} dimension(s).")


def baddbmm(x, a, b, beta, alpha):
    if a.ndim > 1 and b.ndim > 2:
        check_expand(x, (a.shape[0], a.shape[1], b.shape[2]))
    _check_batches(a, b)
    check_pair(a.shape[0], a.shape[1:], b.shape[0], b.shape[1:])
    if x.dtype != a.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {_lower(x)}, batch1: {_lower(a)}, "
                           f"batch2: {_lower(b)}")
    check_same(a, b, "baddbmm")
    return combined(x, product(_wide(a), _wide(b)), beta, alpha, a.dtype)


def _lower(x):
    return {"Float": "float", "Double": "double", "Long": "long"}.get(scalar_name(x.dtype),
                                                                      scalar_name(x.dtype))


def addbmm(x, a, b, beta, alpha):
    if a.ndim > 1 and b.ndim > 2:
        check_expand(x, (a.shape[1], b.shape[2]))
    _check_batches(a, b)
    if a.shape[0] != b.shape[0]:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {a.shape[0]} and "
                           f"{b.shape[0]}")
    if a.shape[2] != b.shape[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({a.shape[1]}x{a.shape[2]} and "
                           f"{b.shape[1]}x{b.shape[2]})")
    if x.dtype != b.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {scalar_name(x.dtype)} and "
                           f"{scalar_name(b.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    check_same(a, b, "addmm_impl_cpu_")
    # The sum over the batch is one product: all columns side by side, all rows below each other.
    left = np.moveaxis(_wide(a), 0, 1).reshape(a.shape[1], a.shape[0] * a.shape[2])
    right = _wide(b).reshape(b.shape[0] * b.shape[1], b.shape[2])
    return combined(x, product(left, right), beta, alpha, a.dtype)


def cross(a, b, dim):
    """Cross products along one dimension of size 3."""
    if a.ndim != b.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.\nThey have "
                           f"{a.ndim} and {b.ndim}.")
    axis = wrap_dim(dim, a.ndim)
    if a.ndim == 0 or a.shape[axis] != 3 or b.shape[axis] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got "
                           f"{a.shape[axis] if a.ndim else 1} and "
                           f"{b.shape[axis] if b.ndim else 1}")
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(a.dtype)} but found {scalar_name(b.dtype)}"
                           "\nConvert one of them with .to(dtype).")
    if a.dtype.kind == "b":
        raise refuse("cross", a.dtype)
    broadcast(a.shape, b.shape)
    a1, a2, a3 = (_wide(x) for x in np.moveaxis(a, axis, 0))
    b1, b2, b3 = (_wide(x) for x in np.moveaxis(b, axis, 0))
    made = np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis)
    return made.astype(a.dtype, copy=False)


def cheapest_order(shapes):
    """For a chain of matrices: where to split each stretch (first, last) so that the fewest numbers are
    multiplied.
    """
    sizes = [s[0] for s in shapes] + [shapes[-1][1]]
    cost, split = {}, {}
    count = len(shapes)
    for i in range(count):
        cost[i, i] = 0
    for length in range(2, count + 1):
        for i in range(count - length + 1):
            j = i + length - 1
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j))
    return split


def check_square(name, x):
    if x.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.\nIt has "
                           f"{x.ndim}.")
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {x.shape[-2]} "
                           f"by {x.shape[-1]} matrices")


def matrix_exp(x):
    """The exponentials of square matrices, by scaling and squaring.

    exp(x) = exp(x / 2**k) ** (2**k), with k such that the 1-norm of x / 2**k is below 1/2, where 16 terms of
    the series are exact to float64. Matrices of a stack have a k each. Source: Higham, Functions of Matrices,
    chapter 10.
    """
    check_square("matrix_exp", x)
    if x.dtype.kind not in "fc" and not BY_NUMPY[x.dtype].is_floating_point:
        raise RuntimeError("linalg.matrix_exp: Expected a floating point or complex tensor as input. Got "
                           f"{scalar_name(x.dtype)}\nConvert it with .to(dtype).")
    if not x.size:
        return x.copy()
    given, shape = x.dtype, x.shape
    # In double precision: squaring doubles the relative error each time.
    x = x.astype(np.complex128 if given.kind == "c" else np.float64).reshape(-1, *shape[-2:])
    norms = np.abs(x).sum(-2).max(-1)
    steps = np.where(np.isfinite(norms) & (norms > 0.5), np.ceil(np.log2(np.maximum(norms, 1e-300) * 2)),
                     0).astype(int)
    scaled = x / (2.0 ** steps).astype(x.real.dtype)[:, None, None]
    made = np.eye(shape[-1], dtype=x.dtype) + scaled / 16
    for n in range(15, 0, -1):                       # Horner's form of the series
        made = np.eye(shape[-1], dtype=x.dtype) + np.matmul(scaled, made) / n
    for k in range(int(steps.max())):
        todo = steps > k
        made[todo] = np.matmul(made[todo], made[todo])
    return made.reshape(shape).astype(given, copy=False)
