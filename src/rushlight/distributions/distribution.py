"""The base of all distributions: shapes, validation, and copies for other batch shapes.

A distribution is a batch of ``batch_shape`` independent ones, whose values are events of ``event_shape``; a sample has the shape
``sample_shape + batch_shape + event_shape``. Parameters are checked when it is made, values when they are given to ``log_prob`` and
``cdf``, unless ``validate_args`` is False.

PyTorch writes an ``expand`` for each distribution. Here a class only names the attributes that grow with the batch, and how many of their
last dimensions belong to an event: ``_own_dims = {"loc": 1, "scale_tril": 2}``; what it holds besides and keeps stands in ``_kept``.
"""
import warnings

from rushlight.autograd.modes import no_grad
from rushlight.ops.late import torch
from rushlight.tensor import Size, Tensor

from . import constraints
from .utils import broadcast_all, lazy_property

__all__ = ["Distribution"]


class Distribution:
    """The base class; a distribution of one's own defines what it can of ``rsample``, ``log_prob``, ``support``, ``arg_constraints``.

    Args:
        batch_shape: the shape of the batch of distributions.
        event_shape: the shape of one value.
        validate_args: whether to check parameters and values; by default what ``set_default_validate_args`` said, else True.

    Raises:
        ValueError: for parameters that break their constraint.

    >>> import rushlight as torch
    >>> d = torch.distributions.Normal(torch.zeros(3), 1.)
    >>> d.batch_shape, d.event_shape, d.sample((2,)).shape
    (torch.Size([3]), torch.Size([]), torch.Size([2, 3]))
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    _own_dims: dict[str, int] = {}
    _kept: tuple[str, ...] = ()

    @staticmethod
    def set_default_validate_args(value):
        """Switch validation on or off for distributions that are made without ``validate_args``.

        Raises:
            ValueError: unless ``value`` is True or False.
        """
        if value not in (True, False):
            raise ValueError(f"validate_args is True or False, got {value!r}")
        Distribution._validate_args = value

    def __init__(self, batch_shape=Size(), event_shape=Size(), validate_args=None):  # noqa: B008
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self):
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            warnings.warn(f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the "
                          "distribution with `validate_args=False` to turn off validation.", stacklevel=4)
            return
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue  # follows from the parameter that was given
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                                 f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}")

    def _set_parameters(self, validate_args, **values):
        """The ordinary start: parameters that broadcast, whose shape is the batch's. A number is a tensor of no dimensions."""
        tensors = broadcast_all(*values.values())
        self.__dict__.update(zip(values, tensors))
        Distribution.__init__(self, tensors[0].shape, validate_args=validate_args)

    # -- copies ---------------------------------------------------------------------------------------------

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                                      "define a custom .expand() method.")
        return self.__new__(type(self)) if _instance is None else _instance

    def _copy_for(self, batch_shape, instance):
        """An instance with the attributes of ``_own_dims`` and ``_kept`` for another batch shape, otherwise blank."""
        home = next(c for c in type(self).__mro__ if "_own_dims" in vars(c))
        new = self._get_checked_instance(home, instance)
        for name, dims in self._own_dims.items():
            if name in self.__dict__:
                value = self.__dict__[name]
                shape = value.shape if isinstance(value, Tensor) else value.batch_shape
                new.__dict__[name] = value.expand(batch_shape + shape[len(shape) - dims:])
        new.__dict__.update((name, self.__dict__[name]) for name in self._kept)
        return new

    def _finish_copy(self, new, batch_shape, event_shape):
        Distribution.__init__(new, batch_shape, event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def expand(self, batch_shape, _instance=None):
        """The same distribution for the batch shape ``batch_shape``, to which the present one must broadcast; nothing is copied.

        Raises:
            NotImplementedError: for a class of one's own that defines neither this nor what it needs.
        """
        if not self._own_dims:
            raise NotImplementedError(f"{type(self).__name__} defines no expand")
        batch_shape = Size(batch_shape)
        return self._finish_copy(self._copy_for(batch_shape, _instance), batch_shape, self._event_shape)

    # -- what there is to know ------------------------------------------------------------------------------

    @property
    def batch_shape(self):
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of one value."""
        return self._event_shape

    @property
    def arg_constraints(self):
        """The constraint of each parameter, by name."""
        raise NotImplementedError

    @property
    def support(self):
        """The constraint that values satisfy."""
        raise NotImplementedError

    @property
    def mean(self):
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self):
        """The value of the greatest density or probability."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self):
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape=Size()):  # noqa: B008
        """A sample of ``sample_shape`` for each distribution of the batch, without gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=Size()):  # noqa: B008
        """A sample through which gradients flow to the parameters, where ``has_rsample``."""
        raise NotImplementedError

    def sample_n(self, n):
        """``sample((n,))``; PyTorch advises against it."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density or probability at ``value``."""
        raise NotImplementedError

    def cdf(self, value):
        """The probability of values up to ``value``."""
        raise NotImplementedError

    def icdf(self, value):
        """The quantile: the inverse of ``cdf``."""
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """All values there are, along a new first dimension; with ``expand`` for the whole batch shape, else with ones in its place."""
        raise NotImplementedError

    def entropy(self):
        """The entropy, in nats."""
        raise NotImplementedError

    def perplexity(self):
        """``exp`` of the entropy."""
        return torch.exp(self.entropy())

    # -- for the distributions themselves -------------------------------------------------------------------

    def _extended_shape(self, sample_shape=()):
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _enumerated(self, values, expand):
        """``values`` along the first dimension, before the batch."""
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _validate_sample(self, value):
        if not isinstance(value, Tensor):
            raise ValueError(f"The value argument to log_prob must be a Tensor\nGot {type(value).__name__}: use torch.tensor(value).")
        event = value.shape[value.dim() - len(self._event_shape):]
        if event != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}.")
        whole = self._batch_shape + self._event_shape
        if any(i != 1 and j != 1 and i != j for i, j in zip(reversed(value.shape), reversed(whole))):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {whole}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{type(self)} does not define `support` to enable sample validation. Please initialize the distribution with "
                          "`validate_args=False` to turn off validation.", stacklevel=3)
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value).all():
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                             f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}")

    def _check(self, value):
        """What ``log_prob`` and ``cdf`` begin with."""
        if self._validate_args:
            self._validate_sample(value)

    def __repr__(self):
        given = ((name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__)
        shown = ", ".join(f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in given)
        return f"{type(self).__name__}({shown})"
