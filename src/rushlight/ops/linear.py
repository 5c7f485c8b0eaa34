"""Affine maps: ``linear`` and ``bilinear``."""
import copy

import numpy as np

from ..autograd import modes
from ..kernels.blas import dot as blas_dot
from ..kernels.errors import c_name, refuse, scalar_name, uncastable
from ..tensor import wrap
from .call import invoke
from .declare import Array, OptionalArray, both, composite, op
from .functional_form import F32, F64, by_hand, edge_of, remember
from .table import namespaces

state = modes.state


def check_linear(x, w, b):
    """PyTorch's errors for arguments that do not fit."""
    if x.ndim == 0 or w.ndim == 0:
        raise RuntimeError("both arguments to linear need to be at least 1D, but they are "
                           f"{x.ndim}D and {w.ndim}D\nThe last dimension holds the features.")
    if x.dtype != w.dtype or b is not None and b.dtype != x.dtype:
        _refuse_dtypes(x, w, b)
    if x.dtype.kind == "b":
        raise refuse("addmm_impl_cpu_", x.dtype)
    if w.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {w.ndim}D"
                           "\nThe weight has shape (out_features, in_features).")
    if w.ndim == 1 and b is not None:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor\nA 1-D weight takes no bias.")
    if w.ndim == 1 and x.shape[-1] != w.shape[0] and x.ndim == 2:
        raise RuntimeError(f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec "
                           f"({w.shape[0]})")
    rows = x.reshape(-1, x.shape[-1]).shape if x.ndim and x.shape[-1] else (int(np.prod(x.shape[:-1])), 0)
    if x.ndim == 0 or x.shape[-1] != w.shape[-1]:
        columns = w.shape[0] if w.ndim == 2 else 1
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows[0]}x{rows[1]} and "
                           f"{w.shape[-1]}x{columns})"
                           f"\nThe last dimension of the input must be in_features = {w.shape[-1]}.")


def _one_product(x, b):
    """Whether PyTorch adds the bias within one product of matrices (``addmm``), not after it."""
    return b is not None and (x.ndim == 2 or b.ndim == 1 and x.flags.c_contiguous)


def _refuse_dtypes(x, w, b):
    """The sentence depends on which of its products PyTorch would have taken."""
    names = [None if t is None else scalar_name(t.dtype) for t in (x, w, b)]
    if _one_product(x, b):
        name, first = ("self", names[2]) if b.dtype != w.dtype else ("mat1", names[0])
        text = f"{name} and mat2 must have the same dtype, but got {first} and {names[1]}"
    elif x.dtype == w.dtype:         # the bias is added in place, and only its kind can be too high
        if b.dtype.kind in "fcV" and x.dtype.kind in "iub" or b.dtype.kind == "c" != x.dtype.kind:
            raise uncastable(b.dtype, x.dtype)
        return
    elif w.ndim == 1:
        text = (f"dot : expected both vectors to have same dtype, but found {names[0]} and {names[1]}"
                if x.ndim == 1 else
                f"addmv input tensors must have the same dtype, but got {names[1]}, {names[0]}, and {names[1]}")
    elif x.shape[-1] != w.shape[-1]:
        return                       # said below: PyTorch compares the shapes first here
    else:
        text = f"expected m1 and m2 to have the same dtype, but got: {c_name(x.dtype)} != {c_name(w.dtype)}"
    raise RuntimeError(text + "\nConvert one of them with .to(dtype).")


@op(space="nn.functional", out=False)
def linear(input: Array, weight: Array, bias: OptionalArray = None):
    """``input @ weight.T + bias``.

    ``input``: (*, in_features); ``weight``: (out_features, in_features) or (in_features,); ``bias``:
    (out_features,) or (). Returns (*, out_features), without the last dimension for a 1-D weight. Raises
    RuntimeError when shapes or dtypes do not fit.

    Example::

        >>> import rushlight as torch
        >>> x, w = torch.tensor([[1., 2.]]), torch.tensor([[3., 4.], [5., 6.]])
        >>> torch.nn.functional.linear(x, w)
        tensor([[11., 17.]])
    """
    check_linear(input, weight, bias)
    dtype = input.dtype
    if dtype.itemsize == 2 and dtype.kind not in "iu":
        input, weight = input.astype(np.float32), weight.astype(np.float32)
        bias = None if bias is None else bias.astype(np.float32)
    if input.ndim > 2 and input.size and dtype.kind == "f":
        r = _rows(input, weight.T)
    elif input.ndim == weight.ndim == 2 and dtype.kind == "f":
        r = blas_dot(input, weight.T)
    else:
        r = np.asarray(input @ weight.T)
    if bias is not None:
        if bias.ndim > r.ndim or any(n not in (1, m) for n, m in zip(bias.shape[::-1], r.shape[::-1])):
            raise RuntimeError(f"The expanded size of the tensor ({r.shape[-1] if r.ndim else 1}) must match "
                               "the existing "
                               f"size ({bias.shape[-1]}) at non-singleton dimension {r.ndim - 1}.  Target "
                               "sizes: "
                               f"{list(r.shape)}.  Tensor sizes: {list(bias.shape)}\nThe bias has one number "
                               "per output.")
        r += bias
    return r if r.dtype == dtype else r.astype(dtype)


def _rows(x, matrix):
    """``x @ matrix`` as one product of matrices instead of one for each leading index."""
    return blas_dot(x.reshape((-1, x.shape[-1])), matrix).reshape(x.shape[:-1] + matrix.shape[1:])


