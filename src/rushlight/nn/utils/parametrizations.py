"""Parametrizations that PyTorch provides: orthogonal matrices, weight norm, spectral norm."""

from enum import Enum, auto
from typing import Any

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.nn import functional as F
from rushlight.nn._ops import cat, eye, from_numpy, namespaces, zeros_like
from rushlight.nn.modules.module import Module
from rushlight.nn.utils import parametrize
from rushlight.nn.utils._transposed import output_dim
from rushlight.ops.late import linalg, torch
from rushlight.tensor import Tensor

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_randn, _vdot, _mv, _allclose = (namespaces["torch"][name] for name in ("randn", "vdot", "mv", "allclose"))
_weight_norm, _norm_except_dim = namespaces["torch"]["_weight_norm"], namespaces["torch"]["norm_except_dim"]


# ---------------------------------------------------------------- orthogonal

def _mh(matrix: Tensor) -> Tensor:
    return matrix.transpose(-2, -1).conj()


def _is_orthogonal(q: Tensor) -> bool:
    n, k = q.size(-2), q.size(-1)
    tolerance = 10.0 * n * float(np.finfo(q._a.dtype).eps)
    identity = eye(k, dtype=q.dtype).expand(*q.shape[:-2], k, k)
    return bool(_allclose(_mh(q) @ q, identity, atol=tolerance))


def _make_orthogonal(matrix: Tensor) -> Tensor:
    """The orthogonal factor whose R has a positive diagonal."""
    h, tau = torch.geqrf(matrix.detach())
    q = linalg.householder_product(h, tau)
    return q * h.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


class _Orthogonal(Module):
    """A matrix with orthonormal columns (or rows, if it is wide) from an unconstrained one.

    With the trivialization of Lezcano-Casado (2019) the map starts from ``base``, so that it can be set to any
    orthogonal matrix.
    """

    base: Tensor

    def __init__(
        self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True
    ) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        n, k = X.size(-2), X.size(-1)
        wide = n < k
        if wide:
            X = X.transpose(-2, -1)
            n, k = k, n
        q = self._reflected(X) if self.orthogonal_map == _OrthMaps.householder else self._rotation(X, n, k)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.transpose(-2, -1) if wide else q

    def _rotation(self, X: Tensor, n: int, k: int) -> Tensor:
        """The first k columns of the exponential or the Cayley map of a skew matrix."""
        X = X.tril()
        if n != k:
            X = cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
        skew = X - _mh(X)
        if self.orthogonal_map == _OrthMaps.matrix_exp:
            q = linalg.matrix_exp(skew)
        else:
            identity = eye(n, dtype=skew.dtype)
            q = linalg.solve(identity - 0.5 * skew, identity + 0.5 * skew)
        return q[..., :k] if n != k else q

    def _reflected(self, X: Tensor) -> Tensor:
        """A product of Householder reflections, with the signs that the diagonal keeps."""
        below = X.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
        return linalg.householder_product(below, tau) * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        given = Q
        n, k = Q.size(-2), Q.size(-1)
        wide = n < k
        if wide:
            Q = Q.transpose(-2, -1)
            n, k = k, n
        if not hasattr(self, "base"):
            return self._without_base(Q, wide)
        if n != k:
            filler = _randn(*Q.shape[:-2], n, n - k, dtype=Q.dtype)
            Q = _make_orthogonal(cat([Q, filler], dim=-1))
        elif _is_orthogonal(Q):
            Q = Q.clone()
        else:
            Q = _make_orthogonal(Q)
        self.base = Q
        negative = zeros_like(given)
        negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return negative

    def _without_base(self, Q: Tensor, wide: bool) -> Tensor:
        if self.orthogonal_map != _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        h, tau = (part._a for part in torch.geqrf(Q))
        places = np.arange(h.shape[-1])
        signs = np.sign(h[..., places, places])
        h[..., places, places] = np.where(tau == 0.0, -signs, signs)
        made = from_numpy(h)
        return made.transpose(-2, -1) if wide else made


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Keep a weight (*, n, k) orthogonal: orthonormal columns if n >= k, else rows.

    Args:
        orthogonal_map: ``"matrix_exp"`` (default for square ones), ``"cayley"`` or ``"householder"`` (default else).
        use_trivialization: keep the weight's orthogonal factor as a base, at the cost of n^2 numbers.

    Returns the module. ValueError for a name that is no tensor, fewer than 2 dimensions, an unknown map.

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(4, 2))
        >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(2), atol=1e-5)
        True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


# ---------------------------------------------------------------- weight norm

class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return _weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return _norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Separate a weight's length from its direction: g v / |v| (Salimans and Kingma 2016).

    ``dim``: the dimension whose slices have a length each; None for one length. ``original0`` is g, ``original1`` v;
    state dicts of the older ``nn.utils.weight_norm`` are understood. Returns the module.

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
        >>> [key for key in layer.state_dict()]
        ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: dict, prefix: str, *rest: Any) -> None:
        old = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


# ---------------------------------------------------------------- spectral norm

class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:  # a vector's norm needs no iteration
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            height, width = matrix.size()
            u = matrix.new_empty(height).normal_(0, 1)
            v = matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    @no_grad()
    def _power_method(self, matrix: Tensor, iterations: int) -> None:
        """Bring u and v nearer to the first singular vectors, in place: replicas may share them."""
        for _ in range(iterations):
            self._u.copy_(F.normalize(_mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(_mv(_mh(matrix), self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next call changes them in place
        return weight / _vdot(u, _mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value  # assigning means: take this and normalise it


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value (Miyato and others 2018).

    The value is estimated by power iteration, ``n_power_iterations`` steps for each use in training. ``dim``: the
    dimension of the outputs, 0, or 1 for transposed convolutions. Returns the module.

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 2))
        >>> "parametrizations.weight.0._u" in layer.state_dict()
        True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    made = _SpectralNorm(weight, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return parametrize.register_parametrization(module, name, made)
