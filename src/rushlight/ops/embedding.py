"""Embeddings: rows of a table by index, alone or reduced in bags, and one-hot vectors."""
import numpy as np

from ..autograd.modes import no_grad
from ..kernels import embedding as kernels
from ..tensor import user_place, wrap
from .declare import Array, both, composite, op
from .table import namespaces

F = namespaces["nn.functional"]
TYPES = {np.dtype(np.float32): "Float", np.dtype(np.float64): "Double", np.dtype(np.int16): "Short",
         np.dtype(np.int8): "Char", np.dtype(np.uint8): "Byte", np.dtype(bool): "Bool"}


def check_index_dtype(indices, name):
    if indices.dtype not in (np.int64, np.int32):
        kind = TYPES.get(indices.dtype, indices.dtype.name)
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar "
                           "types: Long, Int; but "
                           f"got torch.{kind}Tensor instead (while checking arguments for {name})\nConvert "
                           "it with .long().")


@op(out=False)
def embedding(weight: Array, indices: Array, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """The rows of ``weight`` at ``indices``: shape (*indices.shape, embedding_dim).

    ``padding_idx`` gives a row that gets no gradient; ``scale_grad_by_freq`` divides gradients by how often
    an index occurs. ``sparse=True`` raises NotImplementedError: gradients here are dense. IndexError for an
    index out of range.

    Example::

        >>> import rushlight as torch
        >>> torch.embedding(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1]))
        tensor([[3., 4.]])
    """
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D\nIt has one row for each index.")
    check_index_dtype(indices, "embedding")
    return kernels.take_rows(weight, indices)


@op(function=False, out=False)
def embedding_backward(grad: Array, indices: Array, rows, padding_idx, scale_grad_by_freq):
    """The gradient of the table: for each row the sum of the gradients that used it."""
    scale = kernels.row_scale(indices, padding_idx, scale_grad_by_freq, grad.dtype)
    return kernels.sum_rows(grad if scale is None else grad * scale[..., None], indices, rows)


@op(function=False, out=False, differentiable=False)
def _row_scale(like: Array, indices: Array, padding_idx, scale_grad_by_freq):
    scale = kernels.row_scale(indices, padding_idx, scale_grad_by_freq, like.dtype)
    return np.ones((*indices.shape, 1), like.dtype) if scale is None else scale[..., None]


embedding_backward.derivative(
    grad=lambda g, indices, padding_idx, scale_grad_by_freq: (
        both.embedding(g, indices) * both._row_scale(g, indices, padding_idx, scale_grad_by_freq)
    )
)


def _embedding_rule(g, indices, weight_shape, padding_idx, scale_grad_by_freq, sparse):
    if sparse:
        raise NotImplementedError("rushlight has no sparse gradients\nUse sparse=False.")
    return both.embedding_backward(g, indices, weight_shape[0], padding_idx, scale_grad_by_freq)


embedding.derivative(weight=_embedding_rule)


def renormalize(weight, indices, max_norm, norm_type):
    """Scale the rows of ``weight`` in use down to ``max_norm``, in place and without history."""
    with no_grad():
        a = weight._a
        rows = np.unique(indices._a)
        kernels.check_indices(rows, a.shape[0])
        used = a[rows]
        size = np.linalg.norm(used, norm_type, 1) if rows.size else np.zeros(0, a.dtype)
        large = size > max_norm
        if large.any():
            a[rows[large]] = used[large] * (max_norm / (size[large] + 1e-7))[:, None].astype(a.dtype)
        weight._bump(("embedding_renorm_", user_place()))


def _padding(padding_idx, rows):
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx + rows if padding_idx < 0 else padding_idx


@composite(space="nn.functional", name="embedding")
def _embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):
    """The rows of ``weight`` at the indices ``input``; see ``torch.embedding``.

    ``max_norm``: rows in use with a greater ``norm_type``-norm are first scaled down, in ``weight`` itself.
    """
    padding_idx = _padding(padding_idx, weight.shape[0]) if weight.ndim else -1
    if max_norm is not None:
        renormalize(weight, input, max_norm, norm_type)
    return embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


@composite(space="nn.functional")
def one_hot(tensor, num_classes=-1):
    """Zeros with a 1 at each index, in a new last dimension of ``num_classes`` (-1: the greatest index + 1).
    int64.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
        tensor([[1, 0, 0],
                [0, 0, 1]])
    """
    a = tensor._a
    if a.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.\nConvert it with "
                           ".long().")
    if not a.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.\nGive num_classes.")
    if a.size and a.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(a.max()) + 1
    elif a.size and a.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap((a[..., None] == np.arange(num_classes)).astype(np.int64))


# ---------------------------------------------------------------- bags

@op(function=False, out=False)
def _bag_sum(rows: Array, owner, bags):
    """Row b of the result: the sum of the rows that bag b owns."""
    return kernels.segment_sum(rows, owner, bags)


@op(function=False, out=False)
def _bag_spread(sums: Array, owner):
    """Each bag's row, once for each row it owns."""
    return sums[owner]


@op(function=False, out=False, grad_name="EmbeddingBagBackward0")
def _bag_pick(rows: Array, places):
    """For each bag and column the element of ``rows`` at ``places``, 0 where there is none (-1)."""
    if not rows.shape[0]:
        return np.zeros(places.shape, rows.dtype)
    return np.where(places < 0, rows.dtype.type(0), np.take_along_axis(rows, np.maximum(places, 0), 0))


