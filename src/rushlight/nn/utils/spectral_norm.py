"""Spectral norm by a hook before each call; `parametrizations.spectral_norm` is newer."""

from typing import Any, TypeVar

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.nn import functional as F
from rushlight.nn._ops import from_numpy, namespaces
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter, UninitializedParameter
from rushlight.nn.utils._transposed import output_dim
from rushlight.tensor import Tensor

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "spectral_norm",
    "remove_spectral_norm",
]

T_module = TypeVar("T_module", bound=Module)
_mv, _dot = namespaces["torch"]["mv"], namespaces["torch"]["dot"]


class SpectralNorm:
    """The hook: it sets ``module.<name>`` to ``<name>_orig`` over its largest singular value."""

    _version: int = 1  # since 1, v is kept and not only u
    name: str
    dim: int
    n_power_iterations: int
    eps: float

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """(outputs, everything else)."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The normalised weight, after the power iterations if asked."""
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):  # in place: replicas may share u and v
                    v.copy_(F.normalize(_mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(_mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()
        return weight / _dot(u, _mv(matrix, v))

    def remove(self, module: Module) -> None:
        """Put the weight back as a parameter."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for end in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, matrix: Tensor, u: Tensor, target_sigma: Tensor) -> Tensor:
        """The v with ``u = W v`` up to scale, scaled so that ``u^T W v`` is the given value."""
        w = matrix.detach()._a
        v = from_numpy((np.linalg.pinv(w.T @ w) @ (w.T @ u._a)).astype(w.dtype))
        return v.mul_(target_sigma / _dot(u, _mv(matrix, v)))

    @staticmethod
    def apply(
        module: Module, name: str, n_power_iterations: int, dim: int, eps: float
    ) -> "SpectralNorm":
        """Replace the parameter by its original and u and v, and hook the module."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the "
                "dummy forward before applying spectral normalization"
            )
        with no_grad():
            height, width = made.reshape_weight_to_matrix(weight).size()
            u = F.normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=eps)
            v = F.normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(SpectralNormStateDictHook(made))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(made))
        return made


class SpectralNormLoadStateDictPreHook:
    """Computes the v that state dicts before version 1 lack."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: dict,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list,
        unexpected_keys: list,
        error_msgs: list,
    ) -> None:
        fn = self.fn
        version = local_metadata.get("spectral_norm", {}).get(fn.name + ".version", None)
        if version is not None and version >= 1:
            return
        key = prefix + fn.name
        ends = {end for end in ("", "_orig", "_u", "_v") if key + end in state_dict}
        if version is None and ends == {"_orig", "_u", "_v"}:  # new, only without its metadata
            return
        missing = [key + end for end in ("_orig", "", "_u") if end not in ends]
        if missing:
            if strict:
                missing_keys.extend(missing)
            return
        with no_grad():
            original = state_dict[key + "_orig"]
            sigma = (original / state_dict.pop(key)).mean()
            matrix = fn.reshape_weight_to_matrix(original)
            state_dict[key + "_v"] = fn._solve_v_and_rescale(matrix, state_dict[key + "_u"], sigma)


class SpectralNormStateDictHook:
    """Notes the version in the state dict's metadata."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: dict, prefix: str, local_metadata: dict) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: T_module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> T_module:
    """Divide a weight by its largest singular value (Miyato and others 2018), estimated by power iteration.

    ``dim``: the dimension of the outputs, 0, or 1 for transposed convolutions. Newer is
    `parametrizations.spectral_norm`. RuntimeError for a second time.
    """
    SpectralNorm.apply(module, name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module: T_module, name: str = "weight") -> T_module:
    """Undo `spectral_norm`; ValueError if it was not applied."""

    def hooked(hooks: dict, kind: type) -> Any:
        for key, hook in hooks.items():
            fn = hook if isinstance(hook, SpectralNorm) else getattr(hook, "fn", None)
            if isinstance(hook, kind) and fn is not None and fn.name == name:
                return key
        return None

    key = hooked(module._forward_pre_hooks, SpectralNorm)
    if key is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    module._forward_pre_hooks[key].remove(module)
    for hooks, kind in (
        (module._forward_pre_hooks, SpectralNorm),
        (module._state_dict_hooks, SpectralNormStateDictHook),
        (module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook),
    ):
        key = hooked(hooks, kind)
        if key is not None:
            del hooks[key]
    return module
