"""Types of ``Tensor``. Written by tools/make_stubs.py from the operators themselves; do not edit."""
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, TypeAlias, overload

import numpy as np

from .device import device as _device
from .dtypes import dtype as _dtype
from .layout import layout as _layout
from .layout import memory_format as _memory_format
from .random import Generator

_bool: TypeAlias = builtins.bool
_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_complex: TypeAlias = builtins.complex
Number: TypeAlias = builtins.int | builtins.float | builtins.complex | builtins.bool
_Device: TypeAlias = _device | str | builtins.int | None
_PACKAGE: str
modes_know_subclasses: list[_bool]

class Size(tuple[_int, ...]):
    """The shape of a tensor: a tuple of ints."""

    def __new__(cls, sizes: Sequence[_int] = ()) -> Self: ...
    def numel(self) -> _int:
        """The number of elements of a tensor of this shape."""
    @overload  # type: ignore[override]
    def __getitem__(self, index: _int) -> _int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __add__(self, other: tuple[_int, ...]) -> Size: ...  # type: ignore[override]
    def __radd__(self, other: tuple[_int, ...]) -> Size: ...
    def __mul__(self, n: Any) -> Size: ...

class _aminmax(NamedTuple):
    min: Tensor
    max: Tensor

class _cummax(NamedTuple):
    values: Tensor
    indices: Tensor

class _cummin(NamedTuple):
    values: Tensor
    indices: Tensor

class _frexp(NamedTuple):
    mantissa: Tensor
    exponent: Tensor

class _geqrf(NamedTuple):
    a: Tensor
    tau: Tensor

class _kthvalue(NamedTuple):
    values: Tensor
    indices: Tensor

class _linalg_cholesky_ex(NamedTuple):
    L: Tensor
    info: Tensor

