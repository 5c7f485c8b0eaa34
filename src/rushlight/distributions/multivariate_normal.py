"""The normal distribution of vectors."""
import math

from rushlight.ops.late import linalg, torch

from . import constraints
from .distribution import Distribution
from .utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def _batch_mv(matrix, vector):
    """Products of batches of matrices and vectors."""
    return torch.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def half_log_det(tril):
    """Half the logarithm of the determinant of ``tril @ tril.mT``."""
    return tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _batch_mahalanobis(tril, x):
    """The squared lengths of ``x`` measured by the covariance ``tril @ tril.mT``.

    Samples of one distribution are right-hand sides of one system: what stands before the batch of ``tril`` goes to the columns.
    """
    n, outer = x.size(-1), x.dim() - tril.dim() + 1
    batch = x.shape[outer:-1]
    columns = x.reshape((-1, *x.shape[outer:])).movedim(0, -1)
    solved = linalg.solve_triangular(tril.expand((*batch, n, n)), columns, upper=False)
    return solved.pow(2).sum(-2).movedim(-1, 0).reshape(x.shape[:-1])


def precision_to_scale_tril(precision):
    """The lower Cholesky factor of the inverse, from the factor of the matrix read backwards; nothing is inverted."""
    backwards = linalg.cholesky(torch.flip(precision, (-2, -1)))
    upper = torch.flip(backwards, (-2, -1)).transpose(-2, -1)
    return linalg.solve_triangular(upper, torch.eye(precision.shape[-1], dtype=precision.dtype), upper=False)


class MultivariateNormal(Distribution):
    """The normal distribution with mean ``loc`` (..., n) and one of three matrices (..., n, n).

    Args:
        loc: the mean.
        covariance_matrix: positive definite.
        precision_matrix: its inverse, positive definite.
        scale_tril: its lower Cholesky factor, with which all is computed: the cheapest to give.

    Raises:
        ValueError: unless exactly one matrix is given, for too few dimensions, and for matrices that break their constraint.

    >>> import rushlight as torch
    >>> from rushlight.distributions import MultivariateNormal
    >>> d = MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> d.log_prob(torch.zeros(2)), d.event_shape
    (tensor(-1.8379), torch.Size([2]))
    """

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True
    _own_dims = {"loc": 1, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2}
    _kept = ("_unbroadcasted_scale_tril",)

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = [(name, m) for name, m in matrices.items() if m is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given
        if matrix.dim() < 2:
            kind = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{kind} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = {"scale_tril": lambda m: m, "covariance_matrix": linalg.cholesky,
                                          "precision_matrix": precision_to_scale_tril}[name](matrix)

    def _for_all(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The lower Cholesky factor of the covariance."""
        return self._for_all(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """The covariance."""
        return self._for_all(torch.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        return self._for_all(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=()):
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, _standard_normal(self._extended_shape(sample_shape), self.loc.dtype))

    def log_prob(self, value):
        self._check(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - half_log_det(self._unbroadcasted_scale_tril)

    def entropy(self):
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det(self._unbroadcasted_scale_tril)
        return found.expand(self._batch_shape)
