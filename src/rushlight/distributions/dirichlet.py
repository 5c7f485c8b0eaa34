"""The Dirichlet distribution."""
from rushlight.autograd.function import Function, once_differentiable
from rushlight.ops.late import F, torch
from rushlight.ops.sampling_gamma import dirichlet_grad, sample_dirichlet

from . import constraints
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx, concentration):
        x = sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, keepdim=True).expand_as(concentration)
        # A share that grows by its own concentration takes from all, in proportion.
        return dirichlet_grad(x, concentration, total) * (grad_output - (x * grad_output).sum(-1, keepdim=True))


class Dirichlet(ExponentialFamily):
    """Shares that add up to 1, with the concentrations in the last dimension of ``concentration``.

    Raises:
        ValueError: for a concentration without dimensions or not positive.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Dirichlet
    >>> d = Dirichlet(torch.tensor([1., 3.]))
    >>> d.mean, d.sample().sum().round()
    (tensor([0.2500, 0.7500]), tensor(1.))
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _own_dims = {"concentration": 1}

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape=()):
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check(value)
        return (torch.xlogy(self.concentration - 1.0, value).sum(-1) + torch.lgamma(self.concentration.sum(-1))
                - torch.lgamma(self.concentration).sum(-1))

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self):
        excess = (self.concentration - 1).clamp(min=0.0)
        mode = excess / excess.sum(-1, keepdim=True)
        corners = (self.concentration < 1).all(dim=-1)  # all the mass at the corners: one of them
        mode[corners] = F.one_hot(mode[corners].argmax(dim=-1), excess.shape[-1]).to(mode)
        return mode

    @property
    def variance(self):
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        total = self.concentration.sum(-1)
        return (torch.lgamma(self.concentration).sum(-1) - torch.lgamma(total)
                - (self.concentration.size(-1) - total) * torch.digamma(total)
                - ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1))

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
