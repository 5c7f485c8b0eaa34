"""Reductions of ``torch.masked``: sums, products, extremes, means, norms and variances of the elements that a mask lets through.

Composites without a rule of their own; see ``_masked``. In all of them:

* ``mask`` is true where an element counts; it broadcasts to the input and has no more dimensions than it. Without one all count.
* ``dim`` is a dimension or several, all by default; ``keepdim=True`` keeps them with length 1.
* Where nothing counts the result is the neutral number, or NaN in means, medians and variances.
"""
from ..dtypes import bool_, float32, int8, int16, int32, int64, uint8
from ._masked import dims_of, mask_like, need_tensor, neutralized, on_page
from .late import linalg, torch

__all__ = []

_SMALL = (uint8, bool_, int8, int16, int32)


def _summed_in(input, dtype):
    """The dtype of a sum or product: int64 for smaller whole numbers, unless one is asked for."""
    need_tensor(input)
    return dtype if dtype is not None else int64 if input.dtype in _SMALL else input.dtype


# ---------------------------------------------------------------- sums and products

@on_page
def masked_sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum of what counts. Small whole numbers are summed in int64; ``dtype`` names another.

    IndexError for a dimension that does not exist and for a mask with more dimensions than the input.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor([[1., 2.], [3., 4.]])
        >>> torch.masked.sum(x, 1, mask=torch.tensor([[True, False], [True, True]]))
        tensor([1., 7.])
    """
    dtype = _summed_in(input, dtype)
    dims = dims_of(dim, input.ndim)
    return torch.sum(neutralized("sum", input, mask), dims, bool(keepdim), dtype=dtype)


@on_page
def masked_prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of what counts, in int64 for small whole numbers or in ``dtype``.

    IndexError for a dimension that does not exist and for a mask with more dimensions than the input.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.prod(torch.tensor([2., 0., 3.]), mask=torch.tensor([True, False, True]))
        tensor(6.)
    """
    dtype = _summed_in(input, dtype)
    dims = dims_of(dim, input.ndim)
    made = neutralized("prod", input, mask).to(dtype=dtype)
    for d in reversed(dims):
        made = made.prod(dim=d, keepdim=bool(keepdim))
    return made


# ---------------------------------------------------------------- extremes

@on_page
def masked_amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest of what counts, of the input's dtype or of ``dtype``; equal maxima share the gradient.

    NotImplementedError for masked bool tensors, which have no least number to stand in. IndexError for a reduction of nothing.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.amax(torch.tensor([2., 9., 3.]), mask=torch.tensor([True, False, True]))
        tensor(3.)
    """
    made = neutralized("amax", input, mask)
    return torch.amax(made, dims_of(dim, made.ndim), bool(keepdim)).to(dtype=input.dtype if dtype is None else dtype)


@on_page
def masked_amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest of what counts, of the input's dtype or of ``dtype``; equal minima share the gradient.

    NotImplementedError for masked bool tensors, which have no greatest number to stand in. IndexError for a reduction of nothing.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.amin(torch.tensor([2., 1., 3.]), mask=torch.tensor([True, False, True]))
        tensor(2.)
    """
    made = neutralized("amin", input, mask)
    return torch.amin(made, dims_of(dim, made.ndim), bool(keepdim)).to(dtype=input.dtype if dtype is None else dtype)


@on_page
def masked_argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the largest of what counts is: over one ``dim``, or in the flattened input.

    The positions have the *input's* dtype, as in PyTorch: pass ``dtype=torch.int64`` to index with them. NotImplementedError for masked
    bool tensors.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor([2., 9., 3.])
        >>> torch.masked.argmax(x, 0, dtype=torch.int64, mask=torch.tensor([True, False, True]))
        tensor(2)
    """
    made = neutralized("argmax", input, mask)
    return torch.argmax(made, dim, bool(keepdim)).to(dtype=input.dtype if dtype is None else dtype)


@on_page
def masked_argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the smallest of what counts is: over one ``dim``, or in the flattened input.

    The positions have the *input's* dtype, as in PyTorch: pass ``dtype=torch.int64`` to index with them. NotImplementedError for masked
    bool tensors.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor([2., 1., 3.])
        >>> torch.masked.argmin(x, 0, dtype=torch.int64, mask=torch.tensor([True, False, True]))
        tensor(0)
    """
    made = neutralized("argmin", input, mask)
    return torch.argmin(made, dim, bool(keepdim)).to(dtype=input.dtype if dtype is None else dtype)


# ---------------------------------------------------------------- means, medians, norms

