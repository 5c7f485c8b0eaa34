"""Pruning: masks over parameters.

Pruning ``weight`` moves the parameter to ``weight_orig``, keeps ``weight_mask`` as a buffer, and sets ``weight`` to
their product before every call. Pruning again combines the masks: each method then sees what is left.
"""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.nn._ops import namespaces, zeros_like
from rushlight.nn.utils.convert_parameters import parameters_to_vector
from rushlight.tensor import Tensor

__all__ = [
    "BasePruningMethod",
    "PruningContainer",
    "Identity",
    "RandomUnstructured",
    "L1Unstructured",
    "RandomStructured",
    "LnStructured",
    "CustomFromMask",
    "identity",
    "random_unstructured",
    "l1_unstructured",
    "random_structured",
    "ln_structured",
    "global_unstructured",
    "custom_from_mask",
    "remove",
    "is_pruned",
]

_torch = namespaces["torch"]
_ones_like, _rand, _rand_like, _topk, _kthvalue = (
    _torch[name] for name in ("ones_like", "rand", "rand_like", "topk", "kthvalue")
)


class BasePruningMethod(ABC):
    """A way to choose what is kept: subclasses define ``compute_mask`` and ``PRUNING_TYPE``.

    ``PRUNING_TYPE`` says what a further method sees of a tensor that is pruned already: ``"unstructured"`` the
    entries that are left, ``"structured"`` the channels, ``"global"`` all.
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for ``t``, whose mask until now is ``default_mask``."""

    def apply_mask(self, module: Any) -> Tensor:
        """The product of the original and its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> Any:
        """Prune ``module.<name>`` by this method; ``importance_scores`` decide instead of the entries.

        If anything fails the module is as it was.
        """
        method = cls._combined(module, name, *args, **kwargs)
        first = not isinstance(method, PruningContainer)
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {original.shape}"
            )
        if first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            mask = _ones_like(original)
        else:
            mask = getattr(module, name + "_mask").detach().clone()
        try:
            mask = method.compute_mask(importance_scores, default_mask=mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    @classmethod
    def _combined(cls, module: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """The method, in a container with those that pruned this tensor before, whose hook goes."""
        hooks = [
            (key, hook)
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if len(hooks) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        for key, _ in hooks:
            del module._forward_pre_hooks[key]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if not hooks:
            return method
        old = hooks[0][1]
        container = old if isinstance(old, PruningContainer) else PruningContainer(old)
        container.add_pruning_method(method)
        return container

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """A pruned copy of a tensor that belongs to no module."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        mask = _ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=mask)

    def remove(self, module: Any) -> None:
        """Make the pruning permanent: the parameter is the masked one from now on."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods that pruned one tensor, one after the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add one. TypeError for what is no method, ValueError for another tensor's."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the newest method, over what the others left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if mask is default_mask:
            mask = default_mask.clone()
        part = self._visible(method, t, default_mask)
        mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(dtype=mask.dtype)
        return mask

    @staticmethod
    def _visible(method: Any, t: Tensor, mask: Tensor) -> Any:
        """The index of what the method sees."""
        kind = method.PRUNING_TYPE
        if kind == "unstructured":
            return mask == 1
        dims = t.dim()
        if kind == "global":
            return (slice(None),) * dims
        if kind != "structured":
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        dim = method.dim + dims if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {dims}")
        index: list = [slice(None)] * dims
        index[dim] = mask.sum(dim=[d for d in range(dims) if d != dim]) != 0
        return tuple(index)


class Identity(BasePruningMethod):
    """Prunes nothing, but puts original and mask in their places."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:  # type: ignore[override]
        return super().apply(module, name)


class _Amount(BasePruningMethod):
    """A method that prunes so many entries or channels, or such a share of them."""

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _count(self, size: int) -> int:
        count = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(count, size)
        return count