def _to_input(g, weight):
    if weight.ndim == 1:
        return g[..., None] * both.conj(weight)
    if g.__class__ is np.ndarray and g.dtype.char in "fd" and g.size:
        return blas_dot(g, weight) if g.ndim == 2 else _rows(g, weight) if g.ndim > 2 else g.dot(weight)
    return g @ both.conj(weight)


def _to_weight(g, input, weight_shape):
    if len(weight_shape) == 1:
        return g[..., None] * both.conj(input)       # the sum over leading dimensions comes from fitting
    if input.ndim == 1:
        return g[:, None] * both.conj(input)
    if input.ndim > 2:
        input = input.reshape((-1, input.shape[-1]))
        g = g.reshape((-1, g.shape[-1]))
    if g.__class__ is np.ndarray and g.dtype.char in "fd":
        return blas_dot(g.T, input)
    return g.T @ both.conj(input)


linear.derivative(input=lambda g, weight: _to_input(g, weight),
                  weight=lambda g, input, weight_shape: _to_weight(g, input, weight_shape),
                  bias=lambda g: g)



def _named(name):
    made = copy.copy(linear)
    made.grad_name, made.plans = name, {}
    return made


# PyTorch composes `linear` of other operators, and the last of those names the result's grad_fn.
LINEAR, MATRIX, FOLDED, BATCHED, ADDED, VECTOR, TIMES_VECTOR, SCALAR = map(_named, (
    "AddmmBackward0", "MmBackward0", "ViewBackward0", "UnsafeViewBackward0", "AddBackward0",
    "SqueezeBackward4", "MvBackward0", "DotBackward0"))


def variant(x, w, b):
    """The operator under the name that PyTorch's ``grad_fn`` shows, for arrays (``b`` may be None)."""
    n = x.ndim
    if b is not None:
        return LINEAR if n == 2 else FOLDED if b.ndim == 1 and x.flags.c_contiguous else ADDED
    if w.ndim == 1 and n <= 2:
        return TIMES_VECTOR if n == 2 else SCALAR
    return MATRIX if n == 2 else BATCHED if n > 2 else VECTOR


def _long_way(input, weight, bias):
    try:
        chosen = variant(input._a, weight._a, None if bias is None else bias._a)
    except AttributeError:           # not all of them tensors, which `invoke` says
        chosen = LINEAR
    return invoke(chosen, (input, weight, bias))


@by_hand(linear, "nn.functional")
def _linear(input, weight, bias=None):
    if modes.plain:
        try:
            x = input._a
            w = weight._a
            d = x.dtype
            n = x.ndim
            if d is w.dtype and (d is F32 or d is F64) and w.ndim == 2 and n:
                if n > 2:
                    r = _rows(x, w.T)
                else:
                    r = x.dot(w.T) if x.size <= 2048 or n == 1 else blas_dot(x, w.T)
                if bias is not None:
                    b = bias._a
                    if b.dtype is not d:
                        return _long_way(input, weight, bias)
                    r += b
                t = wrap(r)
                if state.grad and (weight._rg or input._rg or bias is not None and bias._rg):
                    e0, e1 = edge_of(input), edge_of(weight)
                    e2 = None if bias is None else edge_of(bias)
                    mask = e0 is not None, e1 is not None, e2 is not None
                    if True in mask:
                        if mask[0]:
                            c1 = weight._cell()
                            if mask[1]:
                                c0 = input._cell()
                                saved, guard = (w, x, w.shape), (c1, c1[0], c0, c0[0])
                            else:
                                saved, guard = (w,), (c1, c1[0])
                        elif mask[1]:
                            c0 = input._cell()
                            saved, guard = (x, w.shape), (c0, c0[0])
                        else:
                            saved, guard = (), None
                        remember(
                            t,
                            variant(x, w, None if bias is None else b).plan(mask),
                            (e0, e1, e2),
                            saved,
                            guard,
                        )
                return t
        except (AttributeError, TypeError, ValueError, ArithmeticError, IndexError):
            pass      # the long way knows what to say
    return _long_way(input, weight, bias)


for _variant in (LINEAR, MATRIX, FOLDED, BATCHED, ADDED, VECTOR, TIMES_VECTOR, SCALAR):
    _variant.public = linear.public


@composite(space="nn.functional")
def bilinear(input1, input2, weight, bias=None):
    """``input1 @ weight[k] @ input2`` for each k, plus ``bias``.

    ``input1``: (*, in1), ``input2``: (*, in2), ``weight``: (out, in1, in2), ``bias``: (out,); returns (*,
    out). Raises RuntimeError when the shapes do not fit.
    """
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for i, (n, m) in enumerate(zip(input1.shape[:-1], input2.shape[:-1])):
        if n != m:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {n} and {m}")
    for x, at, name in ((input1, 1, "input1"), (input2, 2, "input2")):
        if x.shape[-1] != weight.shape[at]:
            raise RuntimeError(f"bilinear(): {name} size does not match weight size: got {x.shape[-1]} but "
                               "expected "
                               f"{weight.shape[at]}")
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but "
                           "expected "
                           f"{weight.shape[0]}")
    lead = tuple(input1.shape[:-1])
    x, y = input1.reshape((-1, input1.shape[-1])), input2.reshape((-1, input2.shape[-1]))
    out, in1, in2 = weight.shape
    # (n, in1) @ (in1, out * in2) -> (n, out, in2), then the products with y, summed over in2
    made = (x @ weight.permute((1, 0, 2)).reshape((in1, out * in2))).reshape((-1, out, in2))
    result = (made @ y.unsqueeze(-1)).reshape((*lead, out))
    return result if bias is None else result + bias


namespaces["torch"]["bilinear"] = namespaces["nn.functional"]["bilinear"]
