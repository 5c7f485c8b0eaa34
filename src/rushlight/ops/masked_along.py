"""Functions of ``torch.masked`` that keep the input's shape: cumulative sums and products, softmax and its like, normalize, logaddexp.

Composites without a rule of their own; see ``_masked``. ``mask`` is true where an element counts, broadcasts to the input, and has no
more dimensions than it. What stands where an element does not count is whatever the neutral number became, 0 after a softmax.
"""
from ._masked import dims_of, neutralized, on_page
from .late import F, torch
from .masked_reductions import masked_norm

__all__ = []


# ---------------------------------------------------------------- sums and products so far

@on_page
def masked_cumsum(input, dim, *, dtype=None, mask=None):
    """The sums of what counts, up to each element along ``dim``; of the input's dtype or of ``dtype``.

    IndexError for a dimension that does not exist and for a mask with more dimensions than the input.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.cumsum(torch.tensor([1., 2., 3.]), 0, mask=torch.tensor([True, False, True]))
        tensor([1., 1., 4.])
    """
    if dtype is None:
        dtype = input.dtype
    d = dims_of(dim, input.ndim)[0]
    return torch.cumsum(neutralized("sum", input, mask), d, dtype=dtype).to(dtype=dtype)


@on_page
def masked_cumprod(input, dim, *, dtype=None, mask=None):
    """The products of what counts, up to each element along ``dim``; of the input's dtype or of ``dtype``.

    IndexError for a dimension that does not exist and for a mask with more dimensions than the input.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.cumprod(torch.tensor([2., 0., 3.]), 0, mask=torch.tensor([True, False, True]))
        tensor([2., 2., 6.])
    """
    if dtype is None:
        dtype = input.dtype
    d = dims_of(dim, input.ndim)[0]
    return torch.cumprod(neutralized("prod", input, mask), d, dtype=dtype).to(dtype=dtype)


# ---------------------------------------------------------------- shares

@on_page
def masked_softmax(input, dim, *, dtype=None, mask=None):
    """``softmax`` along ``dim`` of what counts; the rest gets 0, and NaN where nothing counts.

    ``dtype`` is the one to compute in. NotImplementedError for whole numbers, unless ``dtype`` is a floating one.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.softmax(torch.tensor([1., 2., 1.]), 0, mask=torch.tensor([True, False, True]))
        tensor([0.5000, 0.0000, 0.5000])
    """
    if dtype is None:
        dtype = input.dtype
    d = dims_of(dim, input.ndim)[0]
    return F.softmax(neutralized("amax", input, mask), d, dtype=dtype)


@on_page
def masked_log_softmax(input, dim, *, dtype=None, mask=None):
    """``log_softmax`` along ``dim`` of what counts; the rest gets -inf, and NaN where nothing counts.

    ``dtype`` is the one to compute in. NotImplementedError for whole numbers, unless ``dtype`` is a floating one.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.log_softmax(torch.tensor([1., 2., 1.]), 0, mask=torch.tensor([True, False, True]))
        tensor([-0.6931,    -inf, -0.6931])
    """
    if dtype is None:
        dtype = input.dtype
    d = dims_of(dim, input.ndim)[0]
    return F.log_softmax(neutralized("amax", input, mask), d, dtype=dtype)


@on_page
def masked_softmin(input, dim, *, dtype=None, mask=None):
    """``softmin`` along ``dim`` of what counts: the smallest gets the largest share, the rest 0, and NaN where nothing counts.

    ``dtype`` is the one to compute in. NotImplementedError for whole numbers, unless ``dtype`` is a floating one.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.softmin(torch.tensor([1., 0., 1.]), 0, mask=torch.tensor([True, False, True]))
        tensor([0.5000, 0.0000, 0.5000])
    """
    if dtype is None:
        dtype = input.dtype
    d = dims_of(dim, input.ndim)[0]
    return F.softmin(neutralized("amin", input, mask), d, dtype=dtype)


@on_page
def masked_normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """What counts, divided by its ``ord``-norm along ``dim``, or by ``eps`` if that is larger; the rest gets 0.

    ``dtype`` is that of the norm. RuntimeError for whole numbers, whatever ``dtype`` is.

    Example::

        >>> import rushlight as torch
        >>> torch.masked.normalize(torch.tensor([3., 7., 4.]), 2, 0, mask=torch.tensor([True, False, True]))
        tensor([0.6000, 0.0000, 0.8000])
    """
    made = neutralized("sum", input, mask)
    norm = masked_norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return torch.divide(made, torch.maximum(norm, norm.new_full([], eps)))


# ---------------------------------------------------------------- two inputs

@on_page
def masked_logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """``log(exp(input) + exp(other))``, element by element, each with a mask of its own; -inf where neither counts.

    The result has the dtype of ``input``, or ``dtype``. NotImplementedError for masked bool tensors, TypeError for masked complex ones.

    Example::

        >>> import rushlight as torch
        >>> x, y = torch.tensor([0., 1.]), torch.tensor([0., 2.])
        >>> torch.masked.logaddexp(x, y, other_mask=torch.tensor([True, False]))
        tensor([0.6931, 1.0000])
    """
    if dtype is None:
        dtype = input.dtype
    first, second = neutralized("logaddexp", input, input_mask), neutralized("logaddexp", other, other_mask)
    return torch.logaddexp(first, second).to(dtype=dtype)