class RandomUnstructured(_Amount):
    """Prunes entries at random; ``amount``: how many, or which share."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[_topk(_rand_like(t).view(-1), k=count).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Amount):
    """Prunes the entries of least absolute value."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[_topk(t.abs().view(-1), k=count, largest=False).indices] = 0
        return mask

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: Any, importance_scores: Tensor | None = None
    ) -> Any:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Channels(_Amount):
    """A method that prunes whole slices along ``dim``."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _check(self, t: Tensor) -> int:
        """How many channels to prune."""
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        return self._count(t.shape[self.dim])

    def _keep(self, t: Tensor, channels: Tensor, default_mask: Tensor) -> Tensor:
        """The mask that keeps these channels, of those that are left."""
        mask = zeros_like(t)
        index: list = [slice(None)] * t.dim()
        index[self.dim] = channels
        mask[tuple(index)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask


class RandomStructured(_Channels):
    """Prunes channels along ``dim`` at random."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._check(t)
        if not count:
            return default_mask
        draw = _rand(t.shape[self.dim])
        return self._keep(t, draw > _kthvalue(draw, k=count).values, default_mask)

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, dim: int = -1) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Channels):
    """Prunes the channels along ``dim`` of least n-norm."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._check(t)
        kept = _topk(_compute_norm(t, self.n, self.dim), k=t.shape[self.dim] - count, largest=True)
        return self._keep(t, kept.indices, default_mask) if count else default_mask

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Tensor | None = None
    ) -> Any:
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes where a given mask is 0."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Tensor) -> Any:  # type: ignore[override]
        return super().apply(module, name, mask=mask)


def identity(module: Any, name: str) -> Any:
    """Prepare ``module.<name>`` for pruning without pruning anything; returns the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Prune ``amount`` entries (an int), or that share of them (a float), at random; returns the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Tensor | None = None) -> Any:
    """Prune the ``amount`` of entries of least absolute value; returns the module.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.nn.utils import prune
        >>> layer = prune.l1_unstructured(torch.nn.Linear(4, 5), "weight", amount=0.5)
        >>> layer.weight_mask.sum()
        tensor(10.)
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Prune the ``amount`` of slices along ``dim`` at random; returns the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Any:
    """Prune the ``amount`` of slices along ``dim`` of least ``n``-norm; returns the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: dict | None = None, **kwargs: Any
) -> None:
    """Prune all of several tensors together by an unstructured method.

    ``parameters``: (module, name) pairs; ``importance_scores``: for some of the pairs; ``kwargs``: the method's.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.nn.utils import prune
        >>> net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
        >>> prune.global_unstructured([(layer, "weight") for layer in net], prune.L1Unstructured, amount=10)
        >>> sum(int((layer.weight == 0).sum()) for layer in net)
        10
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    values = [getattr(module, name) for module, name in pairs]
    relevant = parameters_to_vector([scores.get(pair, value) for pair, value in zip(pairs, values)])
    masks = [
        getattr(module, name + "_mask", _ones_like(value)) for (module, name), value in zip(pairs, values)
    ]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    final = PruningContainer(method).compute_mask(relevant, parameters_to_vector(masks))
    start = 0
    for (module, name), value in zip(pairs, values):
        end = start + value.numel()
        custom_from_mask(module, name, mask=final[start:end].view_as(value))
        start = end


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prune where ``mask`` is 0; returns the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Any, name: str) -> Any:
    """Make the pruning of ``module.<name>`` permanent; ValueError if it is not pruned."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether anything in the module is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for part in module.modules()
        for hook in part._forward_pre_hooks.values()
    )


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if whole and amount < 0 or not whole and not 0.0 <= float(amount) <= 1.0:
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and int(amount) > tensor_size:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}"
        )


def _validate_structured_pruning(t: Tensor) -> None:
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    """The n-norm of each slice along ``dim``."""
    dims = list(range(t.dim()))
    del dims[dim]
    return t.norm(p=n, dim=dims)
