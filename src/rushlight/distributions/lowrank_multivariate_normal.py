"""The normal distribution of vectors whose covariance is a diagonal and something of low rank.

With W of n rows and m columns, nothing of n by n is inverted: the *capacitance* ``I + W.T / D @ W`` is m by m, and Woodbury's formula and
the matrix determinant lemma do the rest.
"""
import math

from rushlight.ops.late import linalg, torch

from . import constraints
from .distribution import Distribution
from .multivariate_normal import _batch_mahalanobis, _batch_mv, half_log_det
from .utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _plus_identity(matrix):
    return matrix + torch.eye(matrix.shape[-1], dtype=matrix.dtype)


class LowRankMultivariateNormal(Distribution):
    """The normal distribution with mean ``loc`` (..., n) and covariance ``cov_factor @ cov_factor.mT + diag(cov_diag)``.

    Raises:
        ValueError: for shapes that do not fit one another, and a ``cov_diag`` that is not positive.

    >>> import rushlight as torch
    >>> from rushlight.distributions import LowRankMultivariateNormal
    >>> LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True
    _own_dims = {"loc": 1, "cov_diag": 1, "cov_factor": 2}
    _kept = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            columns = torch.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag "
                             f"{cov_diag.shape}") from error
        self.loc, self.cov_factor, self.cov_diag = columns[0][..., 0], columns[1], columns[2][..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = linalg.cholesky(_plus_identity(torch.matmul(self._scaled_rows(), cov_factor)))
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    def _scaled_rows(self):
        """``W.T / D``."""
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)

    def _log_det(self):
        return 2 * half_log_det(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def _mahalanobis(self, x):
        inner = _batch_mahalanobis(self._capacitance_tril, _batch_mv(self._scaled_rows(), x))
        return (x.pow(2) / self._unbroadcasted_cov_diag).sum(-1) - inner

    def _half_precision(self):
        """A with ``A.mT @ A`` what the factor takes from the diagonal's precision."""
        return linalg.solve_triangular(self._capacitance_tril, self._scaled_rows(), upper=False)

    def _for_all(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        """The variance of each element."""
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The lower Cholesky factor of the covariance."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        rows = self._unbroadcasted_cov_factor / root
        return self._for_all(root * linalg.cholesky(_plus_identity(torch.matmul(rows, rows.mT))))

    @lazy_property
    def covariance_matrix(self):
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._for_all(torch.matmul(factor, factor.mT) + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        half = self._half_precision()
        return self._for_all(torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - half.mT @ half)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        common = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        own = _standard_normal(shape, self.loc.dtype)
        return self.loc + _batch_mv(self._unbroadcasted_cov_factor, common) + self._unbroadcasted_cov_diag.sqrt() * own

    def log_prob(self, value):
        self._check(value)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._log_det() + self._mahalanobis(value - self.loc))

    def entropy(self):
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return found.expand(self._batch_shape)