class _linalg_eig(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class _linalg_eigh(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class _linalg_inv_ex(NamedTuple):
    inverse: Tensor
    info: Tensor

class _linalg_ldl_factor(NamedTuple):
    LD: Tensor
    pivots: Tensor

class _linalg_ldl_factor_ex(NamedTuple):
    LD: Tensor
    pivots: Tensor
    info: Tensor

class _linalg_lstsq(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class _linalg_lu(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class _linalg_lu_factor(NamedTuple):
    LU: Tensor
    pivots: Tensor

class _linalg_lu_factor_ex(NamedTuple):
    LU: Tensor
    pivots: Tensor
    info: Tensor

class _linalg_qr(NamedTuple):
    Q: Tensor
    R: Tensor

class _linalg_slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class _linalg_solve_ex(NamedTuple):
    result: Tensor
    info: Tensor

class _linalg_svd(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

class _lu_unpack(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class _max(NamedTuple):
    values: Tensor
    indices: Tensor

class _median(NamedTuple):
    values: Tensor
    indices: Tensor

class _min(NamedTuple):
    values: Tensor
    indices: Tensor

class _mode(NamedTuple):
    values: Tensor
    indices: Tensor

class _nanmedian(NamedTuple):
    values: Tensor
    indices: Tensor

class _qr(NamedTuple):
    Q: Tensor
    R: Tensor

class _slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class _sort(NamedTuple):
    values: Tensor
    indices: Tensor

class _svd(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class _topk(NamedTuple):
    values: Tensor
    indices: Tensor

class _triangular_solve(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor

class Tensor:
    """An array whose history can be recorded and whose gradients can be computed."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __hash__(self) -> _int: ...
    __array_priority__: _int
    _a: Any
    _backward_hooks: Any
    _base: Any
    _edge: Any
    _extra: Any
    _grad: Any
    _rg: Any
    _ver: Any
    @property
    def _version(self) -> _int: ...
    _view_meta: Any
    _view_version: Any
    data: Tensor
    @property
    def device(self) -> _device: ...
    @property
    def dtype(self) -> _dtype: ...
    grad: Tensor | None
    @property
    def grad_dtype(self) -> _dtype | None: ...
    @property
    def grad_fn(self) -> Any: ...
    @property
    def H(self) -> Tensor: ...
    imag: Tensor
    is_cpu: _bool
    is_cuda: _bool
    is_ipu: _bool
    @property
    def is_leaf(self) -> _bool: ...
    is_maia: _bool
    is_meta: _bool
    is_mkldnn: _bool
    is_mps: _bool
    is_mtia: _bool
    is_nested: _bool
    is_quantized: _bool
    is_sparse: _bool
    is_sparse_csr: _bool
    is_vulkan: _bool
    is_xla: _bool
    is_xpu: _bool
    @property
    def itemsize(self) -> _int: ...
    layout: _layout
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    @property
    def name(self) -> str | None: ...
    @property
    def nbytes(self) -> _int: ...
    @property
    def ndim(self) -> _int: ...
    @property
    def output_nr(self) -> _int: ...
    real: Tensor
    requires_grad: _bool
    @property
    def retains_grad(self) -> _bool: ...
    @property
    def shape(self) -> Size: ...
    @property
    def T(self) -> Tensor: ...
    def __abs__(self, *, out: Tensor | None = None) -> Tensor:
        """The absolute value; of complex numbers the modulus, which is real. The gradient at 0 is 0."""
    def __add__(self, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
        """``input + alpha * other``, element by element."""
    def __and__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input & other``, bit by bit."""
    def __array__(self, dtype: _dtype | None = None, copy: Any = None) -> np.ndarray: ...
    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: _bool = False) -> Any: ...
    def __bool__(self) -> _bool: ...
    def __complex__(self) -> _complex: ...
    def __contains__(self, element: Any) -> _bool: ...
    def __deepcopy__(self, memo: Any) -> Self: ...
    def __div__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input / other``, element by element; integers give the default floating dtype."""
    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[_int, _int]: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> _float: ...
    def __floordiv__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input // other``: the quotient rounded downwards. Not differentiable, as in PyTorch."""
    def __format__(self, spec: Any) -> str: ...
    def __ge__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input >= other``, element by element: a bool tensor."""
    def __getitem__(self, index: Any) -> Tensor: ...
    def __gt__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input > other``, element by element: a bool tensor."""
    def __iadd__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __iand__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __idiv__(self, other: Any) -> Self: ...
    def __ifloordiv__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __ilshift__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __imod__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __imul__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __index__(self) -> _int: ...
    def __int__(self) -> _int: ...
    def __invert__(self) -> Tensor:
        """``~self``."""
    def __ior__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __ipow__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __irshift__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __isub__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __ixor__(self, other: Any) -> Self: ...  # type: ignore[misc]
    def __le__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input <= other``, element by element: a bool tensor."""
    def __len__(self) -> _int: ...
    def __lshift__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input << other``: the bits moved up. Integer dtypes only, else NotImplementedError."""
    def __lt__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input < other``, element by element: a bool tensor."""
    def __matmul__(self, other: Tensor) -> Tensor:
        """The matrix product ``input @ other``."""
    def __mod__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input % other`` with the sign of ``other``, as in Python."""
    def __mul__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The product of ``input`` and ``other``, element by element."""
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __neg__(self, *, out: Tensor | None = None) -> Tensor:
        """``-input``; RuntimeError for bool tensors."""
    def __or__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input | other``, bit by bit."""
    def __pos__(self) -> Tensor:
        """``input`` itself; RuntimeError for bool tensors."""
    def __pow__(self, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input ** exponent``, element by element; either may be a number."""
    def __radd__(self, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
        """``input + alpha * other``, element by element."""
    def __rand__(self, other: Tensor | Number) -> Tensor: ...
    def __rdiv__(self, other: Tensor | Number) -> Tensor:
        """``other / self``: as PyTorch, the reciprocal times ``other``."""
    def __reduce_ex__(self, protocol: Any) -> Any: ...
    def __repr__(self, *, tensor_contents: Any = None) -> str: ...
    def __rfloordiv__(self, other: Tensor | Number) -> Tensor: ...
    def __rlshift__(self, other: Tensor | Number) -> Tensor: ...
    def __rmatmul__(self, other: Tensor | Number) -> Tensor:
        """``other @ self``."""
    def __rmod__(self, other: Tensor | Number) -> Tensor: ...
    def __rmul__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The product of ``input`` and ``other``, element by element."""
    def __ror__(self, other: Tensor | Number) -> Tensor: ...
    def __rpow__(self, other: Tensor | Number) -> Tensor: ...
    def __rrshift__(self, other: Tensor | Number) -> Tensor: ...
    def __rshift__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input >> other``."""
    def __rsub__(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """``other - alpha * input``: subtraction with its operands exchanged."""
    def __rtruediv__(self, other: Tensor | Number) -> Tensor:
        """``other / self``: as PyTorch, the reciprocal times ``other``."""
    def __rxor__(self, other: Tensor | Number) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __setstate__(self, state: Any) -> None:
        """Take over a dictionary of attributes."""
    def __sub__(self, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
        """``input - alpha * other``, element by element; RuntimeError for bool tensors."""
    @classmethod
    def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any: ...
    def __truediv__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input / other``, element by element; integers give the default floating dtype."""
    def __xor__(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input ^ other``, bit by bit."""
    def _bump(self, writer: Any = None) -> None:
        """Count a change of the memory; ``writer`` says who, for error texts."""
    def _cell(self) -> list[Any]: ...
    def _is_view(self) -> _bool: ...
    def _made_by(self) -> str:
        """A line that says what made this tensor, for error texts."""
    @staticmethod
    def _make_subclass(cls: Any, data: Any, require_grad: _bool = False) -> Any: ...
    def _prelu_kernel(self, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``input`` where positive, else ``weight * input``; shapes broadcast."""
    def _rare(self) -> Rare: ...
    def _set_requires_grad(self, value: Tensor | Number | None) -> None: ...
    def _stack_like(self, tensors: Sequence[Tensor]) -> Tensor: ...
    def _to_numpy_dtype(self, numpy: Any) -> Tensor:
        """This tensor in a NumPy dtype: itself if it has it already."""
    @staticmethod
    def _try_override(function: Any, values: Any, args: Any, kwargs: Any) -> Any: ...
    def _typed_storage(self) -> Any: ...
    def _with_layout(self, array: Any) -> Tensor:
        """A copy with the strides of ``array``."""
    def abs(self, *, out: Tensor | None = None) -> Tensor:
        """The absolute value; of complex numbers the modulus, which is real. The gradient at 0 is 0."""
    def abs_(self) -> Tensor:
        """In-place version of ``abs``; RuntimeError for complex tensors, whose absolute values are real."""
    def absolute(self, *, out: Tensor | None = None) -> Tensor:
        """The absolute value; of complex numbers the modulus, which is real. The gradient at 0 is 0."""
    def absolute_(self) -> Tensor:
        """In-place version of ``abs``; RuntimeError for complex tensors, whose absolute values are real."""
    def acos(self, *, out: Tensor | None = None) -> Tensor:
        """The angle whose cosine is ``input``; nan outside [-1, 1] for real numbers."""
    def acos_(self) -> Tensor:
        """In-place version of ``acos``: the result is written into the first argument, which is returned."""
    def acosh(self, *, out: Tensor | None = None) -> Tensor:
        """The inverse of ``cosh``; nan below 1 for real numbers."""
    def acosh_(self) -> Tensor:
        """In-place version of ``acosh``: the result is written into the first argument, which is returned."""
    def add(self, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
        """``input + alpha * other``, element by element."""
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place version of ``add``: the result is written into the first argument, which is returned."""
    def addbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Number = 1,
        alpha: Number = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """``beta * input + alpha * bmm(batch1, batch2).sum(0)``; ``input`` broadcasts."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of ``addbmm``."""
    def addcdiv(
        self,
        tensor1: Tensor,
        tensor2: Tensor,
        *,
        value: Tensor | Number | None = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """``input + value * tensor1 / tensor2``, element by element; RuntimeError for two integer tensors."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number | None = 1) -> Tensor:
        """In-place version of ``addcdiv``."""
    def addcmul(
        self,
        tensor1: Tensor,
        tensor2: Tensor,
        *,
        value: Tensor | Number | None = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """``input + value * tensor1 * tensor2``, element by element."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number | None = 1) -> Tensor:
        """In-place version of ``addcmul``."""
    def addmm(
        self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None,
    ) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)``; ``input`` broadcasts to the product's shape."""
    def addmm_(self, first: Tensor, second: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of ``addmm``: the result is written into the first argument, which is returned."""
    def addmv(
        self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None,
    ) -> Tensor:
        """``beta * input + alpha * (mat @ vec)``."""
    def addmv_(self, first: Tensor, second: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of ``addmv``: the result is written into the first argument, which is returned."""
    def addr(
        self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None,
    ) -> Tensor:
        """``beta * input + alpha * outer(vec1, vec2)``."""
    def addr_(self, first: Tensor, second: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of ``addr``: the result is written into the first argument, which is returned."""
    def adjoint(self) -> Tensor:
        """The conjugate transpose of the last two dimensions."""
    def all(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """Whether every element is non-zero, altogether or over ``dim``; bool (uint8 for uint8)."""
    def allclose(
        self, other: Tensor | Number, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: _bool = False,
    ) -> _bool:
        """Whether ``isclose`` holds for every element: a Python bool."""
    def amax(
        self,
        dim: _int | Sequence[_int] = (),
        keepdim: _bool = False,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """The greatest element over ``dim`` (an int or several."""
    def amin(
        self,
        dim: _int | Sequence[_int] = (),
        keepdim: _bool = False,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """The least element over ``dim``; as ``amax``."""
    def aminmax(
        self,
        *,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> _aminmax: ...
    def angle(self, *, out: Tensor | None = None) -> Tensor:
        """The angle of complex numbers in (-pi, pi]; of real ones 0 or pi."""
    def any(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """Whether some element is non-zero, altogether or over ``dim``; bool (uint8 for uint8)."""
    def apply_(self, callable: Callable[..., Any]) -> Tensor:
        """Replace each element by ``callable(element)``."""
    def arccos(self, *, out: Tensor | None = None) -> Tensor:
        """The angle whose cosine is ``input``; nan outside [-1, 1] for real numbers."""
    def arccos_(self) -> Tensor:
        """In-place version of ``acos``: the result is written into the first argument, which is returned."""
    def arccosh(self, *, out: Tensor | None = None) -> Tensor:
        """The inverse of ``cosh``; nan below 1 for real numbers."""
    def arccosh_(self) -> Tensor:
        """In-place version of ``acosh``: the result is written into the first argument, which is returned."""
    def arcsin(self, *, out: Tensor | None = None) -> Tensor:
        """The angle whose sine is ``input``; nan outside [-1, 1] for real numbers."""
    def arcsin_(self) -> Tensor:
        """In-place version of ``asin``: the result is written into the first argument, which is returned."""
    def arcsinh(self, *, out: Tensor | None = None) -> Tensor:
        """The inverse of ``sinh``."""
    def arcsinh_(self) -> Tensor:
        """In-place version of ``asinh``: the result is written into the first argument, which is returned."""
    def arctan(self, *, out: Tensor | None = None) -> Tensor:
        """The angle whose tangent is ``input``."""
    def arctan2(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The angle of the point (``other``, ``input``), in (-pi, pi]; its gradient at the origin is 0."""
    def arctan2_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``atan2``: the result is written into the first argument, which is returned."""
    def arctan_(self) -> Tensor:
        """In-place version of ``atan``: the result is written into the first argument, which is returned."""
    def arctanh(self, *, out: Tensor | None = None) -> Tensor:
        """The inverse of ``tanh``; infinite at -1 and 1, nan beyond for real numbers."""
    def arctanh_(self) -> Tensor:
        """In-place version of ``atanh``: the result is written into the first argument, which is returned."""
    def argmax(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor: ...
    def argmin(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """The index of the least element (the first of equals), in the flattened tensor or along ``dim``."""
    def argsort(
        self,
        dim: _int = -1,
        descending: _bool = False,
        *,
        stable: _bool = False,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """The indices that sort ``input`` along ``dim``: the second result of ``sort``."""
    def argwhere(self) -> Tensor:
        """The indices of the elements that are not zero, one row each: ``nonzero`` by another name."""
    def as_strided(
        self,
        size: _int | Sequence[_int],
        stride: _int | Sequence[_int] | None,
        storage_offset: _int | None = None,
    ) -> Tensor:
        """A view of ``input``'s memory with any ``size``, ``stride`` and ``storage_offset`` (in elements."""
    def as_strided_(
        self,
        size: _int | Sequence[_int],
        stride: _int | Sequence[_int] | None,
        storage_offset: _int | None = None,
    ) -> Tensor:
        """``as_strided`` on the tensor itself: its shape changes, its memory stays; returned."""
    def as_strided_scatter(
        self,
        src: Tensor,
        size: _int | Sequence[_int],
        stride: _int | Sequence[_int] | None,
        storage_offset: _int | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """A copy of ``input`` with ``src`` in the place of an ``as_strided`` window."""
    def as_subclass(self, cls: Any) -> Any:
        """The same tensor, history included, as an instance of ``cls``."""
    def asin(self, *, out: Tensor | None = None) -> Tensor:
        """The angle whose sine is ``input``; nan outside [-1, 1] for real numbers."""
    def asin_(self) -> Tensor:
        """In-place version of ``asin``: the result is written into the first argument, which is returned."""
    def asinh(self, *, out: Tensor | None = None) -> Tensor:
        """The inverse of ``sinh``."""
    def asinh_(self) -> Tensor:
        """In-place version of ``asinh``: the result is written into the first argument, which is returned."""
    def atan(self, *, out: Tensor | None = None) -> Tensor:
        """The angle whose tangent is ``input``."""
    def atan2(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The angle of the point (``other``, ``input``), in (-pi, pi]; its gradient at the origin is 0."""
    def atan2_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``atan2``: the result is written into the first argument, which is returned."""
    def atan_(self) -> Tensor:
        """In-place version of ``atan``: the result is written into the first argument, which is returned."""
    def atanh(self, *, out: Tensor | None = None) -> Tensor:
        """The inverse of ``tanh``; infinite at -1 and 1, nan beyond for real numbers."""
    def atanh_(self) -> Tensor:
        """In-place version of ``atanh``: the result is written into the first argument, which is returned."""
    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: _bool | None = None,
        create_graph: _bool = False,
        inputs: Any = None,
    ) -> None:
        """Compute the gradient of this tensor with respect to the graph's leaves."""
    def baddbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Number = 1,
        alpha: Number = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """``beta * input + alpha * bmm(batch1, batch2)``; ``input`` broadcasts."""
    def baddbmm_(self, first: Tensor, second: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In-place version of ``baddbmm``."""
    def bernoulli(
        self, p: _float | None = None, *, generator: Generator | None = None, out: Tensor | None = None,
    ) -> Tensor:
        """Zeros and ones: ones with the probabilities in ``input``, or with probability ``p``."""
    def bernoulli_(self, p: Tensor | _float = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with zeros and ones, ones with probability ``p``."""
    def bfloat16(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as bfloat16: itself if it is that already."""
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor: ...
    def bitwise_and(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input & other``, bit by bit."""
    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``bitwise_and``."""
    def bitwise_left_shift(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input << other``: the bits moved up. Integer dtypes only, else NotImplementedError."""
    def bitwise_left_shift_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``bitwise_left_shift``."""
    def bitwise_not(self, *, out: Tensor | None = None) -> Tensor:
        """``~input``."""
    def bitwise_not_(self) -> Tensor:
        """In-place version of ``bitwise_not``."""
    def bitwise_or(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input | other``, bit by bit."""
    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``bitwise_or``."""
    def bitwise_right_shift(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input >> other``."""
    def bitwise_right_shift_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``bitwise_right_shift``."""
    def bitwise_xor(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input ^ other``, bit by bit."""
    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``bitwise_xor``."""
    def bmm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The products of two stacks of matrices, (b, n, m) and (b, m, p); no broadcasting."""
    def bool(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as bool: itself if it is that already."""
    def broadcast_to(self, size: _int | Sequence[_int]) -> Tensor:
        """``input.expand(size)``."""
    def byte(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as uint8: itself if it is that already."""
    def cauchy_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill with Cauchy distributed numbers."""
    def cdouble(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as complex128: itself if it is that already."""
    def ceil(self, *, out: Tensor | None = None) -> Tensor:
        """The least whole number that is not below. The gradient of rounding is 0."""
    def ceil_(self) -> Tensor:
        """In-place version of ``ceil``: the result is written into the first argument, which is returned."""
    def cfloat(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as complex64: itself if it is that already."""
    def char(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as int8: itself if it is that already."""
    def cholesky(self, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
        """``linalg.cholesky`` under its older name. Deprecated, as in PyTorch: it warns."""
    def cholesky_inverse(self, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
        """The inverse of ``A = L L^H`` from its Cholesky factor L (or, with ``upper``, of ``U^H U``)."""
    def cholesky_solve(
        self, input2: Tensor, upper: _bool = False, *, out: Tensor | None = None,
    ) -> Tensor:
        """X with ``A X = input``, from the Cholesky factor ``input2`` of A."""
    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """At most ``chunks`` views of equal length along ``dim`` (the last may be shorter)."""
    def clamp(
        self,
        min: Tensor | Number | None = None,
        max: Tensor | Number | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """``input`` with what is below ``min`` raised to it and what is above ``max`` lowered to it."""
    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        """In-place version of ``clamp``: the result is written into the first argument, which is returned."""
    def clamp_max(self, max: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``clamp`` with an upper bound only."""
    def clamp_max_(self, max: Any) -> Tensor:
        """In-place version of ``clamp_max``."""
    def clamp_min(self, min: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``clamp`` with a lower bound only."""
    def clamp_min_(self, min: Any) -> Tensor:
        """In-place version of ``clamp_min``."""
    def clip(
        self,
        min: Tensor | Number | None = None,
        max: Tensor | Number | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """``input`` with what is below ``min`` raised to it and what is above ``max`` lowered to it."""
    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        """In-place version of ``clamp``: the result is written into the first argument, which is returned."""
    def clone(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """A copy with memory of its own, through which gradients flow."""
    def combinations(self, r: _int = 2, with_replacement: _bool = False) -> Tensor:
        """All selections of ``r`` elements of a 1-d tensor, as rows."""
    def conj(self) -> Tensor:
        """The complex conjugate; a real tensor is returned as it is."""
    def conj_physical(self, *, out: Tensor | None = None) -> Tensor:
        """The complex conjugate in memory of its own; a real tensor is returned as it is."""
    def conj_physical_(self) -> Tensor:
        """In-place version of ``conj_physical``."""
    def contiguous(self, memory_format: _memory_format | None = ...) -> Tensor: ...
    def copy_(self, src: Tensor, non_blocking: _bool = False) -> Tensor:
        """Write the values of ``src``, broadcast and cast, into this tensor."""
    def copysign(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The size of ``input`` with the sign of ``other``."""
    def copysign_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``copysign``."""
    def corrcoef(self) -> Tensor:
        """The matrix of Pearson's correlation coefficients of variables (rows), each within [-1, 1]."""
    def cos(self, *, out: Tensor | None = None) -> Tensor:
        """The cosine of angles in radians."""
    def cos_(self) -> Tensor:
        """In-place version of ``cos``: the result is written into the first argument, which is returned."""
    def cosh(self, *, out: Tensor | None = None) -> Tensor:
        """The hyperbolic cosine."""
    def cosh_(self) -> Tensor:
        """In-place version of ``cosh``: the result is written into the first argument, which is returned."""
    def count_nonzero(
        self, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """How many elements are not 0, of all or over ``dim`` (an int or several); int64."""
    def cov(
        self, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None,
    ) -> Tensor:
        """The covariance matrix of variables (rows) over observations (columns)."""
    def cpu(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor: it is on the CPU."""
    def cross(
        self, other: Tensor | Number, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None,
    ) -> Tensor:
        """The cross products of vectors of length 3 along ``dim``."""
    def cuda(
        self,
        device: _Device = None,
        non_blocking: _bool = False,
        memory_format: _memory_format | None = None,
    ) -> Tensor:
        """Raises what a CPU build of PyTorch raises."""
    def cummax(self, dim: _int | Sequence[_int]) -> _cummax:
        """The greatest element so far along ``dim`` and its index, the last of equals."""
    def cummin(self, dim: _int | Sequence[_int]) -> _cummin:
        """The least element so far along ``dim`` and its index, the last of equals; once NaN, always NaN."""
    def cumprod(
        self,
        dim: _int | Sequence[_int] = ...,
        *,
        dtype: _dtype | None = None,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """The products of the elements along ``dim`` up to each one. The gradient is right at zeros too."""
    def cumprod_(
        self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """In-place version of ``cumprod``."""
    def cumsum(
        self,
        dim: _int | Sequence[_int] = ...,
        *,
        dtype: _dtype | None = None,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """The sums of the elements along ``dim`` up to each one."""
    def cumsum_(
        self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """In-place version of ``cumsum``."""
    def data_ptr(self) -> _int:
        """The address of the first element; 0 for an empty tensor."""
    def deg2rad(self, *, out: Tensor | None = None) -> Tensor:
        """Degrees to radians."""
    def deg2rad_(self) -> Tensor:
        """In-place version of ``deg2rad``."""
    def det(self) -> Tensor:
        """``linalg.det``: the determinants of square matrices."""
    def detach(self) -> Tensor:
        """The same memory, cut from the graph: no gradient flows through it."""
    def detach_(self) -> Tensor:
        """Cut this tensor itself from the graph. RuntimeError for a view: use ``detach``."""
    def diag(self, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
        """Of a vector, the matrix with it on a diagonal; of a matrix, a copy of its diagonal."""
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """The last dimension as a diagonal of two new ones, zeros elsewhere."""
    def diagflat(self, offset: _int = 0) -> Tensor:
        """The matrix with the elements of ``input`` on a diagonal."""
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """The view of a diagonal of two dimensions, which become one at the end."""
    def diagonal_scatter(
        self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None,
    ) -> Tensor:
        """A copy of ``input`` with ``src`` on a diagonal."""
    def diff(
        self,
        n: _int = 1,
        dim: _int = -1,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """The ``n``-th differences of neighbours along ``dim``; exclusive-or for bool tensors."""
    def digamma(self, *, out: Tensor | None = None) -> Tensor:
        """The derivative of ``lgamma``; infinite at 0 and nan at -1, -2..."""
    def digamma_(self) -> Tensor:
        """In-place version of ``digamma``."""
    def dim(self) -> _int:
        """The number of dimensions."""
    def dim_order(self) -> tuple[_int, ...]:
        """The dimensions from outermost to innermost in memory."""
    def dist(self, other: Tensor, p: Number = 2, *, out: Tensor | None = None) -> Tensor:
        """The ``p``-norm of ``input - other``, which broadcast. Real for complex tensors."""
    def div(
        self, other: Tensor | Number, *, rounding_mode: str | None = None, out: Tensor | None = None,
    ) -> Tensor:
        """``input / other``, element by element; integers give the default floating dtype."""
    def div_(self, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
        """In-place version of ``div``."""
    def divide(
        self, other: Tensor | Number, *, rounding_mode: str | None = None, out: Tensor | None = None,
    ) -> Tensor:
        """``input / other``, element by element; integers give the default floating dtype."""
    def divide_(self, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
        """In-place version of ``div``."""
    def dot(self, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The scalar product of two vectors of equal length; no conjugation (see ``vdot``)."""
    def double(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as float64: itself if it is that already."""
    def dsplit(
        self,
        indices_or_sections: Any = None,
        *,
        indices: _int | Sequence[_int] | None = None,
        sections: Any = None,
    ) -> tuple[Tensor, ...]:
        """Views along dimension 2: that many equal ones, or cut at the given indices."""
    def eig(self, **kwargs: Any) -> Tensor:
        """Removed from PyTorch."""
    def element_size(self) -> _int:
        """Bytes per element."""
    def eq(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input == other``, element by element: a bool tensor."""
    def eq_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``eq``: the result is written into the first argument, which is returned."""
    def equal(self, other: Tensor | Number) -> _bool:
        """Whether both have the same shape and the same elements: a Python bool."""
    def erf(self, *, out: Tensor | None = None) -> Tensor:
        """The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to ``input``."""
    def erf_(self) -> Tensor:
        """In-place version of ``erf``: the result is written into the first argument, which is returned."""
    def erfc(self, *, out: Tensor | None = None) -> Tensor:
        """``1 - erf(input)``, accurate where that is tiny."""
    def erfc_(self) -> Tensor:
        """In-place version of ``erfc``: the result is written into the first argument, which is returned."""
    def erfinv(self, *, out: Tensor | None = None) -> Tensor:
        """The inverse of ``erf``: infinite at -1 and 1, nan beyond."""
    def erfinv_(self) -> Tensor:
        """In-place version of ``erfinv``."""
    def exp(self, *, out: Tensor | None = None) -> Tensor:
        """e to the power of each element."""
    def exp2(self, *, out: Tensor | None = None) -> Tensor:
        """2 to the power of each element."""
    def exp2_(self) -> Tensor:
        """In-place version of ``exp2``: the result is written into the first argument, which is returned."""
    def exp_(self) -> Tensor:
        """In-place version of ``exp``: the result is written into the first argument, which is returned."""
    def expand(self, *size: _int | Sequence[_int], implicit: _bool = False) -> Tensor:
        """A view in which dimensions of size 1 are repeated without copying."""
    def expand_as(self, other: Tensor | Number) -> Tensor:
        """``input.expand(other.shape)``."""
    def expm1(self, *, out: Tensor | None = None) -> Tensor:
        """``exp(input) - 1``, accurate near 0."""
    def expm1_(self) -> Tensor:
        """In-place version of ``expm1``: the result is written into the first argument, which is returned."""
    def exponential_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill with exponentially distributed numbers of rate ``lambd``."""
    def fill(self, value: Tensor | Number) -> Tensor:
        """A tensor like ``input`` filled with ``value`` (a number or a 0-d tensor)."""
    def fill_(self, value: Tensor | Number) -> Tensor:
        """Write ``value`` (a number or a 0-d tensor) into every element; returns this tensor."""
    def fill_diagonal_(self, fill_value: Number, wrap: _bool = False) -> Tensor:
        """Write a number on the main diagonal, in place; all dimensions are equal, but for a matrix."""
    def fix(self, *, out: Tensor | None = None) -> Tensor:
        """The whole part: rounded towards zero."""
    def fix_(self) -> Tensor:
        """In-place version of ``trunc``: the result is written into the first argument, which is returned."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """``input`` with the dimensions from ``start_dim`` to ``end_dim`` as one."""
    def flip(self, *dims: _int | Sequence[_int], **named: Any) -> Tensor:
        """A copy with the order of elements reversed along ``dims``."""
    def fliplr(self) -> Tensor:
        """A copy with the second dimension reversed. RuntimeError for fewer than two dimensions."""
    def flipud(self) -> Tensor:
        """A copy with the first dimension reversed. RuntimeError for a 0-d tensor."""
    def float(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as float32: itself if it is that already."""
    def float_power(self, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input ** exponent`` computed in float64 (or complex128), whatever the dtypes."""
    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """``self`` replaced by ``torch.float_power(self, exponent)``."""
    def floor(self, *, out: Tensor | None = None) -> Tensor:
        """The greatest whole number that is not above."""
    def floor_(self) -> Tensor:
        """In-place version of ``floor``: the result is written into the first argument, which is returned."""
    def floor_divide(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input // other``: the quotient rounded downwards. Not differentiable, as in PyTorch."""
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``floor_divide``."""
    def fmax(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The greater of two, element by element."""
    def fmin(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The lesser of two, element by element."""
    def fmod(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The remainder of C's division."""
    def fmod_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``fmod``: the result is written into the first argument, which is returned."""
    def frac(self, *, out: Tensor | None = None) -> Tensor:
        """``input - trunc(input)``. Floating dtypes only, else NotImplementedError."""
    def frac_(self) -> Tensor:
        """In-place version of ``frac``: the result is written into the first argument, which is returned."""
    def frexp(self, *, out: Tensor | None = None) -> _frexp: ...
    def gather(
        self,
        dim: _int = ...,
        index: Tensor = ...,
        *,
        sparse_grad: _bool = False,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """The elements of ``input`` at ``index`` along ``dim``."""
    def gcd(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The greatest common divisor of whole numbers, not negative."""
    def gcd_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``gcd``: the result is written into the first argument, which is returned."""
    def ge(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input >= other``, element by element: a bool tensor."""
    def ge_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``ge``: the result is written into the first argument, which is returned."""
    def geometric_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill with the number of trials up to the first success, each of probability ``p``."""
    def geqrf(self, *, out: Tensor | None = None) -> _geqrf:
        """QR as LAPACK leaves it."""
    def ger(self, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The matrix of the products of all pairs of elements of two vectors; the dtype is promoted."""
    def get_device(self) -> _int:
        """-1, which stands for the CPU."""
    def greater(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input > other``, element by element: a bool tensor."""
    def greater_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``gt``: the result is written into the first argument, which is returned."""
    def greater_equal(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input >= other``, element by element: a bool tensor."""
    def greater_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``ge``: the result is written into the first argument, which is returned."""
    def gt(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input > other``, element by element: a bool tensor."""
    def gt_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``gt``: the result is written into the first argument, which is returned."""
    def half(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as float16: itself if it is that already."""
    def hardshrink(self, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
        """0 where ``-lambd <= input <= lambd``, else ``input``."""
    def heaviside(self, values: Tensor, *, out: Tensor | None = None) -> Tensor:
        """0 where ``input`` is negative, 1 where it is positive, ``values`` where it is 0."""
    def heaviside_(self, values: Any) -> Tensor:
        """In-place version of ``heaviside``."""
    def histc(
        self, bins: Number = 100, min: Number = 0, max: Number = 0, *, out: Tensor | None = None,
    ) -> Tensor: ...
    def histogram(
        self,
        bins: Any,
        *,
        range: Any = None,
        weight: Tensor | None = None,
        density: _bool = False,
        out: Tensor | None = None,
    ) -> Any: ...
    def hsplit(
        self,
        indices_or_sections: Any = None,
        *,
        indices: _int | Sequence[_int] | None = None,
        sections: Any = None,
    ) -> tuple[Tensor, ...]:
        """Views along dimension 1: that many equal ones, or cut at the given indices."""
    def hypot(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``sqrt(input ** 2 + other ** 2)`` without overflow."""
    def hypot_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``hypot``: the result is written into the first argument, which is returned."""
    def i0(self, *, out: Tensor | None = None) -> Tensor:
        """The modified Bessel function of the first kind, order 0."""
    def i0_(self) -> Tensor:
        """In-place version of ``i0``: the result is written into the first argument, which is returned."""
    def igamma(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The regularised lower incomplete gamma function."""
    def igamma_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``igamma``."""
    def igammac(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``1 - igamma(input, other)``, accurate where that is tiny; errors and derivatives as there."""
    def igammac_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``igammac``."""
    def index_add(
        self,
        dim: _int | Sequence[_int] = ...,
        index: Tensor = ...,
        source: Tensor = ...,
        *,
        alpha: Number = 1,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor: ...
    def index_add_(
        self,
        dim: _int | Sequence[_int] = ...,
        index: Tensor = ...,
        source: Tensor = ...,
        *,
        alpha: Number = 1,
    ) -> Tensor:
        """In-place version of ``index_add``."""
    def index_copy(
        self,
        dim: _int | Sequence[_int] = ...,
        index: Tensor = ...,
        source: Tensor = ...,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """``input`` with the slices of ``source`` written at ``index`` (an int64 vector) along ``dim``."""
    def index_copy_(
        self, dim: _int | Sequence[_int] = ..., index: Tensor = ..., source: Tensor = ...,
    ) -> Tensor:
        """In-place version of ``index_copy``."""
    def index_fill(
        self,
        dim: _int | Sequence[_int] = ...,
        index: Tensor = ...,
        value: Tensor | Number = ...,
        *,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor: ...
    def index_fill_(
        self, dim: _int | Sequence[_int] = ..., index: Tensor = ..., value: Tensor | Number = ...,
    ) -> Tensor:
        """In-place version of ``index_fill``."""
    def index_put(
        self, indices: Sequence[Tensor | None], values: Any, accumulate: _bool = False,
    ) -> Tensor:
        """``input`` with ``values`` written (or added, with ``accumulate``) at ``indices``."""
    def index_put_(
        self, indices: Sequence[Tensor | None], values: Any, accumulate: _bool = False,
    ) -> Tensor:
        """In-place version of ``index_put``."""
    def index_reduce(
        self,
        dim: _int | Sequence[_int] = ...,
        index: Tensor = ...,
        source: Tensor = ...,
        reduce: Any = ...,
        *,
        include_self: _bool = True,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """``input`` with the slices of ``source`` combined into it at ``index`` (a vector) along ``dim``."""
    def index_reduce_(
        self,
        dim: _int | Sequence[_int],
        index: Any,
        source: _int | Sequence[_int],
        reduce: Any,
        *,
        include_self: _bool = True,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """In-place version of ``index_reduce``."""
    def index_select(
        self,
        dim: _int | Sequence[_int] = ...,
        index: Tensor = ...,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """The slices of ``input`` at ``index``, a vector of int64 or int32, along ``dim``; always a copy."""
    def inner(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The sums of products over the last dimension of both."""
    def int(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as int32: itself if it is that already."""
    def inverse(self, *, out: Tensor | None = None) -> Tensor:
        """``linalg.inv``: the inverses of square matrices."""
    def is_complex(self) -> _bool:
        """Whether the dtype is complex."""
    def is_conj(self) -> _bool:
        """False: conjugates are computed at once here."""
    def is_contiguous(self, memory_format: _memory_format | None = ...) -> _bool: ...
    def is_distributed(self) -> _bool:
        """False."""
    def is_floating_point(self) -> _bool:
        """Whether the dtype is a floating one (complex is not)."""
    def is_inference(self) -> _bool:
        """True if made inside ``inference_mode``."""
    def is_neg(self) -> _bool:
        """False: negations are computed at once here."""
    def is_nonzero(self) -> _bool:
        """Whether the only element is not zero. RuntimeError if there is not exactly one."""
    def is_pinned(self, device: _Device = None) -> _bool:
        """False: there is no pinned memory."""
    def is_same_size(self, other: Tensor | Number) -> _bool:
        """Whether both have the same shape."""
    def is_set_to(self, tensor: Tensor) -> _bool:
        """Whether both show the same memory with the same shape and strides."""
    def is_shared(self) -> _bool:
        """True after ``share_memory_()``."""
    def is_signed(self) -> _bool:
        """Whether the dtype has negative numbers."""
    def isclose(
        self, other: Tensor, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: _bool = False,
    ) -> Tensor:
        """Whether ``abs(input - other) <= atol + rtol * abs(other)``, element by element: a bool tensor."""
    def isfinite(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is neither infinite nor NaN: a bool tensor."""
    def isinf(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is infinite: a bool tensor."""
    def isnan(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is NaN: a bool tensor."""
    def isneginf(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is minus infinity: a bool tensor."""
    def isposinf(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is plus infinity: a bool tensor."""
    def isreal(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element has no imaginary part: a bool tensor."""
    def istft(
        self,
        n_fft: _int,
        hop_length: _int | None = None,
        win_length: _int | None = None,
        window: Tensor | None = None,
        center: _bool = True,
        normalized: _bool = False,
        onesided: _bool | None = None,
        length: _int | None = None,
        return_complex: _bool = False,
    ) -> Tensor:
        """The inverse of ``stft``, given the same numbers and the same window."""
    def item(self) -> Any:
        """The only element, as a Python number. RuntimeError if there is not exactly one."""
    def kron(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The Kronecker product: every element of ``input`` times the whole of ``other``, in its place."""
    def kthvalue(self, k: _int, dim: _int = -1, keepdim: _bool = False) -> _kthvalue:
        """The ``k``-th least element (counted from 1) along ``dim`` and its index."""
    def lcm(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The least common multiple of whole numbers, not negative."""
    def lcm_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``lcm``: the result is written into the first argument, which is returned."""
    def ldexp(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``input * 2 ** other``."""
    def ldexp_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``ldexp``: the result is written into the first argument, which is returned."""
    def le(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input <= other``, element by element: a bool tensor."""
    def le_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``le``: the result is written into the first argument, which is returned."""
    def lerp(self, end: Tensor, weight: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input + weight * (end - input)``."""
    def lerp_(self, end: Any, weight: Tensor) -> Tensor:
        """In-place version of ``lerp``: the result is written into the first argument, which is returned."""
    def less(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input < other``, element by element: a bool tensor."""
    def less_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``lt``: the result is written into the first argument, which is returned."""
    def less_equal(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input <= other``, element by element: a bool tensor."""
    def less_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``le``: the result is written into the first argument, which is returned."""
    def lgamma(self, *, out: Tensor | None = None) -> Tensor:
        """The logarithm of the absolute value of the gamma function; infinite at 0, -1, -2..."""
    def lgamma_(self) -> Tensor:
        """In-place version of ``lgamma``."""
    def log(self, *, out: Tensor | None = None) -> Tensor:
        """The natural logarithm; -inf at 0, nan for negative real numbers."""
    def log10(self, *, out: Tensor | None = None) -> Tensor:
        """The logarithm to base 10."""
    def log10_(self) -> Tensor:
        """In-place version of ``log10``: the result is written into the first argument, which is returned."""
    def log1p(self, *, out: Tensor | None = None) -> Tensor:
        """``log(1 + input)``, accurate near 0."""
    def log1p_(self) -> Tensor:
        """In-place version of ``log1p``: the result is written into the first argument, which is returned."""
    def log2(self, *, out: Tensor | None = None) -> Tensor:
        """The logarithm to base 2."""
    def log2_(self) -> Tensor:
        """In-place version of ``log2``: the result is written into the first argument, which is returned."""
    def log_(self) -> Tensor:
        """In-place version of ``log``: the result is written into the first argument, which is returned."""
    def log_normal_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill with exp of normal numbers of the given mean and standard deviation."""
    def log_softmax(
        self,
        dim: _int | Sequence[_int] = ...,
        dtype: _dtype | None = None,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """The logarithm of ``softmax``, computed so that it neither overflows nor loses digits."""
    def logaddexp(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``log(exp(input) + exp(other))`` without overflow."""
    def logaddexp2(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``log2(2 ** input + 2 ** other)`` without overflow."""
    def logcumsumexp(
        self,
        dim: _int | Sequence[_int] = ...,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """``log(cumsum(exp(input)))`` along ``dim``, without overflow. Floating and complex tensors only."""
    def logdet(self) -> Tensor:
        """The logarithms of determinants: nan for a negative one, -inf for 0."""
    def logical_and(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Whether both are true, element by element."""
    def logical_and_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``logical_and``."""
    def logical_not(self, *, out: Tensor | None = None) -> Tensor:
        """Whether each element is false (zero): a bool tensor."""
    def logical_not_(self) -> Tensor:
        """In-place version of ``logical_not``."""
    def logical_or(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Whether one or both are true, element by element."""
    def logical_or_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``logical_or``."""
    def logical_xor(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Whether exactly one is true, element by element."""
    def logical_xor_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``logical_xor``."""
    def logit(self, eps: Any = None, *, out: Tensor | None = None) -> Tensor:
        """``log(input / (1 - input))``, the inverse of sigmoid."""
    def logit_(self, eps: Any = None) -> Tensor:
        """In-place version of ``logit``: the result is written into the first argument, which is returned."""
    def logsumexp(
        self,
        dim: _int | Sequence[_int] = ...,
        keepdim: _bool = False,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """``log(sum(exp(input)))`` over ``dim``, without overflow."""
    def long(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as int64: itself if it is that already."""
    def lstsq(self, **kwargs: Any) -> Tensor:
        """Removed from PyTorch."""
    def lt(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input < other``, element by element: a bool tensor."""
    def lt_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``lt``: the result is written into the first argument, which is returned."""
    def lu(self, pivot: _bool = True, get_infos: _bool = False, out: Tensor | None = None) -> Any:
        """LU factors and pivots as ``linalg.lu_factor`` gives them."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``linalg.lu_solve`` with the right side first. Deprecated, as in PyTorch: it warns."""
    def map_(self, tensor: Tensor, callable: Callable[..., Any]) -> Tensor:
        """Replace each element by ``callable(element, other element)``. Not for tensors that require grad."""
    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """``input`` with ``value`` (a number or a 0-d tensor) where the bool ``mask`` is true."""
    def masked_fill_(self, mask: Tensor, value: Tensor | Number | None) -> Tensor:
        """In-place version of ``masked_fill``."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """``input`` with the elements of ``source``, in order, where the bool ``mask`` is true."""
    def masked_scatter_(self, mask: Tensor, source: _int | Sequence[_int]) -> Tensor:
        """In-place version of ``masked_scatter``."""
    def masked_select(self, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The elements of ``input`` where the bool ``mask`` is true, as a vector; both broadcast."""
    def matmul(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The matrix product ``input @ other``."""
    def matrix_exp(self) -> Tensor:
        """The matrix exponential ``I + x + x @ x / 2 + ...`` of square matrices."""
    def matrix_power(self, n: _int, *, out: Tensor | None = None) -> Tensor:
        """The ``n``-th power of square matrices, by repeated squaring."""
    @overload
    def max(self) -> Tensor:
        """``max(x)``."""
    @overload
    def max(self, dim: _int, keepdim: _bool = False, *, out: Any = None) -> _max: ...
    @overload
    def max(self, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def maximum(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The greater of two, element by element."""
    def mean(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """The mean of all elements, or over ``dim``; NaN of nothing."""
    @overload
    def median(self) -> Tensor:
        """The median of all elements, or ``(values, indices)`` along ``dim``."""
    @overload
    def median(self, dim: _int, keepdim: _bool = False, *, out: Any = None) -> _median: ...
    @overload
    def min(self) -> Tensor:
        """``min(x)``."""
    @overload
    def min(self, dim: _int, keepdim: _bool = False, *, out: Any = None) -> _min: ...
    @overload
    def min(self, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def minimum(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The lesser of two, element by element."""
    def mm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The product of two matrices, (n, m) and (m, p)."""
    def mode(self, dim: _int = -1, keepdim: _bool = False) -> _mode: ...
    def moveaxis(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """Another name for ``movedim``."""
    def movedim(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """A view with dimensions moved to other places; the others keep their order."""
    def msort(self, *, out: Tensor | None = None) -> Tensor:
        """``input`` sorted along its first dimension."""
    def mul(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The product of ``input`` and ``other``, element by element."""
    def mul_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``mul``: the result is written into the first argument, which is returned."""
    def multinomial(
        self,
        num_samples: _int,
        replacement: _bool = False,
        *,
        generator: Generator | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """``num_samples`` indices per row of ``input`` (1-D or 2-D), drawn in proportion to its weights."""
    def multiply(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The product of ``input`` and ``other``, element by element."""
    def multiply_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``mul``: the result is written into the first argument, which is returned."""
    def mv(self, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The product of a matrix (n, m) and a vector (m)."""
    def mvlgamma(self, p: Any, *, out: Tensor | None = None) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension ``p`` (RuntimeError if below 1)."""
    def mvlgamma_(self, p: Any) -> Tensor:
        """In-place version of ``mvlgamma``."""
    def nan_to_num(
        self, nan: Any = None, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None,
    ) -> Tensor: ...
    def nan_to_num_(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """In-place version of ``nan_to_num``."""
    def nanmean(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """The mean, over all or ``dim``, of what is not NaN. RuntimeError for integers."""
    @overload
    def nanmedian(self) -> Tensor:
        """The median of what is not NaN, of all elements or ``(values, indices)`` along ``dim``."""
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool = False, *, out: Any = None) -> _nanmedian: ...
    def nanquantile(
        self,
        q: Any,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        interpolation: str = 'linear',
        out: Tensor | None = None,
    ) -> Tensor:
        """``quantile`` of what is not NaN."""
    def nansum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """The sum, over all or ``dim``, with NaN counted as 0. RuntimeError for complex tensors."""
    def narrow(self, dim: _int | Sequence[_int], start: Any, length: _int) -> Tensor:
        """The view of ``length`` elements of a dimension from ``start`` on."""
    def narrow_copy(
        self, dim: _int | Sequence[_int], start: Any, length: _int, *, out: Tensor | None = None,
    ) -> Tensor:
        """``narrow`` as a copy."""
    def ndimension(self) -> _int:
        """The number of dimensions."""
    def ne(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input != other``, element by element: a bool tensor."""
    def ne_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``ne``: the result is written into the first argument, which is returned."""
    def neg(self, *, out: Tensor | None = None) -> Tensor:
        """``-input``; RuntimeError for bool tensors."""
    def neg_(self) -> Tensor:
        """In-place version of ``neg``: the result is written into the first argument, which is returned."""
    def negative(self, *, out: Tensor | None = None) -> Tensor:
        """``-input``; RuntimeError for bool tensors."""
    def negative_(self) -> Tensor:
        """In-place version of ``neg``: the result is written into the first argument, which is returned."""
    def nelement(self) -> _int:
        """The number of elements."""
    def new(self, *args: Any, device: _Device = None) -> Tensor:
        """A tensor of this one's dtype from sizes or data."""
    def new_empty(
        self,
        *size: _int | Sequence[_int],
        dtype: _dtype | None = None,
        device: _Device = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
        **named: Any,
    ) -> Tensor:
        """A tensor of uninitialised values of shape ``size``."""
    def new_empty_strided(
        self,
        size: _int | Sequence[_int],
        stride: _int | Sequence[_int] | None,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: _Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    def new_full(
        self,
        size: _int | Sequence[_int],
        fill_value: Number,
        *,
        dtype: _dtype | None = None,
        device: _Device = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """A tensor of one value, with this tensor's dtype unless ``dtype`` says other."""
    def new_ones(
        self,
        *size: _int | Sequence[_int],
        dtype: _dtype | None = None,
        device: _Device = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
        **named: Any,
    ) -> Tensor:
        """A tensor of ones of shape ``size``; this tensor's dtype unless ``dtype`` says other."""
    def new_tensor(
        self,
        data: Any,
        *,
        dtype: _dtype | None = None,
        device: _Device = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """A copy of ``data`` as a tensor with this tensor's dtype unless ``dtype`` says other."""
    def new_zeros(
        self,
        *size: _int | Sequence[_int],
        dtype: _dtype | None = None,
        device: _Device = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
        **named: Any,
    ) -> Tensor:
        """A tensor of zeros of shape ``size``; this tensor's dtype unless ``dtype`` says other."""
    def nextafter(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The next representable number after ``input`` towards ``other``."""
    def nextafter_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``nextafter``."""
    @overload
    def nonzero(self, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor:
        """The indices of the elements that are not zero (False)."""
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    def nonzero_static(
        self, *, size: _int | Sequence[_int], fill_value: Number = -1, out: Tensor | None = None,
    ) -> Tensor:
        """``nonzero`` in exactly ``size`` rows: cut, or filled with ``fill_value``."""
    def norm(
        self,
        p: Number | str | None = 'fro',
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        out: Tensor | None = None,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """The p-norm of the elements over ``dim`` (all by default)."""
    def normal_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill with normal numbers of the given mean and standard deviation."""
    def not_equal(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input != other``, element by element: a bool tensor."""
    def not_equal_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``ne``: the result is written into the first argument, which is returned."""
    def numel(self) -> _int:
        """The number of elements."""
    def numpy(self, *, force: _bool = False) -> np.ndarray:
        """The memory as a NumPy array: writes to one are seen by the other."""
    def orgqr(self, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``linalg.householder_product``."""
    def ormqr(
        self,
        input2: Tensor,
        input3: Tensor,
        left: _bool = True,
        transpose: _bool = False,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Q times ``input3``, or with ``left=False`` ``input3`` times Q; Q^H for Q with ``transpose``."""
    def outer(self, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The matrix of the products of all pairs of elements of two vectors; the dtype is promoted."""
    def permute(self, *dims: _int | Sequence[_int], **named: Any) -> Tensor:
        """A view with the dimensions in another order."""
    def pin_memory(self, device: _Device = None) -> Tensor:
        """RuntimeError: there is no accelerator that could use pinned memory."""
    def pinverse(self, rcond: _float = 1e-15) -> Tensor:
        """``linalg.pinv`` with ``rtol=rcond``."""
    def polygamma(self, n: _int) -> Tensor:
        """``torch.polygamma(n, self)``."""
    def polygamma_(self, n: _int) -> Tensor:
        """``self`` replaced by ``torch.polygamma(n, self)``."""
    def positive(self) -> Tensor:
        """``input`` itself; RuntimeError for bool tensors."""
    def pow(self, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input ** exponent``, element by element; either may be a number."""
    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """In-place version of ``pow``: the result is written into the first argument, which is returned."""
    def prelu(self, weight: Tensor) -> Tensor: ...
    def prod(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: Any = ...,
        *,
        dtype: _dtype | None = None,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """The product of all elements, or over one dimension."""
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor: ...
    def put_(self, index: Any, source: _int | Sequence[_int], accumulate: _bool = False) -> Tensor:
        """In-place version of ``put``: the result is written into the first argument, which is returned."""
    def qr(self, some: _bool = True, *, out: Sequence[Tensor] | None = None) -> _qr:
        """``linalg.qr``, complete unless ``some``. Deprecated, as in PyTorch: it warns."""
    def quantile(
        self,
        q: Any,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        interpolation: str = 'linear',
        out: Tensor | None = None,
    ) -> Tensor: ...
    def rad2deg(self, *, out: Tensor | None = None) -> Tensor:
        """Radians to degrees."""
    def rad2deg_(self) -> Tensor:
        """In-place version of ``rad2deg``."""
    def random_(
        self, *args: Any, generator: Generator | None = None, to: _dtype = ..., **named: Any,
    ) -> Tensor:
        """Fill with whole numbers."""
    def ravel(self) -> Tensor:
        """``input`` as one dimension: a view where possible."""
    def reciprocal(self, *, out: Tensor | None = None) -> Tensor:
        """``1 / input``; integers give the default floating dtype."""
    def reciprocal_(self) -> Tensor:
        """In-place version of ``reciprocal``."""
    def register_hook(self, hook: Callable[..., Any]) -> Any:
        """Call ``hook(grad)`` whenever this tensor's gradient is computed."""
    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> Any:
        """Call ``hook(self)`` after a gradient was added to this leaf's ``.grad``."""
    def relu(self, *, out: Tensor | None = None) -> Tensor:
        """``max(input, 0)``, element by element; NaN stays NaN."""
    def relu_(self) -> Tensor:
        """In-place version of ``relu``: the result is written into the first argument, which is returned."""
    def remainder(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input % other`` with the sign of ``other``, as in Python."""
    def remainder_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``remainder``."""
    def renorm(
        self,
        p: Any,
        dim: _int | Sequence[_int] = ...,
        maxnorm: Any = ...,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """``input`` with each slice along ``dim`` whose ``p``-norm exceeds ``maxnorm`` scaled down to it."""
    def renorm_(
        self, p: Any, dim: _int | Sequence[_int], maxnorm: Any, *, axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """In-place version of ``renorm``."""
    def repeat(self, *repeats: _int | Sequence[_int], **named: Any) -> Tensor:
        """A copy repeated that many times along each dimension."""
    def repeat_interleave(
        self,
        repeats: Tensor | _int | None = None,
        dim: _int | Sequence[_int] | None = None,
        *,
        output_size: _int | Sequence[_int] | None = None,
    ) -> Tensor:
        """Each element (each slice of ``dim``) repeated in place."""
    def requires_grad_(self, requires_grad: _bool = True) -> Self:
        """Set ``requires_grad`` in place and return the tensor."""
    def reshape(self, *shape: _int | Sequence[_int], **named: Any) -> Tensor:
        """This tensor in another shape."""
    def reshape_as(self, other: Tensor | Number) -> Tensor:
        """``input.reshape(other.shape)``."""
    def resize_(
        self, *shape: _int | Sequence[_int], memory_format: _memory_format | None = ...,
    ) -> Tensor:
        """Give this tensor another shape."""
    def resize_as_(self, the_template: Tensor, *, memory_format: _memory_format | None = ...) -> Tensor:
        """``resize_`` to the shape of another tensor."""
    def resolve_conj(self) -> Tensor:
        """``input`` itself: conjugates are never pending here."""
    def resolve_neg(self) -> Tensor:
        """``input`` itself: negations are never pending here."""
    def retain_grad(self, enable: _bool = True) -> None:
        """Keep this non-leaf's gradient in ``.grad`` in coming backward passes; no effect on a leaf."""
    def roll(
        self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = (), *, out: Tensor | None = None,
    ) -> Tensor:
        """A copy shifted by ``shifts`` along ``dims``."""
    def rot90(
        self, k: _int = 1, dims: _int | Sequence[_int] = ..., *, out: Tensor | None = None,
    ) -> Tensor: ...
    def round(self, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
        """Rounded to the nearest whole number, halves to the even one."""
    def round_(self, *, decimals: _int = 0) -> Tensor:
        """In-place version of ``round``: the result is written into the first argument, which is returned."""
    def rsqrt(self, *, out: Tensor | None = None) -> Tensor:
        """``1 / sqrt(input)``."""
    def rsqrt_(self) -> Tensor:
        """In-place version of ``rsqrt``: the result is written into the first argument, which is returned."""
    def rsub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """``other - alpha * input``: subtraction with its operands exchanged."""
    def scatter(
        self,
        dim: _int | Sequence[_int],
        index: Tensor,
        src: Tensor | Number = ...,
        *,
        value: Tensor | Number | None = ...,
        reduce: Any = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """``input`` with ``src``, a tensor or number, written at ``index`` along ``dim``."""
    def scatter_(
        self,
        dim: _int | Sequence[_int],
        index: Tensor,
        src: Tensor | Number = ...,
        *,
        value: Tensor | Number | None = ...,
        reduce: Any = None,
    ) -> Tensor:
        """In-place version of ``scatter``."""
    def scatter_add(
        self,
        dim: _int | Sequence[_int] = ...,
        index: Tensor = ...,
        src: Tensor = ...,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """``input`` with ``src`` added at ``index`` along ``dim``."""
    def scatter_add_(
        self, dim: _int | Sequence[_int] = ..., index: Tensor = ..., src: Tensor = ...,
    ) -> Tensor:
        """In-place version of ``scatter_add``."""
    def scatter_reduce(
        self,
        dim: _int | Sequence[_int] = ...,
        index: Tensor = ...,
        src: Tensor = ...,
        reduce: Any = ...,
        *,
        include_self: _bool = True,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """``input`` combined with ``src`` at ``index`` along ``dim``, as ``scatter`` places it."""
    def scatter_reduce_(
        self,
        dim: _int | Sequence[_int],
        index: Any,
        src: Tensor,
        reduce: Any,
        *,
        include_self: _bool = True,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """In-place version of ``scatter_reduce``."""
    def select(
        self, dim: _int | Sequence[_int] = ..., index: Any = ..., *, axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """The view at one ``index`` of a dimension, which disappears. IndexError outside the range."""
    def select_scatter(
        self,
        src: Tensor,
        dim: _int | Sequence[_int] = ...,
        index: Any = ...,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """A copy of ``input`` with ``src`` at one ``index`` of a dimension."""
    def set_(
        self,
        source: Any = None,
        storage_offset: _int | None = 0,
        size: _int | Sequence[_int] | None = None,
        stride: _int | Sequence[_int] | None = None,
    ) -> Tensor:
        """Make this tensor show the memory of another tensor or storage; without arguments, none."""
    def sgn(self, *, out: Tensor | None = None) -> Tensor:
        """``sign`` for real numbers; for complex ones ``input / abs(input)``, and 0 at 0."""
    def sgn_(self) -> Tensor:
        """In-place version of ``sgn``: the result is written into the first argument, which is returned."""
    def share_memory_(self) -> Tensor:
        """Mark the tensor as shared; the memory of a process's tensors is not moved."""
    def short(self, memory_format: _memory_format | None = None) -> Tensor:
        """This tensor as int16: itself if it is that already."""
    def sigmoid(self, *, out: Tensor | None = None) -> Tensor:
        """``1 / (1 + exp(-input))``."""
    def sigmoid_(self) -> Tensor:
        """In-place version of ``sigmoid``."""
    def sign(self, *, out: Tensor | None = None) -> Tensor:
        """-1, 0 or 1 as the element is negative, zero or positive."""
    def sign_(self) -> Tensor:
        """In-place version of ``sign``: the result is written into the first argument, which is returned."""
    def signbit(self, *, out: Tensor | None = None) -> Tensor:
        """Whether the sign is negative: a bool tensor; true for -0.0."""
    def sin(self, *, out: Tensor | None = None) -> Tensor:
        """The sine of angles in radians."""
    def sin_(self) -> Tensor:
        """In-place version of ``sin``: the result is written into the first argument, which is returned."""
    def sinc(self, *, out: Tensor | None = None) -> Tensor:
        """``sin(pi * input) / (pi * input)``, and 1 at 0."""
    def sinc_(self) -> Tensor:
        """In-place version of ``sinc``: the result is written into the first argument, which is returned."""
    def sinh(self, *, out: Tensor | None = None) -> Tensor:
        """The hyperbolic sine."""
    def sinh_(self) -> Tensor:
        """In-place version of ``sinh``: the result is written into the first argument, which is returned."""
    @overload
    def size(self, dim: None = None) -> Size:
        """The shape, or the size of one dimension."""
    @overload
    def size(self, dim: _int) -> _int: ...
    def slice_scatter(
        self,
        src: Tensor,
        dim: _int = 0,
        start: Any = None,
        end: Any = None,
        step: Number = 1,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """A copy of ``input`` with ``src`` in the place of a slice of a dimension."""
    def slogdet(self, *, out: Sequence[Tensor] | None = None) -> _slogdet:
        """``linalg.slogdet``: the determinants' signs and the logarithms of their absolute values."""
    def softmax(
        self,
        dim: _int | Sequence[_int] = ...,
        dtype: _dtype | None = None,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> Tensor:
        """``exp(input)`` divided by its sum over ``dim``, so that the slices along ``dim`` sum to 1."""
    def solve(self, **kwargs: Any) -> Tensor:
        """Removed from PyTorch."""
    def sort(
        self,
        dim: _int = -1,
        descending: _bool = False,
        *,
        stable: _bool = False,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> _sort: ...
    def split(
        self,
        split_size_or_sections: _int | Sequence[_int] | None = None,
        dim: _int = 0,
        *,
        split_size: Any = None,
    ) -> tuple[Tensor, ...]: ...
    def split_with_sizes(self, split_sizes: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """Views of the given lengths along ``dim``, which must add up to its size."""
    def sqrt(self, *, out: Tensor | None = None) -> Tensor:
        """The square root; nan for negative real numbers. The gradient at 0 is infinite."""
    def sqrt_(self) -> Tensor:
        """In-place version of ``sqrt``: the result is written into the first argument, which is returned."""
    def square(self, *, out: Tensor | None = None) -> Tensor:
        """``input * input``; bool becomes int64."""
    def square_(self) -> Tensor:
        """In-place version of ``square``."""
    def squeeze(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """A view without dimensions of size 1."""
    def squeeze_(self) -> Tensor:
        """``squeeze`` on the tensor itself: its shape changes, its memory stays; returned."""
    def std(
        self,
        dim: _int | Sequence[_int] | None = None,
        unbiased: _bool = ...,
        keepdim: _bool = False,
        *,
        correction: _int = 1,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor: ...
    def stft(
        self,
        n_fft: _int,
        hop_length: _int | None = None,
        win_length: _int | None = None,
        window: Tensor | None = None,
        center: _bool = True,
        pad_mode: str = 'reflect',
        normalized: _bool = False,
        onesided: _bool | None = None,
        return_complex: _bool | None = None,
        align_to_window: _bool | None = None,
    ) -> Tensor:
        """The short-time Fourier transform: the spectra of frames of a signal, a column for each."""
    def storage(self) -> Any:
        """The storage as elements of this tensor's dtype: deprecated, warns as PyTorch does."""
    def storage_offset(self) -> _int:
        """How many elements of the storage come before the first one of this tensor."""
    @overload
    def stride(self, dim: None = None) -> tuple[_int, ...]:
        """How many elements apart neighbours in each dimension lie in memory, as a tuple."""
    @overload
    def stride(self, dim: _int) -> _int: ...
    def sub(self, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
        """``input - alpha * other``, element by element; RuntimeError for bool tensors."""
    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place version of ``sub``: the result is written into the first argument, which is returned."""
    def subtract(self, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
        """``input - alpha * other``, element by element; RuntimeError for bool tensors."""
    def subtract_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """In-place version of ``sub``: the result is written into the first argument, which is returned."""
    def sum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """The sum of all elements, or over the dimensions in ``dim`` (an int or several."""
    def sum_to_size(self, *size: _int | Sequence[_int]) -> Tensor:
        """``input`` summed over what broadcasting from ``size`` would add or stretch."""
    def svd(
        self, some: _bool = True, compute_uv: _bool = True, *, out: Sequence[Tensor] | None = None,
    ) -> _svd:
        """U, S and V (not its adjoint) with ``input = U @ diag(S) @ V.mH``."""
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """Another name for ``transpose``."""
    def swapaxes_(self, axis0: _int, axis1: _int) -> Tensor:
        """``swapaxes`` on the tensor itself: its shape changes, its memory stays; returned."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Another name for ``transpose``."""
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """``swapdims`` on the tensor itself: its shape changes, its memory stays; returned."""
    def symeig(self, **kwargs: Any) -> Tensor:
        """Removed from PyTorch."""
    def t(self) -> Tensor:
        """The transpose of a matrix, as a view; fewer dimensions stay as they are. RuntimeError for more."""
    def t_(self) -> Tensor:
        """``t`` on the tensor itself: its shape changes, its memory stays; returned."""
    def take(self, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def take_along_dim(
        self, indices: Tensor, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None,
    ) -> Tensor:
        """The elements of ``input`` at ``indices`` (int64) along ``dim``."""
    def tan(self, *, out: Tensor | None = None) -> Tensor:
        """The tangent of angles in radians."""
    def tan_(self) -> Tensor:
        """In-place version of ``tan``: the result is written into the first argument, which is returned."""
    def tanh(self, *, out: Tensor | None = None) -> Tensor:
        """The hyperbolic tangent."""
    def tanh_(self) -> Tensor:
        """In-place version of ``tanh``: the result is written into the first argument, which is returned."""
    def tensor_split(
        self,
        indices_or_sections: Any = None,
        dim: _int = 0,
        *,
        indices: _int | Sequence[_int] | None = None,
        sections: Any = None,
    ) -> tuple[Tensor, ...]:
        """Views along ``dim``: that many as equal as possible, or cut at the given indices."""
    def tile(self, *dims: _int | Sequence[_int], **named: Any) -> Tensor:
        """Like ``repeat``, but fewer numbers than dimensions count from the last."""
    def to(
        self,
        *args: Any,
        dtype: _dtype | None = None,
        device: _Device = None,
        non_blocking: _bool = False,
        copy: _bool = False,
        memory_format: _memory_format | None = None,
        other: Tensor | None = None,
    ) -> Tensor:
        """This tensor with another dtype (or that of another tensor)."""
    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a 0-d tensor gives its number."""
    def topk(
        self,
        k: _int,
        dim: _int = -1,
        largest: _bool = True,
        sorted: _bool = True,
        *,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
    ) -> _topk:
        """The ``k`` greatest (``largest=False``."""
    def trace(self) -> Tensor:
        """The sum of a matrix's diagonal; integers add up to int64."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """A view with two dimensions exchanged. IndexError for dimensions that do not exist."""
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """``transpose`` on the tensor itself: its shape changes, its memory stays; returned."""
    def triangular_solve(
        self,
        A: Tensor,
        upper: _bool = True,
        transpose: _bool = False,
        unitriangular: _bool = False,
        *,
        out: Sequence[Tensor] | None = None,
    ) -> _triangular_solve:
        """X with ``A X = input`` (``A^T X = input`` with ``transpose``) for a triangle A, and a copy of A."""
    def tril(self, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
        """The lower triangle of matrices, zeros elsewhere; ``diagonal`` counts above the main one."""
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """In-place version of ``tril``: the result is written into the first argument, which is returned."""
    def triu(self, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
        """The upper triangle of matrices, zeros elsewhere; ``diagonal`` counts above the main one."""
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """In-place version of ``triu``: the result is written into the first argument, which is returned."""
    def true_divide(
        self, other: Tensor | Number, *, rounding_mode: str | None = None, out: Tensor | None = None,
    ) -> Tensor:
        """``input / other``, element by element; integers give the default floating dtype."""
    def true_divide_(self, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
        """In-place version of ``div``."""
    def trunc(self, *, out: Tensor | None = None) -> Tensor:
        """The whole part: rounded towards zero."""
    def trunc_(self) -> Tensor:
        """In-place version of ``trunc``: the result is written into the first argument, which is returned."""
    @overload
    def type(self, dtype: None = None) -> str:
        """The old name of the tensor's type, such as "torch.FloatTensor"."""
    @overload
    def type(self, dtype: _dtype | str | type, non_blocking: _bool = False) -> Tensor: ...
    def type_as(self, other: Tensor | Number) -> Tensor:
        """This tensor with the dtype of ``other``."""
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]:
        """The views at every index of a dimension, as a tuple."""
    def unflatten(self, dim: _int | Sequence[_int], sizes: Sequence[_int]) -> Tensor:
        """``input`` with one dimension as several, of ``sizes`` (one may be -1)."""
    def unfold(self, dimension: _int, size: _int | Sequence[_int], step: Any) -> Tensor:
        """The view of all windows of ``size`` elements, ``step`` apart, of a dimension."""
    def uniform_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill with uniform numbers from [from, to)."""
    def unique(
        self,
        sorted: _bool = True,
        return_inverse: _bool = False,
        return_counts: _bool = False,
        dim: _int | Sequence[_int] | None = None,
    ) -> Any:
        """The distinct elements, in order."""
    def unique_consecutive(
        self,
        return_inverse: _bool = False,
        return_counts: _bool = False,
        dim: _int | Sequence[_int] | None = None,
    ) -> Any:
        """The elements (or slices along ``dim``) without immediate repetitions."""
    def unsafe_chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """The pieces of ``chunk`` as copies, which may be written to."""
    def unsafe_split(
        self, split_size: Any, dim: _int = 0, *, axis: _int | Sequence[_int] = ...,
    ) -> tuple[Tensor, ...]:
        """The pieces of ``split`` as copies, which may be written to."""
    def unsafe_split_with_sizes(
        self, split_sizes: _int | Sequence[_int], dim: _int = 0, *, axis: _int | Sequence[_int] = ...,
    ) -> tuple[Tensor, ...]:
        """The pieces of ``split_with_sizes`` as copies, which may be written to."""
    def unsqueeze(self, dim: _int | Sequence[_int] = ..., *, axis: _int | Sequence[_int] = ...) -> Tensor:
        """A view with a new dimension of size 1 at ``dim``."""
    def unsqueeze_(self, dim: _int | Sequence[_int] = ...) -> Tensor:
        """``unsqueeze`` on the tensor itself: its shape changes, its memory stays; returned."""
    def untyped_storage(self) -> Any:
        """The storage that this tensor and its views share."""
    def var(
        self,
        dim: _int | Sequence[_int] | None = None,
        unbiased: _bool = ...,
        keepdim: _bool = False,
        *,
        correction: _int = 1,
        out: Tensor | None = None,
        axis: _int | Sequence[_int] = ...,
        keepdims: _bool = ...,
    ) -> Tensor:
        """The variance, over all elements or over ``dim`` (an int or several), real for complex tensors."""
    def vdot(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The scalar product of two vectors, the first conjugated."""
    def view(self, *shape: _int | Sequence[_int], **named: Any) -> Tensor: ...
    def view_as(self, other: Tensor | Number) -> Tensor:
        """``input.view(other.shape)``."""
    def vsplit(
        self,
        indices_or_sections: Any = None,
        *,
        indices: _int | Sequence[_int] | None = None,
        sections: Any = None,
    ) -> tuple[Tensor, ...]:
        """Views along dimension 0: that many equal ones, or cut at the given indices."""
    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor:
        """``torch.where(condition, self, other)``."""
    def xlogy(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """``input * log(other)``, and 0 where ``input`` is 0 unless ``other`` is nan."""
    def xlogy_(self, other: Tensor | Number) -> Tensor:
        """In-place version of ``xlogy``: the result is written into the first argument, which is returned."""
    def zero_(self) -> Tensor:
        """Set every element to zero; returns this tensor."""

class Rare:
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class DisableTorchFunctionSubclass:
    before: _bool
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...

def wrap(array: Any) -> Tensor: ...
def wrap_like(cls: Any, array: Any) -> Any: ...
def user_place(depth: Any = ...) -> Any: ...
def describe_place(where: Any) -> str | None: ...
def _lower_name(d: Any) -> Any: ...
def _convert(result: Any, cls: Any) -> Any: ...
def _disabled_torch_function_impl(func: Any, types: Any, args: Any = ..., kwargs: Any = ...) -> Any: ...