@op(function=False, out=False)
def _bag_place(picked: Array, places, count):
    """The opposite of ``_bag_pick``: ``picked`` in ``count`` rows of zeros."""
    made = np.zeros((count, picked.shape[1]), picked.dtype)
    bag, column = np.nonzero(places >= 0)
    np.add.at(made, (places[bag, column], column), picked[bag, column])
    return made


_bag_sum.grad_name = "EmbeddingBagBackward0"
_bag_sum.derivative(rows=lambda g, owner: both._bag_spread(g, owner))
_bag_spread.derivative(sums=lambda g, owner, sums_shape: both._bag_sum(g, owner, sums_shape[0]))
_bag_pick.derivative(rows=lambda g, places, rows_shape: both._bag_place(g, places, rows_shape[0]))
_bag_place.derivative(picked=lambda g, places: both._bag_pick(g, places))


def _check_offsets(offsets, length, include_last):
    if offsets.ndim != 1:
        raise RuntimeError("offsets has to be a 1D Tensor, but got Tensor of dimension " + str(offsets.ndim))
    if include_last and not offsets.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if offsets.size and offsets[0] != 0:
        raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start "
                           "from position 0. "
                           f"However, got {offsets[0]}")
    if offsets.size and offsets[-1] > length:
        raise RuntimeError(f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] "
                           f"of {offsets[-1]}")


@composite
def embedding_bag(
    weight,
    indices,
    offsets,
    scale_grad_by_freq=False,
    mode=0,
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """(the rows of ``weight`` at ``indices`` reduced in bags, the bag of each index, the bags' sizes, places
    of maxima).

    ``offsets``: where each bag begins in ``indices``. ``mode``: 0 sum, 1 mean, 2 max.
    """
    ids, begin = indices._a, offsets._a
    check_index_dtype(ids, "embedding_bag")
    check_index_dtype(begin, "embedding_bag")
    if ids.dtype != begin.dtype:
        raise RuntimeError(f"expected scalar type {indices.dtype.scalar_name} but found "
                           f"{offsets.dtype.scalar_name}")
    _check_offsets(begin, ids.size, include_last_offset)
    rows_in_table = weight.shape[0]
    kernels.check_indices(ids, rows_in_table)
    bags = begin.size - 1 if include_last_offset else begin.size
    ends = np.append(begin[1:], ids.size if not include_last_offset else [])[:bags]
    sizes = (ends - begin[:bags]).astype(np.int64)
    owner = np.repeat(np.arange(bags), sizes)
    padding = -1 if padding_idx is None else padding_idx + rows_in_table if padding_idx < 0 else padding_idx
    used = ids[:owner.size]
    kept = used != padding if padding >= 0 else slice(None)
    chosen, owners = wrap(used[kept].astype(np.int64)), owner[kept]
    rows = embedding(weight, chosen, -1, scale_grad_by_freq, sparse)
    counts = np.bincount(owners, minlength=bags)[:bags]
    places = None
    if mode == 2:
        places = kernels.segment_max(rows._a, owners, bags)
        result = _bag_pick(rows, places)
    else:
        if per_sample_weights is not None:
            weights = per_sample_weights[:owner.size]
            weights = weights[wrap(np.flatnonzero(kept))] if padding >= 0 else weights
            rows = rows * weights.unsqueeze(-1)
        result = _bag_sum(rows, owners, bags)
        if mode == 1:
            result = result / wrap(np.maximum(counts, 1).astype(weight._a.dtype)[:, None])
    if places is not None:
        picked = (
            np.where(places < 0, 0, chosen._a[np.maximum(places, 0)])
            if chosen._a.size
            else np.zeros_like(places)
        )
        last = wrap(picked.astype(np.int64))
    else:
        last = wrap(counts.astype(np.int64))
    if mode == 0 and padding < 0:            # PyTorch does not count where nobody needs it
        counts = np.zeros_like(counts)
        last = wrap(counts.astype(np.int64))
    bag_of = wrap(owner.astype(np.int64)) if mode != 0 or padding >= 0 else wrap(np.zeros(0, np.int64))
    return result, bag_of, wrap(counts.astype(np.int64)), last


MODES = {"sum": 0, "mean": 1, "max": 2}


@composite(space="nn.functional", name="embedding_bag")
def _embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """The sum, mean or maximum over bags of rows of ``weight``: ``embedding`` and a reduction in one.

    ``input``: (B, N) indices, a bag a row; or (N) with ``offsets`` where each bag begins. An empty bag gives
    zeros. ``per_sample_weights`` (only for ``sum``) multiply the rows. ValueError for shapes that do not fit.
    """
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, "
                         "then it must have the "
                         f"same shape as the input ({input.shape})")
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a "
                             "mini-batch of fixed length "
                             f"sequences. However, found offsets of type {type(offsets)}")
        offsets = wrap(np.arange(0, input._a.size, input.shape[1] or 1, dtype=input._a.dtype)[:input.shape[0]]
                       if input._a.size else np.zeros(input.shape[0], input._a.dtype))
        include_last_offset = False
        input = input.reshape((-1,))
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape((-1,))
    elif input.ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        renormalize(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is "
                                  "only supported for "
                                  f"mode='sum' (got mode='{mode}'). Please open a feature request on GitHub.")
    return embedding_bag(weight, input, offsets, scale_grad_by_freq, MODES[mode], sparse, per_sample_weights,
                         include_last_offset, padding_idx)[0]