def _counted(input, dim, keepdim, dtype, mask):
    """(how many elements count, their sum, the mask in the input's shape or None)."""
    if mask is None:
        count = masked_sum(torch.ones(input.shape, dtype=int64, device=input.device), dim, keepdim=keepdim)
    else:
        mask = mask_like(input, mask)
        count = mask.sum(dim=dim, keepdim=bool(keepdim))
    return count, masked_sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask), mask


@on_page
def masked_mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The mean of what counts; NaN where nothing does.

    ValueError for whole numbers, unless ``dtype`` is a floating or complex one.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.mean(torch.tensor([2., 9., 3.]), mask=torch.tensor([True, False, True]))
        tensor(2.5000)
    """
    source = "Input" if dtype is None else "Optional"
    if dtype is None:
        dtype = input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. "
                         f"Got: {dtype}\nPass dtype=torch.float32.")
    count, total, _ = _counted(input, dim, keepdim, dtype, mask)
    return total / count


@on_page
def masked_median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The median over one dimension of what counts and is not NaN, the lower one of two; NaN where there is none.

    Whole numbers are compared in float32 and come back in their dtype or ``dtype`` (which floating inputs ignore, as in PyTorch);
    ValueError if a row of theirs is wholly masked out, as they have no NaN.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.median(torch.tensor([5., 1., 9., 3.]), mask=torch.tensor([True, True, False, True]))
        tensor(3.)
    """
    if dtype is None:
        dtype = input.dtype
    d = dims_of(dim, input.ndim)[0]
    floating = input.dtype.is_floating_point
    if not floating:
        input = input.to(dtype=float32)
    made = torch.nanmedian(neutralized("median", input, mask), d, keepdim).values
    if floating:
        return made
    if torch.isnan(made).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point\nConvert the input with .float() "
                         "to get NaN for them.")
    return made.to(dtype=dtype)


@on_page
def masked_logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The logarithm of the sum of the exponentials of what counts; -inf where nothing does.

    Whole numbers give their own dtype back, as in PyTorch: pass ``dtype``. NotImplementedError for masked bool tensors.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.logsumexp(torch.tensor([0., 5., 0.]), 0, mask=torch.tensor([True, False, True]))
        tensor(0.6931)
    """
    dims = dims_of(dim, input.ndim)
    made = torch.logsumexp(neutralized("logsumexp", input, mask), dims, keepdim=keepdim)
    return made.to(dtype=input.dtype if dtype is None else dtype)


@on_page
def masked_norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The ``ord``-norm of what counts, as of one vector: any number, ``inf`` or ``-inf``.

    RuntimeError for whole numbers, whatever ``dtype`` is; for ``ord=-inf`` under a mask AssertionError for all that is not floating.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.norm(torch.tensor([3., 7., 4.]), 2, mask=torch.tensor([True, False, True]))
        tensor(5.)
    """
    if dtype is None:
        dtype = input.dtype
    made = neutralized("norm", input, mask, ord)
    return linalg.vector_norm(made, ord, dims_of(dim, input.ndim), bool(keepdim), dtype=dtype)


# ---------------------------------------------------------------- variances

def _variance(input, dim, unbiased, correction, keepdim, dtype, mask):
    """The variance of what counts: the sum of squared distances from the mean, by the count less ``correction``, 1 by default."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given\nunbiased=False is correction=0.")
    if correction is None:
        correction = 1.0 if unbiased is None or unbiased else 0.0
    if dtype is None:
        dtype = input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else float32
    inner = dtype if dtype.is_floating_point or dtype.is_complex else float32
    count, total, mask = _counted(input, dim, True, dtype, mask)
    off = torch.subtract(input, torch.divide(total, count))
    squares = masked_sum(off * off.conj(), dim, keepdim=keepdim, dtype=inner, mask=mask)
    if not keepdim:
        count = count.reshape(squares.shape)
    if correction != 0:
        count = torch.subtract(count.to(inner.to_real() if inner.is_complex else inner), float(correction))
        count = torch.maximum(count, count.new_zeros([]))
    return torch.divide(squares, count).to(dtype=dtype)


@on_page
def masked_var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of what counts; NaN or infinite where too little does.

    ``correction`` (1 by default) is subtracted from the count that the squares are divided by; ``unbiased=False`` is ``correction=0``,
    and AssertionError if both are given. Whole numbers are computed in float32. The result for complex numbers is complex.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.var(torch.tensor([1., 50., 3.]), 0, mask=torch.tensor([True, False, True]))
        tensor(2.)
    """
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


@on_page
def masked_std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation of what counts: the root of ``var``, with the same arguments and errors.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.std(torch.tensor([1., 50., 3.]), 0, False, mask=torch.tensor([True, False, True]))
        tensor(1.)
    """
    return torch.sqrt(_variance(input, dim, unbiased, correction, keepdim, dtype, mask))
