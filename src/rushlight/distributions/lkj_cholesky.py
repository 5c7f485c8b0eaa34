"""Random correlation matrices."""
import math

from rushlight import dtypes
from rushlight.ops.late import torch
from rushlight.tensor import Size

from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Lower Cholesky factors of ``dim`` by ``dim`` correlation matrices, whose density goes with ``det ** (concentration - 1)``.

    Sampled row by row, as the onion method of D. Lewandowski, D. Kurowicka and H. Joe (2009): a direction and a squared length.

    Raises:
        ValueError: for a ``dim`` below 2.

    >>> import rushlight as torch
    >>> from rushlight.distributions import LKJCholesky
    >>> factor = LKJCholesky(3).sample()
    >>> torch.allclose((factor @ factor.mT).diagonal(), torch.ones(3))
    True
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _own_dims = {"concentration": 0, "_beta": 1}
    _kept = ("dim",)

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        before = torch.arange(-1, dim - 1, dtype=self.concentration.dtype).clamp(min=0)
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(before + 0.5, marginal.unsqueeze(-1) - 0.5 * before)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def sample(self, sample_shape=()):
        square = self._beta.sample(sample_shape).unsqueeze(-1)
        rows = torch.randn(self._extended_shape(sample_shape), dtype=square.dtype).tril(-1)
        rows = rows / rows.norm(dim=-1, keepdim=True)
        rows[..., 0, :].fill_(0.0)
        below = torch.sqrt(square) * rows
        rest = torch.clamp(1 - torch.sum(below ** 2, dim=-1), min=dtypes.finfo(below.dtype).tiny).sqrt()
        return below + torch.diag_embed(rest)

    def log_prob(self, value):
        self._check(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        power = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1)
        size = self.dim - 1
        alpha = self.concentration + 0.5 * size
        constant = 0.5 * size * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, size) - torch.lgamma(alpha) * size
        return torch.sum(power * diagonal.log(), dim=-1) - constant
