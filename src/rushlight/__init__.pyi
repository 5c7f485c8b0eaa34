"""Types of the public page. Written by tools/make_stubs.py from the operators themselves; do not edit."""
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, overload

import numpy as np

from . import accelerator as accelerator
from . import amp as amp
from . import autograd as autograd
from . import backends as backends
from . import compiler as compiler
from . import cuda as cuda
from . import distributed as distributed
from . import distributions as distributions
from . import fft as fft
from . import func as func
from . import jit as jit
from . import linalg as linalg
from . import masked as masked
from . import mps as mps
from . import nn as nn
from . import observe as observe
from . import optim as optim
from . import overrides as overrides
from . import random as random
from . import return_types as return_types
from . import serialization as serialization
from . import signal as signal
from . import special as special
from . import storage as storage
from . import testing as testing
from . import types as types
from . import utils as utils
from . import version as version
from . import xpu as xpu
from .autograd.modes import enable_grad as enable_grad
from .autograd.modes import inference_mode as inference_mode
from .autograd.modes import is_grad_enabled as is_grad_enabled
from .autograd.modes import is_inference_mode_enabled as is_inference_mode_enabled
from .autograd.modes import no_grad as no_grad
from .autograd.modes import set_grad_enabled as set_grad_enabled
from .device import device as _device
from .device import device as device
from .dtypes import bfloat16 as bfloat16
from .dtypes import complex64 as complex64
from .dtypes import complex128 as complex128
from .dtypes import dtype as _dtype
from .dtypes import dtype as dtype
from .dtypes import finfo as finfo
from .dtypes import float16 as float16
from .dtypes import float32 as float32
from .dtypes import float64 as float64
from .dtypes import iinfo as iinfo
from .dtypes import int8 as int8
from .dtypes import int16 as int16
from .dtypes import int32 as int32
from .dtypes import int64 as int64
from .dtypes import uint8 as uint8
from .dtypes import uint16 as uint16
from .dtypes import uint32 as uint32
from .dtypes import uint64 as uint64
from .layout import layout as _layout
from .layout import layout as layout
from .layout import memory_format as _memory_format
from .layout import memory_format as memory_format
from .printing import set_printoptions as set_printoptions
from .random import Generator as Generator
from .random import default_generator as default_generator
from .tensor import (
    Number,
    _aminmax,
    _bool,
    _cummax,
    _cummin,
    _Device,
    _float,
    _frexp,
    _geqrf,
    _int,
    _kthvalue,
    _lu_unpack,
    _max,
    _median,
    _min,
    _mode,
    _nanmedian,
    _qr,
    _slogdet,
    _sort,
    _svd,
    _topk,
    _triangular_solve,
)
from .tensor import Size as Size
from .tensor import Tensor as Tensor

__version__: str
bool: _dtype
half: _dtype
float: _dtype
double: _dtype
short: _dtype
int: _dtype
long: _dtype
cfloat: _dtype
cdouble: _dtype
inf: _float
nan: _float
pi: _float
e: _float
newaxis: None
strided: _layout
contiguous_format: _memory_format
preserve_format: _memory_format
channels_last: _memory_format
channels_last_3d: _memory_format

def _weight_norm(v: Any, g: Any, dim: _int = 0) -> Tensor:
    """``v`` with the norms of its slices along ``dim`` made ``g`` (Salimans and Kingma 2016)."""

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value; of complex numbers the modulus, which is real. The gradient at 0 is 0."""

def abs_(input: Tensor) -> Tensor:
    """In-place version of ``abs``: the result is written into the first argument, which is returned."""

def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value; of complex numbers the modulus, which is real. The gradient at 0 is 0."""

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is ``input``; nan outside [-1, 1] for real numbers."""

def acos_(input: Tensor) -> Tensor:
    """In-place version of ``acos``: the result is written into the first argument, which is returned."""

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``cosh``; nan below 1 for real numbers."""

def acosh_(input: Tensor) -> Tensor:
    """In-place version of ``acosh``: the result is written into the first argument, which is returned."""

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of ``output_size`` windows that cover (N, C, L) or (C, L) evenly."""

def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Any:
    """(the maxima of ``output_size`` windows that cover (N, C, L) or (C, L) evenly, their places)."""

def add(
    input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None,
) -> Tensor:
    """``input + alpha * other``, element by element."""

def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * bmm(batch1, batch2).sum(0)``; ``input`` broadcasts."""

