"""Transforms of vectors and matrices, and different transforms for the parts of a tensor."""
import math

from rushlight import dtypes
from rushlight.ops.late import F, linalg, torch
from rushlight.tensor import Size

from . import constraints
from ._transform import Transform
from ._transforms_by_element import _Plain, clipped_sigmoid
from .utils import _sum_rightmost, lazy_property, tril_matrix_to_vec, vec_to_tril_matrix

__all__ = ["CatTransform", "CorrCholeskyTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform", "SoftmaxTransform",
           "StackTransform", "StickBreakingTransform"]


def _need(shape, dims):
    if len(shape) < dims:
        raise ValueError(f"Too few dimensions on input\nThe transform takes at least {dims}, but got {len(shape)}.")


class CorrCholeskyTransform(Transform):
    """Vectors of length D (D - 1) / 2 to Cholesky factors of correlation matrices, D by D.

    The entries below the diagonal are squashed by tanh; in each row an entry then takes its share of the length that those before it
    left, and the diagonal the rest, so that rows have length 1.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        eps = dtypes.finfo(x.dtype).eps
        r = vec_to_tril_matrix(torch.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r ** 2).sqrt().cumprod(-1)
        return (r + torch.eye(r.shape[-1], dtype=r.dtype)) * F.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = F.pad((1 - torch.cumsum(y * y, dim=-1))[..., :-1], [1, 0], value=1)
        share = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (share.log1p() - share.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        return 0.5 * left.log().sum(-1) - 2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)

    def forward_shape(self, shape):
        _need(shape, 1)
        size = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape):
        _need(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class SoftmaxTransform(_Plain):
    """Vectors to probabilities, ``softmax(x)``, and back, ``log(y)``; no bijection: use ``StickBreakingTransform`` for one."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x):
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        _need(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(_Plain):
    """Vectors of length K to probabilities of length K + 1: each element breaks its share off what is left of a stick."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _log_parts(x, k):
        """The logarithm of how many parts are still to come: shares are even at x = 0."""
        return (k + 1 - x.new_ones(k).cumsum(-1)).log()

    def _call(self, x):
        share = clipped_sigmoid(x - self._log_parts(x, x.shape[-1]))
        return F.pad(share, [0, 1], value=1) * F.pad((1 - share).cumprod(-1), [1, 0], value=1)

    def _inverse(self, y):
        most = y[..., :-1]
        left = torch.clamp(1 - most.cumsum(-1), min=dtypes.finfo(y.dtype).tiny)
        return most.log() - left.log() + self._log_parts(y, most.shape[-1])

    def log_abs_det_jacobian(self, x, y):
        x = x - self._log_parts(x, x.shape[-1])
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        _need(shape, 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape):
        _need(shape, 1)
        return Size((*shape[:-1], shape[-1] - 1))


class LowerCholeskyTransform(_Plain):
    """Square matrices to lower triangular ones of positive diagonal: the upper part is dropped, the diagonal goes through exp."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Plain):
    """Square matrices to positive definite ones: ``L @ L.mT`` with L from ``LowerCholeskyTransform``."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x):
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


class _Parts(Transform):
    """A transform for each part of a tensor along one dimension."""

    def __init__(self, tseq, dim, cache_size):
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self):
        return all(t.bijective for t in self.transforms)

    def _expected(self):
        """The size along the dimension, and its name in errors."""
        raise NotImplementedError

    def _parts(self, value, name):
        """(transform, its part of ``value``) for each."""
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for tensor with {value.dim()} dimensions")
        size, called = self._expected()
        if value.size(self.dim) != size:
            raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {called} {size}")
        return list(zip(self.transforms, self._cut(value)))

    def _cut(self, value):
        raise NotImplementedError

    def _join(self, values):
        raise NotImplementedError

    def _call(self, x):
        return self._join([t(part) for t, part in self._parts(x, "x")])

    def _inverse(self, y):
        return self._join([t.inv(part) for t, part in self._parts(y, "y")])

    def _jacobians(self, x, y):
        return [t.log_abs_det_jacobian(a, b) for (t, a), (_, b) in zip(self._parts(x, "x"), self._parts(y, "y"))]


class CatTransform(_Parts):
    """``tseq[i]`` on the next ``lengths[i]`` entries along ``dim``, as ``torch.cat`` puts them together; lengths are 1 by default."""

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    def _arguments(self):
        return self.transforms, self.dim, self.lengths

    @lazy_property
    def event_dim(self):
        """The greatest of the parts'."""
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self):
        """The sum of the lengths."""
        return sum(self.lengths)

    def _expected(self):
        return self.length, "length"

    def _cut(self, value):
        return torch.split(value, self.lengths, dim=self.dim)

    def _join(self, values):
        return torch.cat(values, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        terms = [_sum_rightmost(term, self.event_dim - t.event_dim) for t, term in zip(self.transforms, self._jacobians(x, y))]
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return torch.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self):
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Parts):
    """``tseq[i]`` on slice i along ``dim``, as ``torch.stack`` puts them together."""

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(tseq, dim, cache_size)

    def _arguments(self):
        return self.transforms, self.dim

    def _expected(self):
        return len(self.transforms), "len(transforms)"

    def _cut(self, value):
        return torch.unbind(value, self.dim)

    def _join(self, values):
        return torch.stack(values, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        return torch.stack(self._jacobians(x, y), dim=self.dim)

    @constraints.dependent_property
    def domain(self):
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
