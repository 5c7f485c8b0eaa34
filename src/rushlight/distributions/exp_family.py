"""Exponential families: entropy from the derivative of the log normalizer.

The density is ``exp(<t(x), theta> - F(theta) + k(x))`` with natural parameters theta and carrier measure k. The mean of t is the gradient
of F, so the entropy ``F - <theta, grad F> - E[k]`` needs no formula of its own (F. Nielsen and R. Nock, "Entropies and cross-entropies of
exponential families", 2010).
"""
from rushlight.autograd.api import grad

from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The base class of exponential families; a subclass defines ``_natural_params``, ``_log_normalizer``, ``_mean_carrier_measure``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Bernoulli, ExponentialFamily
    >>> ExponentialFamily.entropy(Bernoulli(torch.tensor(0.5)))
    tensor(0.6931, grad_fn=<SubBackward0>)
    """

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        """The entropy, by Bregman's divergence of the log normalizer."""
        result = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*params)
        slopes = grad(normalizer.sum(), params, create_graph=True)
        result = result + normalizer
        for param, slope in zip(params, slopes):
            result = result - (param * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result