def addcdiv(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: Tensor | Number | None = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``input + value * tensor1 / tensor2``, element by element; RuntimeError for two integer tensors."""

def addcmul(
    input: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: Tensor | Number | None = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``input + value * tensor1 * tensor2``, element by element."""

def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``; ``input`` broadcasts to the product's shape."""

def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``."""

def addmv_(self: Tensor, first: Tensor, second: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """In-place version of ``addmv``: the result is written into the first argument, which is returned."""

def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``."""

def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of the last two dimensions."""

def affine_grid_generator(theta: Tensor, size: _int | Sequence[_int], align_corners: Any) -> Tensor:
    """The places that the matrices ``theta``, (N, d, d + 1), send all pixels of ``size``, (N, C, *), to."""

def alias_copy(input: Tensor, *args: Any, out: Tensor | None = None, **kwargs: Any) -> Tensor:
    """``alias`` as a copy: with memory of its own, through which gradients flow."""

def all(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """Whether every element is non-zero, altogether or over ``dim``; bool (uint8 for uint8)."""

def allclose(
    input: Tensor,
    other: Tensor | Number,
    rtol: Number = 1e-05,
    atol: Number = 1e-08,
    equal_nan: _bool = False,
) -> _bool:
    """Whether ``isclose`` holds for every element: a Python bool."""

def alpha_dropout(input: Tensor, p: Any, train: _bool) -> Tensor:
    """``nn.functional.alpha_dropout`` with ``p`` and ``train`` given."""

def alpha_dropout_(input: Tensor, p: Any, train: _bool) -> Tensor:
    """In-place version of ``alpha_dropout``."""

def amax(
    input: Tensor,
    dim: _int | Sequence[_int] = (),
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """The greatest element over ``dim`` (an int or several; all by default); NaN is the greatest of all."""

def amin(
    input: Tensor,
    dim: _int | Sequence[_int] = (),
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """The least element over ``dim``; as ``amax``."""

def aminmax(
    input: Tensor,
    *,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> _aminmax:
    """The least and the greatest element, of all or over one dimension, as a named tuple ``(min, max)``."""

def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of complex numbers in (-pi, pi]; of real ones 0 or pi."""

def any(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """Whether some element is non-zero, altogether or over ``dim``; bool (uint8 for uint8)."""

def arange(
    *args: Any,
    start: Number = 0,
    end: Any = None,
    step: Number = 1,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """Numbers from ``start`` (0) up to but not including ``end``, ``step`` (1) apart."""

def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is ``input``; nan outside [-1, 1] for real numbers."""

def arccos_(input: Tensor) -> Tensor:
    """In-place version of ``acos``: the result is written into the first argument, which is returned."""

def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``cosh``; nan below 1 for real numbers."""

def arccosh_(input: Tensor) -> Tensor:
    """In-place version of ``acosh``: the result is written into the first argument, which is returned."""

def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is ``input``; nan outside [-1, 1] for real numbers."""

def arcsin_(input: Tensor) -> Tensor:
    """In-place version of ``asin``: the result is written into the first argument, which is returned."""

def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``sinh``."""

def arcsinh_(input: Tensor) -> Tensor:
    """In-place version of ``asinh``: the result is written into the first argument, which is returned."""

def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is ``input``."""

def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (``other``, ``input``), in (-pi, pi]; its gradient at the origin is 0."""

def arctan_(input: Tensor) -> Tensor:
    """In-place version of ``atan``: the result is written into the first argument, which is returned."""

def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``tanh``; infinite at -1 and 1, nan beyond for real numbers."""

def arctanh_(input: Tensor) -> Tensor:
    """In-place version of ``atanh``: the result is written into the first argument, which is returned."""

def are_deterministic_algorithms_enabled() -> _bool:
    """Whether ``use_deterministic_algorithms`` was switched on."""

def argmax(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """The index of the greatest element (the first of equals), in the flattened tensor or along ``dim``."""

def argmin(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """The index of the least element (the first of equals), in the flattened tensor or along ``dim``."""

def argsort(
    input: Tensor,
    dim: _int = -1,
    descending: _bool = False,
    *,
    stable: _bool = False,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The indices that sort ``input`` along ``dim``: the second result of ``sort``."""

def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, one row each: ``nonzero`` by another name."""

def as_strided(
    input: Tensor,
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None,
    storage_offset: _int | None = None,
) -> Tensor:
    """A view of ``input``'s memory with any ``size``, ``stride`` and ``storage_offset`` (in elements."""

def as_strided_(
    input: Tensor,
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None,
    storage_offset: _int | None = None,
) -> Tensor:
    """``as_strided`` on the tensor itself: its shape changes, its memory stays; returned."""

def as_strided_copy(
    input: Tensor,
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None,
    storage_offset: _int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``as_strided`` as a copy: with memory of its own, through which gradients flow."""

def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None,
    storage_offset: _int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of ``input`` with ``src`` in the place of an ``as_strided`` window."""

def as_tensor(data: Any, dtype: _dtype | None = None, device: _Device = None) -> Tensor:
    """``data`` as a tensor."""

def asarray(
    obj: Any,
    *,
    dtype: _dtype | None = None,
    device: _Device = None,
    copy: Any = None,
    requires_grad: _bool = False,
) -> Tensor:
    """``obj`` as a tensor, sharing memory where possible."""

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is ``input``; nan outside [-1, 1] for real numbers."""

def asin_(input: Tensor) -> Tensor:
    """In-place version of ``asin``: the result is written into the first argument, which is returned."""

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``sinh``."""

def asinh_(input: Tensor) -> Tensor:
    """In-place version of ``asinh``: the result is written into the first argument, which is returned."""

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is ``input``."""

def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (``other``, ``input``), in (-pi, pi]; its gradient at the origin is 0."""

def atan_(input: Tensor) -> Tensor:
    """In-place version of ``atan``: the result is written into the first argument, which is returned."""

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``tanh``; infinite at -1 and 1, nan beyond for real numbers."""

def atanh_(input: Tensor) -> Tensor:
    """In-place version of ``atanh``: the result is written into the first argument, which is returned."""

def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """A view with at least 1 dimension; of several tensors, a tuple."""

def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """A view with at least 2 dimensions; of several tensors, a tuple."""

def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """A view with at least 3 dimensions; of several tensors, a tuple."""

def avg_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor:
    """The mean of each window of (N, C, L) or (C, L); ``stride`` is ``kernel_size`` by default."""

def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * bmm(batch1, batch2)``; ``input`` broadcasts."""

def bartlett_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """Bartlett's window, a triangle; lengths and errors as in ``hann_window``."""

def batch_norm(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: Any,
    eps: Any,
    cudnn_enabled: _bool = True,
) -> Tensor: ...

def bernoulli(
    input: Tensor, p: _float | None = None, *, generator: Generator | None = None, out: Tensor | None = None,
) -> Tensor:
    """Zeros and ones: ones with the probabilities in ``input``, or with probability ``p``."""

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[k] @ input2`` for each k, plus ``bias``."""

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: Number = 0,
) -> Tensor:
    """``nn.functional.binary_cross_entropy_with_logits`` with the reduction as a number."""

def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each whole number from 0 to the greatest occurs in a row, or the sum of its ``weights``."""

def binomial(
    count: Tensor, prob: Tensor, generator: Generator | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Numbers of successes in ``count`` trials of probability ``prob``."""

def bitwise_and(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input & other``, bit by bit."""

def bitwise_left_shift(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """``input << other``: the bits moved up. Integer dtypes only, else NotImplementedError."""

def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``~input``."""

def bitwise_or(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input | other``, bit by bit."""

def bitwise_right_shift(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """``input >> other``."""

def bitwise_xor(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input ^ other``, bit by bit."""

def blackman_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """Blackman's window, of two cosines; lengths and errors as in ``hann_window``."""

def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """The matrices along the diagonal of one matrix, zeros elsewhere; vectors count as rows."""

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two stacks of matrices, (b, n, m) and (b, m, p); no broadcasting."""

def broadcast_shapes(*shapes: _int | Sequence[_int]) -> Size:
    """The shape that tensors of these shapes broadcast to. RuntimeError if there is none."""

def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape, as views in a tuple."""

def broadcast_to(input: Tensor, size: _int | Sequence[_int]) -> Tensor:
    """``input.expand(size)``."""

def bucketize(
    input: Tensor | Number,
    boundaries: Tensor,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The index of the bucket that each value falls in."""

def can_cast(from_: _dtype, to: _dtype) -> _bool:
    """Whether an in-place operator may store a result of dtype ``from_`` in a tensor of dtype ``to``."""

def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """All combinations of one element of each 1-d tensor, as rows."""

def cat(
    tensors: Sequence[Tensor],
    dim: _int = 0,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
) -> Tensor:
    """The tensors one after the other along ``dim``."""

def cdist(
    x1: Tensor,
    x2: Tensor,
    p: Number = 2.0,
    compute_mode: str = 'use_mm_for_euclid_dist_if_necessary',
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The ``p``-norm distances between the rows of ``x1`` (B, P, M) and of ``x2`` (B, R, M)."""

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least whole number that is not below. The gradient of rounding is 0."""

def ceil_(input: Tensor) -> Tensor:
    """In-place version of ``ceil``: the result is written into the first argument, which is returned."""

def celu(input: Tensor, alpha: Number = 1.0, *, out: Tensor | None = None) -> Tensor:
    """``max(0, input) + min(0, alpha * (exp(input / alpha) - 1))`` (Barron 2017)."""

def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In-place version of ``celu``: the result is written into the first argument, which is returned."""

def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of several matrices, multiplied in the order that costs least."""

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """The channels (dimension 1) read across ``groups`` groups (Zhang and others 2018)."""

def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """``linalg.cholesky`` under its older name. Deprecated, as in PyTorch: it warns."""

def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``A = L L^H`` from its Cholesky factor L (or, with ``upper``, of ``U^H U``)."""

def cholesky_solve(
    input: Tensor, input2: Tensor, upper: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """X with ``A X = input``, from the Cholesky factor ``input2`` of A."""

def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """At most ``chunks`` views of equal length along ``dim`` (the last may be shorter)."""

def clamp(
    input: Tensor,
    min: Tensor | Number | None = None,
    max: Tensor | Number | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with what is below ``min`` raised to it and what is above ``max`` lowered to it."""

def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """In-place version of ``clamp``: the result is written into the first argument, which is returned."""

def clamp_max(input: Tensor, max: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``clamp`` with an upper bound only."""

def clamp_max_(input: Tensor, max: Any) -> Tensor:
    """In-place version of ``clamp_max``: the result is written into the first argument, which is returned."""

def clamp_min(input: Tensor, min: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``clamp`` with a lower bound only."""

def clamp_min_(input: Tensor, min: Any) -> Tensor:
    """In-place version of ``clamp_min``: the result is written into the first argument, which is returned."""

def clip(
    input: Tensor,
    min: Tensor | Number | None = None,
    max: Tensor | Number | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with what is below ``min`` raised to it and what is above ``max`` lowered to it."""

def clip_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """In-place version of ``clamp``: the result is written into the first argument, which is returned."""

def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """A copy with memory of its own, through which gradients flow."""

def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors side by side; 1-d ones count as columns."""

def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """All selections of ``r`` elements of a 1-d tensor, as rows."""

def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex numbers with the given parts, tensors of one floating dtype (else RuntimeError)."""

def concat(
    tensors: Sequence[Tensor],
    dim: _int = 0,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
) -> Tensor:
    """The tensors one after the other along ``dim``."""

def concatenate(
    tensors: Sequence[Tensor],
    dim: _int = 0,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
) -> Tensor:
    """The tensors one after the other along ``dim``."""

def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""

def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate in memory of its own; a real tensor is returned as it is."""

def conj_physical_(input: Tensor) -> Tensor:
    """In-place version of ``conj_physical``."""

def constant_pad_nd(
    input: Tensor, pad: _int | Sequence[_int], value: Tensor | Number | None = 0,
) -> Tensor: ...

def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] | None = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """The 1-d cross-correlation of ``input``, (N, C, L) or (C, L), with ``weight``, (O, C / groups, k)."""

def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] | None = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """The 2-d cross-correlation of ``input`` with the kernels ``weight``, plus ``bias``."""

def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] | None = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...

def conv_tbc(
    input: Tensor, weight: Tensor, bias: Tensor | None, pad: _int | Sequence[_int] = 0,
) -> Tensor: ...

def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] | None = 1,
    padding: _int | Sequence[_int] | str = 0,
    output_padding: Number = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...

def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] | None = 1,
    padding: _int | Sequence[_int] | str = 0,
    output_padding: Number = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """The 2-d transposed convolution."""

def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] | None = 1,
    padding: _int | Sequence[_int] | str = 0,
    output_padding: Number = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...

def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: _int | Sequence[_int] | None,
    padding: _int | Sequence[_int] | str,
    dilation: _int | Sequence[_int],
    transposed: Any,
    output_padding: Any,
    groups: _int,
) -> Tensor:
    """A convolution of as many dimensions as ``weight`` has kernel dimensions, transposed or not."""

def copysign(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The size of ``input`` with the sign of ``other``."""

def corrcoef(input: Tensor) -> Tensor:
    """The matrix of Pearson's correlation coefficients of variables (rows), each within [-1, 1]."""

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of angles in radians."""

def cos_(input: Tensor) -> Tensor:
    """In-place version of ``cos``: the result is written into the first argument, which is returned."""

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine."""

def cosh_(input: Tensor) -> Tensor:
    """In-place version of ``cosh``: the result is written into the first argument, which is returned."""

def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: Number = 0.0, reduction: Number = 0,
) -> Tensor:
    """``nn.functional.cosine_embedding_loss`` with the reduction as a number."""

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: Number = 1e-08) -> Tensor:
    """``x1 . x2 / (max(|x1|, eps) max(|x2|, eps))`` along ``dim``; shapes broadcast."""

def count_nonzero(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """How many elements are not 0, of all or over ``dim`` (an int or several); int64."""

def cov(
    input: Tensor, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None,
) -> Tensor:
    """The covariance matrix of variables (rows) over observations (columns)."""

def cross(
    input: Tensor,
    other: Tensor | Number,
    dim: _int | Sequence[_int] | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The cross products of vectors of length 3 along ``dim``."""

def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Number = 0,
    reduction: Number = 0,
    zero_infinity: _bool = False,
) -> Tensor:
    """``nn.functional.ctc_loss`` with the reduction as a number, and as in PyTorch none by default."""

def cummax(input: Tensor, dim: _int | Sequence[_int]) -> _cummax:
    """The greatest element so far along ``dim`` and its index, the last of equals; once NaN, always NaN."""

def cummin(input: Tensor, dim: _int | Sequence[_int]) -> _cummin:
    """The least element so far along ``dim`` and its index, the last of equals; once NaN, always NaN."""

def cumprod(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The products of the elements along ``dim`` up to each one. The gradient is right at zeros too."""

def cumsum(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The sums of the elements along ``dim`` up to each one."""

def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: _int = -1) -> Tensor:
    """The integrals of ``trapezoid`` up to each sample but the first."""

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees to radians."""

def deg2rad_(input: Tensor) -> Tensor:
    """In-place version of ``deg2rad``: the result is written into the first argument, which is returned."""

def det(input: Tensor) -> Tensor:
    """``linalg.det``: the determinants of square matrices."""

def detach(self: Tensor) -> Tensor:
    """The same memory, cut from the graph: no gradient flows through it."""

def detach_(self: Tensor) -> Tensor:
    """Cut this tensor itself from the graph. RuntimeError for a view: use ``detach``."""

def detach_copy(self: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``detach`` as a copy: with memory of its own, through which gradients flow."""

def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Of a vector, the matrix with it on a diagonal; of a matrix, a copy of its diagonal."""

def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """The last dimension as a diagonal of two new ones, zeros elsewhere."""

def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """The matrix with the elements of ``input`` on a diagonal."""

def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """The view of a diagonal of two dimensions, which become one at the end."""

def diagonal_copy(
    input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None,
) -> Tensor:
    """``diagonal`` as a copy: with memory of its own, through which gradients flow."""

def diagonal_scatter(
    input: Tensor,
    src: Tensor,
    offset: _int = 0,
    dim1: _int = 0,
    dim2: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of ``input`` with ``src`` on a diagonal."""

def diff(
    input: Tensor,
    n: _int = 1,
    dim: _int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The ``n``-th differences of neighbours along ``dim``; exclusive-or for bool tensors."""

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of ``lgamma``; infinite at 0 and nan at -1, -2..."""

def dist(input: Tensor, other: Tensor, p: Number = 2, *, out: Tensor | None = None) -> Tensor:
    """The ``p``-norm of ``input - other``, which broadcast. Real for complex tensors."""

def div(
    input: Tensor | Number,
    other: Tensor | Number,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """``input / other``, element by element; integers give the default floating dtype."""

def divide(
    input: Tensor | Number,
    other: Tensor | Number,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """``input / other``, element by element; integers give the default floating dtype."""

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The scalar product of two vectors of equal length; no conjugation (see ``vdot``)."""

def dropout(input: Tensor, p: Any, train: _bool) -> Tensor:
    """``nn.functional.dropout`` with ``p`` and ``train`` given."""

def dropout_(input: Tensor, p: Any, train: _bool) -> Tensor:
    """In-place version of ``dropout``."""

def dsmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, m) and (m, p)."""

def dsplit(
    input: Tensor,
    indices_or_sections: Any = None,
    *,
    indices: _int | Sequence[_int] | None = None,
    sections: Any = None,
) -> tuple[Tensor, ...]:
    """Views along dimension 2: that many equal ones, or cut at the given indices."""

def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors behind each other: along dimension 2, widened to three dimensions first."""

def eig(*args: Any, **kwargs: Any) -> Tensor:
    """Removed from PyTorch: it raises a RuntimeError that names the function of ``torch.linalg`` to use."""

def einsum(*args: Any) -> Tensor:
    """Sums of products of tensors, given by subscripts: ``einsum("ij,jk->ik", a, b)`` is ``a @ b``."""

def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: _int | None = -1,
    scale_grad_by_freq: _bool = False,
    sparse: _bool = False,
) -> Tensor:
    """The rows of ``weight`` at ``indices``: shape (*indices.shape, embedding_dim)."""

def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor | None,
    scale_grad_by_freq: _bool = False,
    mode: _int = 0,
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
    padding_idx: _int | None = None,
) -> Any: ...

def empty(
    *size: _int | Sequence[_int],
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
    **named: Any,
) -> Tensor:
    """An uninitialised tensor."""

def empty_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...

def empty_permuted(
    size: _int | Sequence[_int],
    physical_layout: _int | Sequence[_int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...

def empty_strided(
    size: Sequence[_int],
    stride: _int | Sequence[_int] | None,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """An uninitialised tensor of the given size and strides (in elements)."""

def eq(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input == other``, element by element: a bool tensor."""

def equal(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether both have the same shape and the same elements: a Python bool."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to ``input``."""

def erf_(input: Tensor) -> Tensor:
    """In-place version of ``erf``: the result is written into the first argument, which is returned."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - erf(input)``, accurate where that is tiny."""

def erfc_(input: Tensor) -> Tensor:
    """In-place version of ``erfc``: the result is written into the first argument, which is returned."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``erf``: infinite at -1 and 1, nan beyond."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of each element."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of each element."""

def exp2_(input: Tensor) -> Tensor:
    """In-place version of ``exp2``: the result is written into the first argument, which is returned."""

def exp_(input: Tensor) -> Tensor:
    """In-place version of ``exp``: the result is written into the first argument, which is returned."""

def expand_copy(input: Tensor, size: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """``expand`` as a copy: with memory of its own, through which gradients flow."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(input) - 1``, accurate near 0."""

def expm1_(input: Tensor) -> Tensor:
    """In-place version of ``expm1``: the result is written into the first argument, which is returned."""

def eye(
    n: _int,
    m: _int | None = None,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """A matrix of ``n`` rows and ``m`` (``n``) columns with ones on the diagonal and zeros elsewhere."""

def feature_alpha_dropout(input: Tensor, p: Any, train: _bool) -> Tensor:
    """``nn.functional.feature_alpha_dropout`` with ``p`` and ``train`` given."""

def feature_alpha_dropout_(input: Tensor, p: Any, train: _bool) -> Tensor:
    """In-place version of ``feature_alpha_dropout``."""

def feature_dropout(input: Tensor, p: Any, train: _bool) -> Tensor:
    """``nn.functional.feature_dropout`` with ``p`` and ``train`` given."""

def feature_dropout_(input: Tensor, p: Any, train: _bool) -> Tensor:
    """In-place version of ``feature_dropout``."""

def fill(input: Tensor, value: Tensor | Number) -> Tensor:
    """A tensor like ``input`` filled with ``value`` (a number or a 0-d tensor)."""

def fill_(self: Tensor, value: Tensor | Number) -> Tensor:
    """Write ``value`` (a number or a 0-d tensor) into every element; returns this tensor."""

def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The whole part: rounded towards zero."""

def fix_(input: Tensor) -> Tensor:
    """In-place version of ``trunc``: the result is written into the first argument, which is returned."""

def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """``input`` with the dimensions from ``start_dim`` to ``end_dim`` as one."""

def flip(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """A copy with the order of elements reversed along ``dims`` (a sequence)."""

def fliplr(input: Tensor) -> Tensor:
    """A copy with the second dimension reversed. RuntimeError for fewer than two dimensions."""

def flipud(input: Tensor) -> Tensor:
    """A copy with the first dimension reversed. RuntimeError for a 0-d tensor."""

def float_power(
    input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor:
    """``input ** exponent`` computed in float64 (or complex128), whatever the dtypes."""

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest whole number that is not above."""

def floor_(input: Tensor) -> Tensor:
    """In-place version of ``floor``: the result is written into the first argument, which is returned."""

def floor_divide(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input // other``: the quotient rounded downwards. Not differentiable, as in PyTorch."""

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greater of two, element by element; NaN only if both are. On ties ``input`` gets the gradient."""

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The lesser of two, element by element; NaN only if both are. On ties ``input`` gets the gradient."""

def fmod(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The remainder of C's division."""

def fork_rng(
    devices: Any = None, enabled: _bool = True, device_type: str = 'cuda',
) -> AbstractContextManager[None]:
    """Context manager: random numbers drawn inside leave the default generator as it was."""

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input - trunc(input)``. Floating dtypes only, else NotImplementedError."""

def frac_(input: Tensor) -> Tensor:
    """In-place version of ``frac``: the result is written into the first argument, which is returned."""

def frexp(input: Tensor, *, out: Tensor | None = None) -> _frexp: ...

def frobenius_norm(
    input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """``linalg.norm`` of order 2 over one or two dimensions, of all for an empty list."""

def from_dlpack(ext_tensor: Any, *, device: _Device = None, copy: Any = None) -> Tensor:
    """A tensor that shares memory with an object of another library, by the DLPack protocol."""

def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor that shares the memory of a NumPy array."""

def frombuffer(
    buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False,
) -> Tensor:
    """A 1-d tensor over the memory of an object with Python's buffer protocol, from byte ``offset`` on."""

def full(
    size: _int | Sequence[_int],
    fill_value: Tensor | Number,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    names: Any = None,
) -> Tensor:
    """A tensor of shape ``size`` (a sequence) filled with one number, whose kind decides the dtype."""

def full_like(
    input: Tensor,
    fill_value: Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """A tensor of one value with the shape and dtype of ``input``."""

def gather(
    input: Tensor,
    dim: _int = ...,
    index: Tensor = ...,
    *,
    sparse_grad: _bool = False,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The elements of ``input`` at ``index`` along ``dim``."""

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor of whole numbers, not negative."""

def gcd_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In-place version of ``gcd``: the result is written into the first argument, which is returned."""

def ge(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input >= other``, element by element: a bool tensor."""

def geqrf(input: Tensor, *, out: Tensor | None = None) -> _geqrf:
    """QR as LAPACK leaves it."""

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix of the products of all pairs of elements of two vectors; the dtype is promoted."""

def get_default_device() -> _device:
    """The device of new tensors: the CPU."""

def get_default_dtype() -> _dtype:
    """The floating-point dtype that new tensors get when none is named (float32 unless changed)."""

def get_deterministic_debug_mode() -> _int:
    """The value that ``set_deterministic_debug_mode`` takes."""

def get_float32_matmul_precision() -> str:
    """"highest", "high" or "medium", as last set."""

def get_num_interop_threads() -> _int:
    """How many operators may run side by side, as last set."""

def get_num_threads() -> _int:
    """How many threads one operator may use."""

def get_rng_state() -> Tensor:
    """The default generator's state, as a uint8 tensor."""

def gradient(
    input: Tensor, *, spacing: Any = None, dim: _int | Sequence[_int] | None = None, edge_order: _int = 1,
) -> tuple[Tensor, ...]: ...

def greater(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input > other``, element by element: a bool tensor."""

def greater_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input >= other``, element by element: a bool tensor."""

def grid_sampler(
    input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any,
) -> Tensor:
    """``nn.functional.grid_sample`` with its modes as numbers."""

def grid_sampler_2d(
    input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any,
) -> Tensor:
    """``grid_sampler`` of (N, C, H, W) at (N, H', W', 2)."""

def grid_sampler_3d(
    input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any,
) -> Tensor:
    """``grid_sampler`` of (N, C, D, H, W) at (N, D', H', W', 3)."""

def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Number = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor:
    """Normalize the channels (dimension 1) of each sample in ``num_groups`` groups (Wu and He 2018)."""

def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """A gated recurrent unit of several layers (Cho and others 2014)."""

def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """One step of a gated recurrent unit; shapes as ``rnn_tanh_cell``'s, with 3 H rows in the weights."""

def gt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input > other``, element by element: a bool tensor."""

def hamming_window(
    window_length: _int,
    periodic: _bool = True,
    alpha: Number = 0.54,
    beta: Number = 0.46,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """Hamming's window, ``alpha - beta * cos``; lengths and errors as in ``hann_window``."""

def hann_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """Hann's window: half a cosine's wave, from 0 over 1 to 0."""

def hardshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """0 where ``-lambd <= input <= lambd``, else ``input``."""

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 where ``input`` is negative, 1 where it is positive, ``values`` where it is 0."""

def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: Number = 1.0, reduction: Number = 0,
) -> Tensor:
    """``nn.functional.hinge_embedding_loss`` with the reduction as a number."""

def histc(
    input: Tensor, bins: Number = 100, min: Number = 0, max: Number = 0, *, out: Tensor | None = None,
) -> Tensor: ...

def histogram(
    input: Tensor,
    bins: Any,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: _bool = False,
    out: Tensor | None = None,
) -> Any: ...

def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: _bool = False,
) -> Any:
    """The histogram of points, the rows of ``input`` (..., D), over D dimensions."""

def hsmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, m) and (m, p)."""

def hsplit(
    input: Tensor,
    indices_or_sections: Any = None,
    *,
    indices: _int | Sequence[_int] | None = None,
    sections: Any = None,
) -> tuple[Tensor, ...]:
    """Views along dimension 1: that many equal ones, or cut at the given indices."""

def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors side by side: along dimension 1, or 0 if they are 1-d."""

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sqrt(input ** 2 + other ** 2)`` without overflow. Floating dtypes only, else NotImplementedError."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0."""

def i0_(input: Tensor) -> Tensor:
    """In-place version of ``i0``: the result is written into the first argument, which is returned."""

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function."""

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - igamma(input, other)``, accurate where that is tiny; errors and derivatives as there."""

def imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor, sharing memory; RuntimeError for a real one."""

def index_add(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    index: Tensor = ...,
    source: Tensor = ...,
    *,
    alpha: Number = 1,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """``input`` with ``alpha`` times the slices of ``source`` added at ``index`` (a vector) along ``dim``."""

def index_copy(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    index: Tensor = ...,
    source: Tensor = ...,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """``input`` with the slices of ``source`` written at ``index`` (an int64 vector) along ``dim``."""

def index_fill(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    index: Tensor = ...,
    value: Tensor | Number = ...,
    *,
    axis: _int | Sequence[_int] = ...,
) -> Tensor: ...

def index_put(
    input: Tensor, indices: Sequence[Tensor | None], values: Any, accumulate: _bool = False,
) -> Tensor:
    """``input`` with ``values`` written (or added, with ``accumulate``) at ``indices``."""

def index_put_(
    input: Tensor, indices: Sequence[Tensor | None], values: Any, accumulate: _bool = False,
) -> Tensor:
    """In-place version of ``index_put``."""

def index_reduce(
    input: Tensor,
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

def index_select(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    index: Tensor = ...,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The slices of ``input`` at ``index``, a vector of int64 or int32, along ``dim``; always a copy."""

def initial_seed() -> _int:
    """The seed of the default stream."""

def inner(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The sums of products over the last dimension of both."""

def instance_norm(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    use_input_stats: _bool,
    momentum: Any,
    eps: Any,
    cudnn_enabled: _bool = True,
) -> Tensor:
    """Normalize each channel of each sample by itself (Ulyanov and others 2016)."""

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``linalg.inv``: the inverses of square matrices."""

def is_anomaly_check_nan_enabled() -> _bool:
    """Whether anomaly mode looks for NaN."""

def is_anomaly_enabled() -> _bool:
    """Whether anomaly mode is on in this thread."""

def is_complex(input: Tensor) -> _bool:
    """Whether the dtype is complex."""

def is_conj(input: Tensor) -> _bool:
    """False: conjugates are computed at once here."""

def is_deterministic_algorithms_warn_only_enabled() -> Tensor:
    """Whether ``use_deterministic_algorithms`` was switched on with ``warn_only``."""

def is_floating_point(input: Tensor) -> _bool:
    """Whether the dtype is a floating one (complex is not)."""

def is_inference(input: Tensor) -> _bool:
    """Whether the tensor was made in inference mode."""

def is_neg(input: Tensor) -> _bool:
    """False: negations are computed at once here."""

def is_nonzero(input: Tensor) -> _bool:
    """Whether the only element is not zero. RuntimeError if there is not exactly one."""

def is_same_size(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether both have the same shape."""

def is_signed(input: Tensor) -> _bool:
    """Whether the dtype has negative numbers."""

def is_storage(obj: Any) -> _bool:
    """Whether ``obj`` is a storage."""

def is_tensor(obj: Any) -> _bool:
    """Whether ``obj`` is a Tensor."""

def isclose(
    input: Tensor, other: Tensor, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: _bool = False,
) -> Tensor:
    """Whether ``abs(input - other) <= atol + rtol * abs(other)``, element by element: a bool tensor."""

def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN: a bool tensor."""

def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """For each of ``elements`` whether it is among ``test_elements``."""

def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is infinite: a bool tensor."""

def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is NaN: a bool tensor."""

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is minus infinity: a bool tensor."""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is plus infinity: a bool tensor."""

def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element has no imaginary part: a bool tensor."""

def istft(
    input: Tensor,
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

def kaiser_window(
    window_length: _int,
    periodic: _bool = True,
    beta: Number = 12.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """Kaiser's window, of a Bessel function."""

def kl_div(input: Tensor, target: Tensor, reduction: Number = 0, *, log_target: _bool = False) -> Tensor:
    """``nn.functional.kl_div`` with the reduction as a number."""

def kron(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: every element of ``input`` times the whole of ``other``, in its place."""

def kthvalue(input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False) -> _kthvalue:
    """The ``k``-th least element (counted from 1) along ``dim`` and its index."""

def layer_norm(
    input: Tensor,
    normalized_shape: _int | Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Number = 1e-05,
    cudnn_enable: _bool = True,
) -> Tensor:
    """Normalize the last dimensions, of shape ``normalized_shape``, of each sample (Ba and others 2016)."""

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple of whole numbers, not negative."""

def lcm_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In-place version of ``lcm``: the result is written into the first argument, which is returned."""

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * 2 ** other``."""

def ldexp_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In-place version of ``ldexp``: the result is written into the first argument, which is returned."""

def le(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input <= other``, element by element: a bool tensor."""

def lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input + weight * (end - input)``."""

def less(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input < other``, element by element: a bool tensor."""

def less_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input <= other``, element by element: a bool tensor."""

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function; infinite at 0, -1, -2..."""

def linspace(
    start: Any,
    end: Any,
    steps: Any = None,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """``steps`` values evenly spaced from ``start`` to ``end``, both included."""

def lobpcg(
    A: Tensor,
    k: _int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: _int | None = None,
    iK: Tensor | None = None,
    niter: _int | None = None,
    tol: _float | None = None,
    largest: _bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: Any = None,
    ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> tuple[Tensor, Tensor]:
    """(eigenvalues (*, k), eigenvectors (*, m, k)) of symmetric positive definite matrices A (*, m, m)."""

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm; -inf at 0, nan for negative real numbers."""

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 10."""

def log10_(input: Tensor) -> Tensor:
    """In-place version of ``log10``: the result is written into the first argument, which is returned."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + input)``, accurate near 0."""

def log1p_(input: Tensor) -> Tensor:
    """In-place version of ``log1p``: the result is written into the first argument, which is returned."""

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2."""

def log2_(input: Tensor) -> Tensor:
    """In-place version of ``log2``: the result is written into the first argument, which is returned."""

def log_(input: Tensor) -> Tensor:
    """In-place version of ``log``: the result is written into the first argument, which is returned."""

def log_softmax(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    dtype: _dtype | None = None,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The logarithm of ``softmax``, computed so that it neither overflows nor loses digits."""

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(exp(input) + exp(other))`` without overflow."""

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log2(2 ** input + 2 ** other)`` without overflow. Floating dtypes only, else NotImplementedError."""

def logcumsumexp(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """``log(cumsum(exp(input)))`` along ``dim``, without overflow. Floating and complex tensors only."""

def logdet(input: Tensor) -> Tensor:
    """The logarithms of determinants: nan for a negative one, -inf for 0."""

def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both are true, element by element."""

def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is false (zero): a bool tensor."""

def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether one or both are true, element by element."""

def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether exactly one is true, element by element."""

def logit(input: Tensor, eps: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``log(input / (1 - input))``, the inverse of sigmoid."""

def logit_(input: Tensor, eps: Any = None) -> Tensor:
    """In-place version of ``logit``: the result is written into the first argument, which is returned."""

def logspace(
    start: Any,
    end: Any,
    steps: Any = None,
    base: Number = 10.0,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """``steps`` values from ``base ** start`` to ``base ** end``, evenly spaced on a logarithmic scale."""

def logsumexp(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """``log(sum(exp(input)))`` over ``dim``, without overflow; -inf of nothing. Integers become floating."""

def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """A long short-term memory of several layers (Hochreiter and Schmidhuber 1997)."""

def lstm_cell(
    input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None,
) -> tuple[Tensor, Tensor]:
    """One step of a long short-term memory; ``hx``: (h, c), both (B, H). Returns the next (h, c)."""

def lstsq(*args: Any, **kwargs: Any) -> Tensor:
    """Removed from PyTorch: it raises a RuntimeError that names the function of ``torch.linalg`` to use."""

def lt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input < other``, element by element: a bool tensor."""

def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: Tensor | None = None) -> Any:
    """LU factors and pivots as ``linalg.lu_factor`` gives them; with ``get_infos`` also LAPACK's ``info``."""

def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``linalg.lu_solve`` with the right side first. Deprecated, as in PyTorch: it warns."""

def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> _lu_unpack:
    """P, L and U from what ``linalg.lu_factor`` gives; parts that are not wanted are empty."""

def manual_seed(seed: _int) -> Generator:
    """Begin the default stream that belongs to ``seed``; returns the default generator."""

def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: Number = 0.0, reduction: Number = 0,
) -> Tensor:
    """``nn.functional.margin_ranking_loss`` with the reduction as a number."""

def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """``input`` with ``value`` (a number or a 0-d tensor) where the bool ``mask`` is true; both broadcast."""

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """``input`` with the elements of ``source``, in order, where the bool ``mask`` is true."""

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of ``input`` where the bool ``mask`` is true, as a vector; both broadcast."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product ``input @ other``."""

def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential ``I + x + x @ x / 2 + ...`` of square matrices."""

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th power of square matrices, by repeated squaring; of their inverses for negative ``n``."""

def matrix_rank(*args: Any, **kwargs: Any) -> Tensor:
    """Removed from PyTorch: it raises a RuntimeError that names the function of ``torch.linalg`` to use."""

@overload
def max(input: Tensor) -> Tensor:
    """``max(x)``."""
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Any = None) -> _max: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...

def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Any:
    """The maximum of each window of (N, C, L) or (C, L)."""

def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """(``max_pool1d``, the places of the maxima: their indices in the plane read row by row)."""

def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Any:
    """The maximum of each window of (N, C, H, W) or (C, H, W)."""

def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
) -> Any:
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W)."""

def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greater of two, element by element."""

def mean(
    input: Tensor,
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
def median(input: Tensor) -> Tensor:
    """The median of all elements, or ``(values, indices)`` along ``dim``."""
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Any = None) -> _median: ...

def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates of a grid: for each 1-d tensor, a view of it spread over all the others' dimensions."""

@overload
def min(input: Tensor) -> Tensor:
    """``min(x)``."""
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Any = None) -> _min: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...

def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The lesser of two, element by element."""

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, m) and (m, p)."""

def mode(input: Tensor, dim: _int = -1, keepdim: _bool = False) -> _mode: ...

def moveaxis(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """Another name for ``movedim``."""

def movedim(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """A view with dimensions moved to other places; the others keep their order."""

def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input`` sorted along its first dimension."""

def mul(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The product of ``input`` and ``other``, element by element."""

def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """``num_samples`` indices per row of ``input`` (1-D or 2-D), drawn in proportion to its weights."""

def multiply(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The product of ``input`` and ``other``, element by element."""

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix (n, m) and a vector (m)."""

def mvlgamma(input: Tensor, p: Any, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension ``p`` (RuntimeError if below 1)."""

def nan_to_num(
    input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None,
) -> Tensor: ...

def nan_to_num_(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """In-place version of ``nan_to_num``."""

def nanmean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean, over all or ``dim``, of what is not NaN. RuntimeError for integers."""

@overload
def nanmedian(input: Tensor) -> Tensor:
    """The median of what is not NaN, of all elements or ``(values, indices)`` along ``dim``."""
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Any = None) -> _nanmedian: ...

def nanquantile(
    input: Tensor,
    q: Any,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = 'linear',
    out: Tensor | None = None,
) -> Tensor:
    """``quantile`` of what is not NaN."""

def nansum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """The sum, over all or ``dim``, with NaN counted as 0. RuntimeError for complex tensors."""

def narrow(input: Tensor, dim: _int | Sequence[_int], start: Any, length: _int) -> Tensor:
    """The view of ``length`` elements of a dimension from ``start`` on."""

def narrow_copy(
    input: Tensor, dim: _int | Sequence[_int], start: Any, length: _int, *, out: Tensor | None = None,
) -> Tensor:
    """``narrow`` as a copy."""

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """The channels (dimension 1) read across ``groups`` groups (Zhang and others 2018)."""

def ne(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input != other``, element by element: a bool tensor."""

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input``; RuntimeError for bool tensors."""

def neg_(input: Tensor) -> Tensor:
    """In-place version of ``neg``: the result is written into the first argument, which is returned."""

def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-input``; RuntimeError for bool tensors."""

def negative_(input: Tensor) -> Tensor:
    """In-place version of ``neg``: the result is written into the first argument, which is returned."""

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The next representable number after ``input`` towards ``other``."""

@overload
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor:
    """The indices of the elements that are not zero (False)."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...

def nonzero_static(
    input: Tensor, *, size: _int | Sequence[_int], fill_value: Number = -1, out: Tensor | None = None,
) -> Tensor:
    """``nonzero`` in exactly ``size`` rows: cut, or filled with ``fill_value``."""

def norm(
    input: Tensor,
    p: Number | str | None = 'fro',
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
) -> Tensor:
    """The p-norm of the elements over ``dim`` (all by default)."""

def norm_except_dim(v: Any, pow: Number = 2, dim: _int = 0) -> Tensor:
    """The norms of the slices of ``v`` along ``dim``, other dimensions kept with size 1."""

def normal(
    mean: Tensor | Number = 0.0,
    std: Tensor | Number = 1.0,
    size: _int | Sequence[_int] | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """Normal numbers."""

def not_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input != other``, element by element: a bool tensor."""

def nuclear_norm(
    input: Tensor, dim: _int | Sequence[_int] = ..., keepdim: _bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """``linalg.matrix_norm`` with "nuc": the sum of the singular values."""

def numel(input: Tensor) -> _int:
    """The number of elements."""

def ones(
    *size: _int | Sequence[_int],
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    **named: Any,
) -> Tensor: ...

def ones_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...

def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``linalg.householder_product``."""

def ormqr(
    input: Tensor,
    input2: Tensor,
    input3: Tensor,
    left: _bool = True,
    transpose: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Q times ``input3``, or with ``left=False`` ``input3`` times Q; Q^H for Q with ``transpose``."""

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix of the products of all pairs of elements of two vectors; the dtype is promoted."""

def pairwise_distance(
    x1: Tensor, x2: Tensor, p: Number = 2.0, eps: Number = 1e-06, keepdim: _bool = False,
) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` along the last dimension."""

def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2,
) -> tuple[Tensor, Tensor, Tensor]:
    """The ``q`` principal components of rows (*, m, n)."""

def pdist(input: Tensor, p: Number = 2.0, *, out: Tensor | None = None) -> Tensor:
    """The ``p``-norm distances between every two rows of ``input`` (N, M)."""

def permute(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """A view with the dimensions in another order."""

def permute_copy(input: Tensor, dims: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """``permute`` as a copy: with memory of its own, through which gradients flow."""

def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor:
    """``linalg.pinv`` with ``rtol=rcond``."""

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Channels into pixels: (*, C r^2, H, W) to (*, C, H r, W r) (Shi and others 2016)."""

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Pixels into channels, the opposite of ``pixel_shuffle``."""

def poisson(input: Tensor, generator: Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """Poisson counts with the rates in ``input``, in its dtype."""

def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: _bool, full: _bool, eps: Any, reduction: Any,
) -> Tensor:
    """``nn.functional.poisson_nll_loss`` with the reduction as a number."""

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor: ...

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th derivative of ``digamma``, for a whole ``n`` that is not negative, else RuntimeError."""

def positive(input: Tensor) -> Tensor:
    """``input`` itself; RuntimeError for bool tensors."""

def pow(input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input ** exponent``, element by element; either may be a number."""

def prelu(input: Tensor, weight: Tensor) -> Tensor: ...

def prod(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: Any = ...,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """The product of all elements, or over one dimension; integers are multiplied in int64; 1 of nothing."""

def promote_types(type1: _dtype, type2: _dtype) -> _dtype:
    """The smallest dtype that both can be cast to without changing category."""

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor: ...

def qr(input: Tensor, some: _bool = True, *, out: Sequence[Tensor] | None = None) -> _qr:
    """``linalg.qr``, complete unless ``some``. Deprecated, as in PyTorch: it warns."""

def quantile(
    input: Tensor,
    q: Any,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = 'linear',
    out: Tensor | None = None,
) -> Tensor: ...

def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians to degrees."""

def rad2deg_(input: Tensor) -> Tensor:
    """In-place version of ``rad2deg``: the result is written into the first argument, which is returned."""

def rand(
    *size: _int | Sequence[_int],
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    **named: Any,
) -> Tensor:
    """Uniform numbers from [0, 1), of shape ``size``, floating or complex."""

def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """Uniform numbers from [0, 1) in the shape and dtype of ``input``."""

def randint(
    *args: Any,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    low: Any = None,
    high: Any = None,
    size: _int | Sequence[_int] | None = None,
) -> Tensor:
    """``randint(low=0, high, size)``: whole numbers from [low, high), int64 unless ``dtype`` says other."""

def randint_like(
    input: Tensor,
    *args: Any,
    low: Number = 0,
    high: Any = None,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """``randint_like(input, low=0, high)``."""

def randn(
    *size: _int | Sequence[_int],
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    **named: Any,
) -> Tensor:
    """Numbers from the standard normal distribution, of shape ``size``, floating or complex."""

def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor:
    """Standard normal numbers in the shape and dtype of ``input``."""

def randperm(
    n: _int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """The numbers 0 ... n - 1 in random order, int64 unless ``dtype`` says other."""

def range(
    start: Number = 0,
    end: Any = None,
    step: Number = 1,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """Like ``arange`` but ``end`` belongs to it, and floating by default: deprecated in PyTorch."""

def ravel(input: Tensor) -> Tensor:
    """``input`` as one dimension: a view where possible."""

def real(input: Tensor) -> Tensor:
    """The real part, sharing memory; a real tensor is returned as it is."""

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / input``; integers give the default floating dtype."""

def reciprocal_(input: Tensor) -> Tensor:
    """In-place version of ``reciprocal``."""

def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``max(input, 0)``, element by element; NaN stays NaN."""

def relu_(input: Tensor) -> Tensor:
    """In-place version of ``relu``: the result is written into the first argument, which is returned."""

def remainder(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input % other`` with the sign of ``other``, as in Python; integers modulo zero raise RuntimeError."""

def renorm(
    input: Tensor,
    p: Any,
    dim: _int | Sequence[_int] = ...,
    maxnorm: Any = ...,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """``input`` with each slice along ``dim`` whose ``p``-norm exceeds ``maxnorm`` scaled down to it."""

def repeat_interleave(
    input: Tensor | None = None,
    repeats: Tensor | _int | None = None,
    dim: _int | Sequence[_int] | None = None,
    *,
    output_size: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Each element (each slice of ``dim``) repeated in place."""

def reshape(input: Tensor, shape: _int | Sequence[_int]) -> Tensor:
    """``input`` in another shape: a view where the strides allow it, else a copy. One size may be -1."""

def resize_as_(
    self: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = ...,
) -> Tensor:
    """``resize_`` to the shape of another tensor."""

def resolve_conj(input: Tensor) -> Tensor:
    """``input`` itself: conjugates are never pending here."""

def resolve_neg(input: Tensor) -> Tensor:
    """``input`` itself: negations are never pending here."""

def result_type(tensor1: Tensor | Number, tensor2: Tensor | Number) -> _dtype:
    """The dtype of an arithmetic operator on two tensors or numbers."""

def rms_norm(
    input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: Any = None,
) -> Tensor: ...

def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """``rnn_tanh`` with ``relu`` in the place of ``tanh``."""

def rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """``rnn_tanh_cell`` with ``relu`` in the place of ``tanh``."""

def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Elman's recurrent network (1990) of several layers; arguments as ``lstm``'s, with one state."""

def rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """``tanh(input w_ih^T + b_ih + hx w_hh^T + b_hh)``, one step of an Elman network."""

def roll(
    input: Tensor,
    shifts: _int | Sequence[_int],
    dims: _int | Sequence[_int] = (),
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy shifted by ``shifts`` along ``dims``."""

def rot90(
    input: Tensor, k: _int = 1, dims: _int | Sequence[_int] = ..., *, out: Tensor | None = None,
) -> Tensor: ...

def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """Rounded to the nearest whole number, halves to the even one."""

def round_(input: Tensor, *, decimals: _int = 0) -> Tensor:
    """In-place version of ``round``: the result is written into the first argument, which is returned."""

def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors one above the other; 1-d ones count as rows."""

def rrelu(
    input: Tensor,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor: ...

def rrelu_(
    input: Tensor,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """In-place version of ``rrelu``."""

def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / sqrt(input)``."""

def rsqrt_(input: Tensor) -> Tensor:
    """In-place version of ``rsqrt``: the result is written into the first argument, which is returned."""

def rsub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """``other - alpha * input``: subtraction with its operands exchanged."""

def saddmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``; ``input`` broadcasts to the product's shape."""

def scalar_tensor(
    s: Any,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """A 0-d tensor holding a number, in the default dtype."""

def scatter(
    input: Tensor,
    dim: _int | Sequence[_int],
    index: Tensor,
    src: Tensor | Number = ...,
    *,
    value: Tensor | Number | None = ...,
    reduce: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """``input`` with ``src``, a tensor or number, written at ``index`` along ``dim``."""

def scatter_add(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    index: Tensor = ...,
    src: Tensor = ...,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """``input`` with ``src`` added at ``index`` along ``dim``."""

def scatter_reduce(
    input: Tensor,
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

def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Number,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor: ...

def seed() -> _int:
    """Begin a default stream that nobody can foresee; returns its seed."""

def select(
    input: Tensor, dim: _int | Sequence[_int] = ..., index: Any = ..., *, axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The view at one ``index`` of a dimension, which disappears. IndexError outside the range."""

def select_copy(
    input: Tensor, dim: _int | Sequence[_int] = ..., index: Any = ..., *, out: Tensor | None = None,
) -> Tensor:
    """``select`` as a copy: with memory of its own, through which gradients flow."""

def select_scatter(
    input: Tensor,
    src: Tensor,
    dim: _int | Sequence[_int] = ...,
    index: Any = ...,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """A copy of ``input`` with ``src`` at one ``index`` of a dimension."""

def selu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``elu`` scaled so that activations keep mean 0 and variance 1 (Klambauer and others 2017)."""

def selu_(input: Tensor) -> Tensor:
    """In-place version of ``selu``: the result is written into the first argument, which is returned."""

def set_default_device(device: _Device) -> None:
    """Only the CPU can be the default device."""

def set_default_dtype(d: _dtype) -> None:
    """Set the default floating-point dtype (a floating dtype; else TypeError)."""

def set_default_tensor_type(t: type | str) -> None:
    """Set the default dtype by a legacy type such as ``torch.DoubleTensor``."""

def set_deterministic_debug_mode(debug_mode: _int | str) -> None:
    """0 or "default", 1 or "warn", 2 or "error": see ``use_deterministic_algorithms``."""

def set_float32_matmul_precision(precision: str) -> None:
    """Remember the precision; float32 products are always computed in float32."""

def set_num_interop_threads(n: _int) -> None:
    """Remember how many operators may run side by side (a positive int)."""

def set_num_threads(n: _int) -> None:
    """Let one operator use ``n`` threads (a positive int): NumPy's BLAS is told, for the whole process."""

def set_rng_state(new_state: Tensor) -> None:
    """Continue the default stream from a state that ``get_rng_state`` gave."""

def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sign`` for real numbers; for complex ones ``input / abs(input)``, and 0 at 0."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-input))``."""

def sigmoid_(input: Tensor) -> Tensor:
    """In-place version of ``sigmoid``: the result is written into the first argument, which is returned."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1 as the element is negative, zero or positive."""

def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign is negative: a bool tensor; true for -0.0."""

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of angles in radians."""

def sin_(input: Tensor) -> Tensor:
    """In-place version of ``sin``: the result is written into the first argument, which is returned."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi * input) / (pi * input)``, and 1 at 0."""

def sinc_(input: Tensor) -> Tensor:
    """In-place version of ``sinc``: the result is written into the first argument, which is returned."""

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine."""

def sinh_(input: Tensor) -> Tensor:
    """In-place version of ``sinh``: the result is written into the first argument, which is returned."""

def slice_scatter(
    input: Tensor,
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

def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _slogdet:
    """``linalg.slogdet``: the determinants' signs and the logarithms of their absolute values."""

def softmax(
    input: Tensor,
    dim: _int | Sequence[_int] = ...,
    dtype: _dtype | None = None,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """``exp(input)`` divided by its sum over ``dim``, so that the slices along ``dim`` sum to 1."""

def solve(*args: Any, **kwargs: Any) -> Tensor:
    """Removed from PyTorch: it raises a RuntimeError that names the function of ``torch.linalg`` to use."""

def sort(
    input: Tensor,
    dim: _int = -1,
    descending: _bool = False,
    *,
    stable: _bool = False,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> _sort: ...

def split(
    tensor: Tensor,
    split_size_or_sections: _int | Sequence[_int] | None = None,
    dim: _int = 0,
    *,
    split_size: Any = None,
) -> tuple[Tensor, ...]: ...

def split_copy(
    input: Tensor, split_size: Any, dim: _int | Sequence[_int] = ..., *, out: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """``split`` as a copy: with memory of its own, through which gradients flow."""

def split_with_sizes(
    input: Tensor, split_sizes: _int | Sequence[_int], dim: _int = 0,
) -> tuple[Tensor, ...]:
    """Views of the given lengths along ``dim``, which must add up to its size."""

def split_with_sizes_copy(
    input: Tensor,
    split_sizes: _int | Sequence[_int],
    dim: _int | Sequence[_int] = ...,
    *,
    out: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """``split_with_sizes`` as a copy: with memory of its own, through which gradients flow."""

def spmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, m) and (m, p)."""

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root; nan for negative real numbers. The gradient at 0 is infinite."""

def sqrt_(input: Tensor) -> Tensor:
    """In-place version of ``sqrt``: the result is written into the first argument, which is returned."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input * input``; bool becomes int64."""

def square_(input: Tensor) -> Tensor:
    """In-place version of ``square``: the result is written into the first argument, which is returned."""

def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """A view without dimensions of size 1."""

def squeeze_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``squeeze`` as a copy: with memory of its own, through which gradients flow."""

def stack(
    tensors: Sequence[Tensor],
    dim: _int = 0,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Tensors of one shape along a new dimension ``dim``."""

def std(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool = ...,
    keepdim: _bool = False,
    *,
    correction: _int = 1,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor: ...

def std_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool = ...,
    keepdim: _bool = False,
    *,
    correction: _int = 1,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> tuple[Tensor, Tensor]: ...

def stft(
    input: Tensor,
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

def sub(
    input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None,
) -> Tensor:
    """``input - alpha * other``, element by element; RuntimeError for bool tensors."""

def subtract(
    input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None,
) -> Tensor:
    """``input - alpha * other``, element by element; RuntimeError for bool tensors."""

def sum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> Tensor:
    """The sum of all elements, or over the dimensions in ``dim`` (an int or several."""

def svd(
    input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: Sequence[Tensor] | None = None,
) -> _svd:
    """U, S and V (not its adjoint) with ``input = U @ diag(S) @ V.mH``."""

def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int = 2, M: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...

def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Another name for ``transpose``."""

def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Another name for ``transpose``."""

def symeig(*args: Any, **kwargs: Any) -> Tensor:
    """Removed from PyTorch: it raises a RuntimeError that names the function of ``torch.linalg`` to use."""

def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view; fewer dimensions stay as they are. RuntimeError for more."""

def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``t`` as a copy: with memory of its own, through which gradients flow."""

def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of ``input``, read as one row, at ``index`` (int64, negative ones count from the end)."""

def take_along_dim(
    input: Tensor, indices: Tensor, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The elements of ``input`` at ``indices`` (int64) along ``dim``."""

def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent of angles in radians."""

def tan_(input: Tensor) -> Tensor:
    """In-place version of ``tan``: the result is written into the first argument, which is returned."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent."""

def tanh_(input: Tensor) -> Tensor:
    """In-place version of ``tanh``: the result is written into the first argument, which is returned."""

def tensor(
    data: Any,
    *,
    dtype: _dtype | None = None,
    device: _Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    names: Any = None,
) -> Tensor:
    """A new leaf holding a copy of ``data``: a number, nested sequences of numbers, an array."""

def tensor_split(
    input: Tensor,
    indices_or_sections: Any = None,
    dim: _int = 0,
    *,
    indices: _int | Sequence[_int] | None = None,
    sections: Any = None,
) -> tuple[Tensor, ...]:
    """Views along ``dim``: that many as equal as possible, or cut at the given indices."""

def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The sums of products of ``a`` and ``b`` over pairs of dimensions."""

def threshold(
    input: Tensor, threshold: Any, value: Tensor | Number | None, *, out: Tensor | None = None,
) -> Tensor:
    """``input`` where it is greater than ``threshold``, else ``value``."""

def threshold_(input: Tensor, threshold: Any, value: Tensor | Number | None) -> Tensor:
    """In-place version of ``threshold``: the result is written into the first argument, which is returned."""

def tile(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """Like ``Tensor.repeat``, but fewer numbers than dimensions count from the last."""

def topk(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    largest: _bool = True,
    sorted: _bool = True,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
) -> _topk:
    """The ``k`` greatest (``largest=False``."""

def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal; integers add up to int64."""

def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """A view with two dimensions exchanged. IndexError for dimensions that do not exist."""

def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor:
    """``transpose`` as a copy: with memory of its own, through which gradients flow."""

def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: _int = -1) -> Tensor: ...

def trapz(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: _int = -1) -> Tensor: ...

def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> _triangular_solve:
    """X with ``A X = input`` (``A^T X = input`` with ``transpose``) for a triangle A, and a copy of A."""

def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of matrices, zeros elsewhere; ``diagonal`` counts above the main one."""

def tril_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    device: _Device = None,
    layout: _layout | None = None,
    pin_memory: _bool = False,
) -> Tensor:
    """The row and column numbers of the lower triangle of a matrix, as a tensor of two rows."""

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: Number = 1.0,
    p: Number = 2,
    eps: Number = 1e-06,
    swap: _bool = False,
    reduction: Number = 1,
) -> Tensor:
    """``nn.functional.triplet_margin_loss`` with the reduction as a number."""

def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of matrices, zeros elsewhere; ``diagonal`` counts above the main one."""

def triu_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    device: _Device = None,
    layout: _layout | None = None,
    pin_memory: _bool = False,
) -> Tensor:
    """The row and column numbers of the upper triangle of a matrix, as a tensor of two rows."""

def true_divide(
    input: Tensor | Number,
    other: Tensor | Number,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """``input / other``, element by element; integers give the default floating dtype."""

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The whole part: rounded towards zero."""

def trunc_(input: Tensor) -> Tensor:
    """In-place version of ``trunc``: the result is written into the first argument, which is returned."""

def typename(obj: Any) -> str:
    """The name of an object's type, with its module; of a Tensor, its legacy type name."""

def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """The views at every index of a dimension, as a tuple."""

def unbind_copy(input: Tensor, dim: _int = 0, *, out: Tensor | None = None) -> tuple[Tensor, ...]:
    """``unbind`` as a copy: with memory of its own, through which gradients flow."""

def unflatten(input: Tensor, dim: _int | Sequence[_int], sizes: Sequence[_int]) -> Tensor:
    """``input`` with one dimension as several, of ``sizes`` (one may be -1)."""

def unfold_copy(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    dilation: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    stride: _int | Sequence[_int] | None = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``unfold`` as a copy: with memory of its own, through which gradients flow."""

def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | Sequence[_int] | None = None,
) -> Any:
    """The distinct elements, in order."""

def unique_consecutive(
    input: Tensor,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | Sequence[_int] | None = None,
) -> Any:
    """The elements (or slices along ``dim``) without immediate repetitions."""

def unravel_index(indices: Tensor, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """The coordinates, in a tensor of ``shape``, of flat positions."""

def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """The pieces of ``chunk`` as copies, which may be written to."""

def unsafe_split(
    input: Tensor, split_size: Any, dim: _int = 0, *, axis: _int | Sequence[_int] = ...,
) -> tuple[Tensor, ...]:
    """The pieces of ``split`` as copies, which may be written to."""

def unsafe_split_with_sizes(
    input: Tensor, split_sizes: _int | Sequence[_int], dim: _int = 0, *, axis: _int | Sequence[_int] = ...,
) -> tuple[Tensor, ...]:
    """The pieces of ``split_with_sizes`` as copies, which may be written to."""

def unsqueeze(
    input: Tensor, dim: _int | Sequence[_int] = ..., *, axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """A view with a new dimension of size 1 at ``dim``."""

def unsqueeze_copy(
    input: Tensor, dim: _int | Sequence[_int] = ..., *, out: Tensor | None = None,
) -> Tensor:
    """``unsqueeze`` as a copy: with memory of its own, through which gradients flow."""

def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = False) -> None:
    """Every operator of rushlight is deterministic; the setting is remembered."""

def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """The matrix of powers of a vector: columns x ** (N - 1) ... x ** 0, or increasing."""

def var(
    input: Tensor,
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

def var_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool = ...,
    keepdim: _bool = False,
    *,
    correction: _int = 1,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] = ...,
    keepdims: _bool = ...,
) -> tuple[Tensor, Tensor]:
    """Variance and mean, over all elements or over ``dim`` (an int or several), real for complex tensors."""

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The scalar product of two vectors, the first conjugated."""

def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor whose last dimension of size 2 holds real and imaginary parts, seen as complex."""

def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor seen as a real one with a last dimension of size 2; RuntimeError for a real one."""

def view_copy(input: Tensor, shape: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """``view`` as a copy: with memory of its own, through which gradients flow."""

def vsplit(
    input: Tensor,
    indices_or_sections: Any = None,
    *,
    indices: _int | Sequence[_int] | None = None,
    sections: Any = None,
) -> tuple[Tensor, ...]:
    """Views along dimension 0: that many equal ones, or cut at the given indices."""

def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The tensors one above the other; 1-d ones count as rows."""

@overload
def where(condition: Tensor) -> tuple[Tensor, ...]:
    """``input`` where ``condition`` is true, else ``other``."""
@overload
def where(
    condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None,
) -> Tensor: ...

def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, and 0 where ``input`` is 0 unless ``other`` is nan."""

def xlogy_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In-place version of ``xlogy``: the result is written into the first argument, which is returned."""

def zero_(self: Tensor) -> Tensor:
    """Set every element to zero; returns this tensor."""

def zeros(
    *size: _int | Sequence[_int],
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    **named: Any,
) -> Tensor: ...

def zeros_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
