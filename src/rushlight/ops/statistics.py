"""Statistics over dimensions: nansum and nanmean, counts, variances, covariances."""
import sys
import warnings

import numpy as np

from ..dtypes import BY_NUMPY, FLOATING, INTEGRAL
from ..kernels import reduce as kernels
from ..kernels.reduce import add, lost_count
from ..tensor import Tensor, wrap
from ._reduced import divided, give, like, plain, spread, total
from .declare import Array, both, composite, op
from .overload import ABSENT, overloads, quick_pair
from .reduce import mean_of

__all__ = ["warn"]

_f32, _f64 = np.dtype(np.float32), np.dtype(np.float64)
_PACKAGE = __file__.rpartition("ops")[0]


def warn(text):
    """A UserWarning that points at the nearest caller outside this package."""
    frame, depth = sys._getframe(1), 2
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, UserWarning, stacklevel=depth)


# ---------------------------------------------------------------- around NaN

@op(method=True)
def nansum(input: Array, dim=None, keepdim=False, *, dtype=None):
    """The sum, over all or ``dim``, with NaN counted as 0. RuntimeError for complex tensors."""
    if input.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs\nSum the real and imaginary parts.")
    if input.dtype.kind in "fV":
        input = np.where(np.isnan(input), input.dtype.type(0), input)
    return add(input, dim, keepdim, None if dtype is None else dtype.numpy)


nansum.derivative(input=lambda g, input, dim, keepdim:
                  spread(g, tuple(input.shape), dim, keepdim) * like(g, ~np.isnan(plain(input))))


