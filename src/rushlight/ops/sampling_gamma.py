"""Gamma variates that follow their concentration: what ``torch.distributions`` draws Gamma, Beta and their kin from.

Declared when ``torch.distributions`` is loaded. The derivative is no formula of the forward pass: see ``kernels.random_gradients``.
"""
from ..kernels import random_gradients as gradients
from ..kernels import random_rejection as rejection
from ..random import engine_of
from .declare import Array, both, op

__all__ = ["dirichlet_grad", "sample_dirichlet", "standard_gamma"]


def _no_derivative(name):
    def refuse(g):
        raise RuntimeError(f"derivative for aten::{name} is not implemented\nThe gradient of a variate cannot be differentiated again.")
    return refuse


@op(function=False, name="_standard_gamma_grad", grad_name="NotImplemented")
def _standard_gamma_grad(concentration: Array, x: Array):
    """How variates move with their concentrations."""
    return gradients.standard_gamma_grad(concentration, x)


_standard_gamma_grad.derivative(concentration=_no_derivative("_standard_gamma_grad"), x=_no_derivative("_standard_gamma_grad"))


@op(function=False, name="_standard_gamma", grad_name="StandardGammaBackward0")
def _standard_gamma(input: Array, generator):
    """Gamma variates with the concentrations in ``input`` and rate 1."""
    return rejection.standard_gamma(engine_of(generator), input)


_standard_gamma.derivative(input=lambda g, input, out: g * both._standard_gamma_grad(input, out))


@op(function=False, name="_sample_dirichlet", differentiable=False)
def _sample_dirichlet(input: Array, generator):
    """Dirichlet variates with the concentrations in the last dimension of ``input``."""
    return rejection.dirichlet(engine_of(generator), input)


@op(function=False, name="_dirichlet_grad", differentiable=False)
def _dirichlet_grad(x: Array, concentration: Array, total: Array):
    """How components of Dirichlet variates move with their own concentrations."""
    return gradients.dirichlet_grad(x, concentration, total)


def standard_gamma(concentration, generator=None):
    """Gamma variates with rate 1; gradients flow to the concentrations."""
    return _standard_gamma.public(concentration, generator)


def sample_dirichlet(concentration, generator=None):
    """Dirichlet variates, without gradient."""
    return _sample_dirichlet.public(concentration, generator)


def dirichlet_grad(x, concentration, total):
    """The factor of the gradient of a Dirichlet variate."""
    return _dirichlet_grad.public(x, concentration, total)
