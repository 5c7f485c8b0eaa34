"""The Wishart distribution of matrices."""
import math
import warnings

from rushlight import dtypes
from rushlight.ops.late import linalg, torch
from rushlight.tensor import Size

from . import constraints
from .chi2 import Chi2
from .exp_family import ExponentialFamily
from .multivariate_normal import half_log_det, precision_to_scale_tril
from .utils import Number, lazy_property, vec_to_tril_matrix

__all__ = ["Wishart"]

_TRIES = 10


class Wishart(ExponentialFamily):
    """The sum of ``df`` squares ``x @ x.T`` with x normal of the given covariance, p by p; ``df`` may be any number above p - 1.

    Args:
        df: the degrees of freedom.
        covariance_matrix, precision_matrix, scale_tril: exactly one of them, as in ``MultivariateNormal``.

    Raises:
        AssertionError: unless exactly one matrix is given.
        ValueError: for too small a ``df``, too few dimensions, and matrices that break their constraint.

    PyTorch takes the first draw of every sample for singular by mistake, warns, and draws again. The numbers after ``manual_seed`` are the
    same here, so the first draw is discarded; the warning comes only where a sample stays singular.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Wishart
    >>> Wishart(torch.tensor(3.), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _own_dims = {"df": 0, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2, "_unbroadcasted_scale_tril": 2, "_dist_chi2": 1}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        matrices = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = [(name, m) for name, m in matrices.items() if m is not None]
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            batch_shape = matrix.shape[:-2]
            self.df = torch.tensor(df, dtype=matrix.dtype)
        else:
            batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        size = matrix.shape[-1]
        if self.df.le(size - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        if self.df.lt(size).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.", stacklevel=2)
        super().__init__(Size(batch_shape), matrix.shape[-2:], validate_args=validate_args)
        factor = {"scale_tril": lambda m: m, "covariance_matrix": linalg.cholesky,
                  "precision_matrix": precision_to_scale_tril}[name](matrix)
        self._unbroadcasted_scale_tril = factor
        self._dist_chi2 = Chi2(self.df.unsqueeze(-1) - torch.arange(size, dtype=factor.dtype).expand((*batch_shape, -1)))

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def _for_all(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The lower Cholesky factor of the covariance."""
        return self._for_all(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """The covariance of the normal vectors."""
        return self._for_all(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        """Its inverse."""
        factor = self._unbroadcasted_scale_tril
        return self._for_all(torch.cholesky_solve(torch.eye(self._event_shape[-1], dtype=factor.dtype), factor))

    def _as_matrices(self, value):
        return value[..., None, None].expand((*self._batch_shape, 1, 1))

    @property
    def mean(self):
        return self._as_matrices(self.df) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self._event_shape[-1] - 1
        return self._as_matrices(factor.masked_fill(factor <= 0, math.nan)) * self.covariance_matrix

    @property
    def variance(self):
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        return self._as_matrices(self.df) * (covariance.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape):
        """A factor whose diagonal is of chi and what is below it normal (M. Bartlett, 1933), times the covariance's."""
        p = self._event_shape[-1]
        chi = self._dist_chi2.rsample(sample_shape).sqrt()
        chi = chi.clamp(min=dtypes.finfo(chi.dtype).eps)
        below = torch.randn((*sample_shape, *self._batch_shape, p * (p - 1) // 2), dtype=chi.dtype)
        factor = self._unbroadcasted_scale_tril @ (chi.diag_embed() + vec_to_tril_matrix(below, diag=-1))
        return factor @ factor.mT

    def _singular(self, sample, sample_shape):
        return ~self.support.check(sample).reshape((*sample_shape, self._batch_shape.numel())).all(-1)

    def rsample(self, sample_shape=(), max_try_correction=None):
        """A sample with gradients; singular ones are drawn again, ``max_try_correction`` times at most (10 by default)."""
        sample_shape = Size(sample_shape)
        self._bartlett_sampling(sample_shape)
        sample = self._bartlett_sampling(sample_shape)
        singular = self._singular(sample, sample_shape)
        for _ in range(_TRIES if max_try_correction is None else max_try_correction):
            if not singular.any():
                return sample
            sample = torch.where(self._marks(singular), self._bartlett_sampling(sample_shape), sample)
            singular = self._singular(sample, sample_shape)
        if singular.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
        return sample

    def _marks(self, singular):
        return singular.reshape(singular.shape + (1,) * (len(self._batch_shape) + 2))

    def log_prob(self, value):
        self._check(value)
        nu, p, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        return (-nu * (p * math.log(2) / 2 + half_log_det(factor)) - torch.mvlgamma(nu / 2, p)
                + (nu - p - 1) / 2 * linalg.slogdet(value).logabsdet
                - torch.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2)

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        slopes = torch.digamma((nu / 2).unsqueeze(-1) - torch.arange(p, dtype=nu.dtype) / 2).sum(-1)
        return ((p + 1) * (p * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril)) + torch.mvlgamma(nu / 2, p)
                - (nu - p - 1) / 2 * slopes + nu * p / 2)

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        half = y + (p + 1) / 2
        return half * (-linalg.slogdet(-2 * x).logabsdet + math.log(2) * p) + torch.mvlgamma(half, p)