@composite(method=True)
def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The mean, over all or ``dim``, of what is not NaN. RuntimeError for integers.

    Example::

        >>> import rushlight as torch
        >>> torch.tensor([1., float("nan"), 3.]).nanmean()
        tensor(2.)
    """
    if input.dtype.category < FLOATING:
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{input.dtype.scalar_name}\nConvert it with .float() first.")
    count = wrap(np.asarray(add(~np.isnan(input._a), dim, keepdim, None)))
    made = nansum.public(input, dim, keepdim, dtype=dtype) / count
    return give(out, made, "nanmean")


@op(method=True, differentiable=False, out=False)
def count_nonzero(input: Array, dim=None):
    """How many elements are not 0, of all or over ``dim`` (an int or several); int64."""
    return add(input != 0, dim, False, None)


# ---------------------------------------------------------------- variances

_FREEDOM = ("degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input "
            "numel divided by "
            "output numel).")


def _variance(name, x, dim, correction, keepdim):
    """(variance, mean) over ``dim``, computed in two passes; float32 for half types. The mean may have kept
    its dimensions.
    """
    x = kernels.wide(x)
    if dim is None and not keepdim and x.size > correction and x.dtype.kind == "f" and x.flags.c_contiguous \
            and x.ndim:
        flat = x.reshape(-1)
        mean = kernels.add_all(flat) / x.dtype.type(x.size)
        off = flat - mean
        return off.dot(off) / x.dtype.type(x.size - correction), mean
    n = lost_count(x.shape, dim)
    freedom = n - correction
    if freedom <= 0:
        warn(f"{name}(): {_FREEDOM}")
    mean = mean_of(x, dim, True)
    off = x - mean
    square = off * off if off.dtype.kind == "f" else off.real * off.real + off.imag * off.imag
    real = square.dtype.type
    total = add(square, dim, keepdim, None)
    return np.asarray(total) / real(freedom if freedom > 0 else 0), mean


def _check_variance(x, sentence):
    if x.dtype is not _f32 and x.dtype is not _f64 and BY_NUMPY[x.dtype].category < FLOATING:
        raise RuntimeError(f"{sentence} only support floating point and complex dtypes"
                           "\nConvert it with .float() first.")


def _real_of(dtype):
    return dtype if dtype.kind != "c" else np.dtype(f"f{dtype.itemsize // 2}")


def _freedom(correction):
    return 1 if correction is None else correction


def variance_gradient(g, input, dim, correction, keepdim):
    """The gradient of a variance with respect to what it was taken of."""
    shape = tuple(input.shape)
    n, correction = lost_count(shape, dim), _freedom(correction)
    if n - correction <= 0:
        x = plain(input)
        far = np.where(x == mean_of(x, dim, True), np.nan, np.inf)
        return spread(g, shape, dim, keepdim) * like(g, far.astype(_real_of(x.dtype)))
    if not isinstance(input, Tensor):
        g, input = kernels.wide(np.asarray(g)), kernels.wide(input)
    off = input - both.mean(input, dim, True)
    return spread(g * (2.0 / (n - correction)), shape, dim, keepdim) * off


def deviation_gradient(g, input, out, dim, correction, keepdim):
    """The gradient of a standard deviation; 0 where that is 0."""
    deviation = plain(out)
    none = deviation == 0
    g = g / ((out + like(g, none.astype(deviation.dtype))) * 2) * like(g, (~none).astype(deviation.dtype))
    return variance_gradient(g, input, dim, correction, keepdim)


@op(name="var", function=False)
def _var(input: Array, dim=None, *, correction=1, keepdim=False):
    """The variance over ``dim``."""
    _check_variance(input, "std and var")
    made = _variance("var", input, dim, _freedom(correction), keepdim)[0]
    return kernels.narrow(np.asarray(made), _real_of(input.dtype))


_var.derivative(input=lambda g, input, dim, correction, keepdim:
                variance_gradient(g, input, dim, correction, keepdim))


@op(name="std", function=False)
def _std(input: Array, dim=None, *, correction=1, keepdim=False):
    """The standard deviation over ``dim``."""
    _check_variance(input, "std and var")
    made = np.sqrt(_variance("std", input, dim, _freedom(correction), keepdim)[0])
    return kernels.narrow(np.asarray(made), _real_of(input.dtype))


_std.derivative(input=lambda g, input, out, dim, correction, keepdim:
                deviation_gradient(g, input, out, dim, correction, keepdim))


def _with_mean(name, x, dim, correction, keepdim):
    _check_variance(x, name)
    made, mean = _variance(name, x, dim, _freedom(correction), keepdim)
    mean = np.asarray(mean)
    if not keepdim and mean.ndim == x.ndim:
        axes = kernels.axes_of(dim, x.ndim)
        mean = mean.reshape([n for i, n in enumerate(mean.shape) if i not in axes])
    return made, mean.astype(x.dtype)


def _mean_gradient(g, shape, dim, keepdim):
    return spread(divided(g, lost_count(shape, dim)), shape, dim, keepdim)


@op(name="var_mean", function=False, multiple=True)
def _var_mean(input: Array, dim=None, *, correction=1, keepdim=False):
    """Variance and mean over ``dim``."""
    made, mean = _with_mean("var_mean", input, dim, correction, keepdim)
    return kernels.narrow(made, _real_of(input.dtype)), mean


_var_mean.derivative(input=lambda g0, g1, input, dim, correction, keepdim: total(
    None if g0 is None else variance_gradient(g0, input, dim, correction, keepdim),
    None if g1 is None else _mean_gradient(g1, tuple(input.shape), dim, keepdim)))


@op(name="std_mean", function=False, multiple=True)
def _std_mean(input: Array, dim=None, *, correction=1, keepdim=False):
    """Standard deviation and mean over ``dim``."""
    made, mean = _with_mean("std_mean", input, dim, correction, keepdim)
    return kernels.narrow(np.sqrt(made), _real_of(input.dtype)), mean


_std_mean.derivative(input=lambda g0, g1, input, out0, dim, correction, keepdim: total(
    None if g0 is None else deviation_gradient(g0, input, out0, dim, correction, keepdim),
    None if g1 is None else _mean_gradient(g1, tuple(input.shape), dim, keepdim)))

_ABOUT = """over all elements or over ``dim`` (an int or several), real for complex tensors.

    ``correction`` is subtracted from the number of elements that the squares are divided by: 1 by default;
    ``unbiased=False`` (the older spelling, also as the first or second positional argument) means 0. With no
    degree of freedom left it warns and the result is NaN or infinite. RuntimeError for integers."""


def _variance_face(chosen, about, example, method=True):
    """The public function of var and its like, with the older ``unbiased`` among its forms."""
    single, name = not chosen.multiple, chosen.name
    run = chosen.public if single else quick_pair(chosen)

    def face(input, dim=None, unbiased=ABSENT, keepdim=False, *, correction=1, out=None, axis=ABSENT,
             keepdims=ABSENT):
        if axis is not ABSENT:
            dim = axis
        if keepdims is not ABSENT:
            keepdim = keepdims
        if dim.__class__ is bool:
            dim, unbiased = None, dim
        if unbiased is not ABSENT:
            correction = 1 if unbiased else 0
        if single:
            return run(input, dim, correction=correction, keepdim=keepdim, out=out)
        return run(input, dim, correction=correction, keepdim=keepdim)
    face.__name__ = face.__qualname__ = name
    shown = "\n        ".join(("Example::", "", ">>> import rushlight as torch", *example))
    face.__doc__ = f"{about}, {_ABOUT}\n\n    {shown}\n    "
    return overloads(chosen, method=method)(face)


var = _variance_face(_var, "The variance", (">>> torch.tensor([1., 2., 3.]).var()", "tensor(1.)"))
std = _variance_face(_std, "The standard deviation (gradient 0 where it is 0)",
                     (">>> torch.tensor([1., 2., 3.]).std()", "tensor(1.)"))
var_mean = _variance_face(_var_mean, "Variance and mean",
                          (">>> torch.var_mean(torch.tensor([1., 2., 3.]))", "(tensor(1.), tensor(2.))"),
                          method=False)
std_mean = _variance_face(_std_mean, "Standard deviation and mean",
                          (">>> torch.std_mean(torch.tensor([1., 2., 3.]))", "(tensor(1.), tensor(2.))"),
                          method=False)


# ---------------------------------------------------------------- covariances

def _check_weights(name, weights, count, integral):
    if weights is None:
        return
    if weights.ndim > 1:
        raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                           f"{weights.ndim} dimensions"
                           "\nGive one weight per observation.")
    right = weights.dtype.category == INTEGRAL if integral else weights.dtype.category == FLOATING
    if not right:
        raise RuntimeError(f"cov(): expected {name} to have {'integral' if integral else 'floating point'} "
                           f"dtype but got {name} "
                           f"with {weights.dtype.scalar_name} dtype\nConvert the weights.")
    if weights.numel() != count:
        raise RuntimeError(f"cov(): expected {name} to have the same numel as there are observations in the "
                           "input but got "
                           f"{weights.numel()} != {count}\nGive one weight per observation.")
    if count and bool((weights._a < 0).any()):
        raise RuntimeError(f"cov(): {name} cannot be negative\nWeights count observations.")


@composite(method=True)
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables (rows) over observations (columns); of one row or a scalar, its
    variance.

    ``fweights`` repeats observations, ``aweights`` gives them importance. RuntimeError for more than two
    dimensions, bool tensors and weights that do not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.cov(torch.tensor([[0., 1., 2.], [2., 1., 0.]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError("cov(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.ndim} dimensions"
                           "\nGive one matrix.")
    if input.dtype.name == "bool":
        raise RuntimeError("cov(): bool dtype is not supported for input\nConvert it first.")
    x = input if input.ndim == 2 else input.reshape(1, -1)
    count = x.shape[1]
    _check_weights("fweights", fweights, count, True)
    _check_weights("aweights", aweights, count, False)
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    whole = count if weights is None else weights.sum()
    if weights is None:
        mean = x.sum(1) / count if count else x.sum(1) / 0.0
        norm = count - correction
    else:
        weights = weights.reshape(-1)
        if bool(whole != 0) is False and count:
            raise RuntimeError("cov(): weights sum to zero, can't be normalized\nGive some observation a "
                               "positive weight.")
        mean = (x * weights).sum(1) / whole
        if aweights is not None and correction != 0:
            again = weights * aweights.reshape(-1)
            norm = whole - correction * again.sum() / whole
        else:
            norm = whole - correction
    if bool((norm if not isinstance(norm, Tensor) else norm._a) <= 0):
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
             "observations.")
        norm = 0.0
    off = x - mean.unsqueeze(1)
    right = off if weights is None else off * weights
    made = both.matmul(off, right.t().conj()) / norm
    return made.squeeze() if input.ndim < 2 or made.numel() == 1 else made


@composite(method=True)
def corrcoef(input):
    """The matrix of Pearson's correlation coefficients of variables (rows), each within [-1, 1].

    Example::

        >>> import rushlight as torch
        >>> torch.corrcoef(torch.tensor([[0., 1., 2.], [2., 1., 0.]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.ndim} dimensions\nGive one matrix.")
    c = cov(input)
    if c.ndim == 0:
        return c / c
    d = c.diagonal()
    deviation = (d.real if d.dtype.is_complex else d).sqrt()
    c = c / deviation.reshape(-1, 1) / deviation.reshape(1, -1)
    if c.dtype.is_complex:
        return both.complex(c.real.clamp(-1, 1), c.imag.clamp(-1, 1))
    return c.clamp(-1, 1)
