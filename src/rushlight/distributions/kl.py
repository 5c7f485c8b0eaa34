"""The Kullback-Leibler divergence of two distributions, by a table of formulas.

``kl_divergence(p, q)`` takes the formula registered for the classes of the two or, failing that, for the nearest of their base classes.
The formulas stand in ``_kl_same`` (two of a kind) and ``_kl_cross``.
"""
import warnings

from .distribution import Distribution

__all__ = ["register_kl", "kl_divergence"]

_KL_REGISTRY: dict[tuple[type, type], object] = {}
_KL_MEMOIZE: dict[tuple[type, type], object] = {}


def register_kl(type_p, type_q):
    """A decorator that enters ``f(p, q)`` for distributions of ``type_p`` and ``type_q`` and of classes derived from them.

    Raises:
        TypeError: unless both are subclasses of ``Distribution``.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Normal, kl_divergence, register_kl
    >>> class Mine(Normal):
    ...     pass
    >>> @register_kl(Mine, Mine)
    ... def _kl_mine(p, q):
    ...     return torch.tensor(7.)
    >>> kl_divergence(Mine(0., 1.), Mine(0., 1.))
    tensor(7.)
    """
    for name, kind in ("type_p", type_p), ("type_q", type_q):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(function):
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()  # a nearer formula may have come
        return function
    return decorator


def _nearest(type_p, type_q, matches):
    """The match whose first class is nearest to ``type_p``, then the second to ``type_q``."""
    return min(matches, key=lambda pair: (type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])))


def _find(type_p, type_q):
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    left = _nearest(type_p, type_q, matches)
    right = _nearest(type_q, type_p, [(q, p) for p, q in matches])[::-1]
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left[0].__name__}, "
                      f"{right[1].__name__})", RuntimeWarning, stacklevel=3)
    return _KL_REGISTRY[left]


def kl_divergence(p, q):
    """The mean of ``p.log_prob(x) - q.log_prob(x)`` over x from ``p``; in the batch shape of the two.

    Raises:
        NotImplementedError: if no formula is registered for the pair.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0., 1.), Normal(1., 1.))
    tensor(0.5000)
    """
    kinds = type(p), type(q)
    if kinds not in _KL_MEMOIZE:
        _KL_MEMOIZE[kinds] = _find(*kinds)
    function = _KL_MEMOIZE[kinds]
    if function is NotImplemented:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}\n"
                                  "Enter a formula with register_kl, or average p.log_prob(x) - q.log_prob(x) over samples of p.")
    return function(p, q)
