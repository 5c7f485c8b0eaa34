"""What autocast does to which operator on the CPU, and the mode that does it.

PyTorch decides below Python, where an operator is dispatched. Here autocast is the outermost of the function
modes, which every operator and every composite asks before it runs (``ops/call.py``):

* a function of a list below has its floating arguments cast, and runs without autocast;
* a composite that is in no list runs with autocast on, so that the operators it is made of are asked in turn;
* any other operator runs as it is.

Casts are recorded like any others, so gradients arrive in the parameters' own dtype. Float64 is left alone, and
so are in-place operators and calls with ``out=``.
"""

from collections.abc import Callable
from typing import Any

from rushlight import dtypes
from rushlight.autograd import modes
from rushlight.tensor import Tensor

__all__ = ["AutocastMode", "AutocastState", "state"]

_ROOT = __name__.partition(".")[0]

# Matrix products and what is made of them: fast in the lower precision, and forgiving.
LOWER = frozenset(
    """
    conv1d conv2d conv3d conv_tbc convolution conv_transpose1d conv_transpose2d conv_transpose3d
    bmm mm matmul __matmul__ __rmatmul__ baddbmm addmm addbmm linear vecdot linalg_vecdot prelu
    scaled_dot_product_attention lstm rnn_tanh rnn_relu rnn_tanh_cell rnn_relu_cell
    """.split()
)
# Sums of many terms, differences of close ones, and decompositions: these need float32.
FULL = frozenset(
    """
    avg_pool3d max_pool3d adaptive_avg_pool3d adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d
    max_pool3d_with_indices adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices
    fractional_max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d
    binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss huber_loss
    cosine_embedding_loss nll_loss hinge_embedding_loss poisson_nll_loss cross_entropy margin_ranking_loss
    soft_margin_loss triplet_margin_loss multi_margin_loss multilabel_margin_loss ctc_loss kl_div
    grid_sample grid_sampler polar prod quantile nanquantile stft cdist trace view_as_complex
    cholesky cholesky_inverse cholesky_solve inverse lu lu_solve orgqr ormqr pinverse geqrf qr svd
    triangular_solve householder_product
    fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn fft_rfft fft_irfft fft_rfft2 fft_irfft2 fft_rfftn
    fft_irfftn fft_hfft fft_ihfft
    linalg_cond linalg_matrix_rank linalg_solve linalg_cholesky linalg_svdvals linalg_eigvals linalg_eigvalsh
    linalg_inv linalg_householder_product linalg_tensorinv linalg_tensorsolve linalg_qr linalg_cholesky_ex
    linalg_svd linalg_eig linalg_eigh linalg_lstsq linalg_inv_ex
    """.split()
)
# Several tensors in one: all in the widest dtype among them.
WIDEST = frozenset("cat concat concatenate stack index_copy".split())
# Composites that PyTorch computes without asking autocast, although matrix products are in them.
ASIDE = frozenset("bilinear addmv mv dot vdot outer ger addr kron".split())
# Gates in the lower precision, but a state that keeps its dtype: computed in float32 here, results as the state.
STATEFUL = frozenset("gru gru_cell lstm_cell".split())
# What ends in a product of matrices: computed as it comes, the result in the lower precision.
ENDING_LOWER = frozenset(["_linalg_pinv"])
_PADDING_IN_FULL = {("reflect", 2), ("reflect", 4), ("replicate", 2), ("replicate", 4), ("replicate", 6)}

_FLOATING = (dtypes.float16, dtypes.bfloat16, dtypes.float32)


class AutocastState(modes.threading.local):
    """One thread's settings. Class attributes are every new thread's defaults."""

    enabled: Any = None  # device type -> bool, made at the first change
    dtypes: Any = None
    cache_enabled = True
    nesting = 0
    cache: Any = None  # id of a tensor -> (the tensor, its cast)

    def is_enabled(self, device: str) -> bool:
        return bool(self.enabled) and self.enabled.get(device, False)

    def dtype(self, device: str) -> Any:
        default = DEFAULT_DTYPES[device]
        return default if self.dtypes is None else self.dtypes.get(device, default)


state = AutocastState()
# The device types that PyTorch has autocast for, and the dtype of each.
DEFAULT_DTYPES = {
    **dict.fromkeys(("cpu", "hpu", "maia", "xla"), dtypes.bfloat16),
    **dict.fromkeys(("cuda", "xpu", "mps", "mtia", "ipu", "privateuseone"), dtypes.float16),
}


def _castable(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype in _FLOATING


def _cast_all(value: Any, cast: Callable[[Tensor], Tensor]) -> Any:
    """``value`` with every floating tensor in it, also in lists and tuples, cast."""
    if _castable(value):
        return cast(value)
    if value.__class__ in (list, tuple):
        return type(value)(_cast_all(v, cast) for v in value)
    return value


def _to_full(tensor: Tensor) -> Tensor:
    return tensor if tensor.dtype == dtypes.float32 else tensor.to(dtypes.float32)


def _to_lower(tensor: Tensor) -> Tensor:
    """The tensor in autocast's dtype; of a parameter, one cast serves the whole region."""
    dtype = state.dtype("cpu")
    if tensor.dtype == dtype:
        return tensor
    keep = (
        state.cache_enabled
        and tensor.dtype == dtypes.float32
        and tensor.requires_grad
        and tensor.is_leaf
        and tensor._base is None
    )
    if not keep:
        return tensor.to(dtype)
    if state.cache is None:
        state.cache = {}
    kept = state.cache.get(id(tensor))
    if kept is None:
        kept = state.cache[id(tensor)] = (tensor, tensor.to(dtype))
    return kept[1]


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return [t for v in value for t in _tensors(v)] if value.__class__ in (list, tuple) else []


def _to_widest(args: Any) -> Callable[[Tensor], Tensor]:
    """The cast to the widest dtype among the arguments: float32, unless all are in autocast's dtype."""
    lower = wide = state.dtype("cpu")
    for tensor in _tensors(args):
        if not _castable(tensor) or wide == dtypes.float32:
            continue
        if tensor.dtype not in (dtypes.float32, lower):
            raise RuntimeError(
                "Unexpected floating ScalarType in at::autocast::prioritize\n"
                f"Autocast works with {lower}, and a tensor is {tensor.dtype}: convert it first."
            )
        wide = tensor.dtype
    return lambda tensor: tensor if tensor.dtype == wide else tensor.to(wide)


def _policy(name: str, args: Any, kwargs: Any) -> str:
    """``lower``, ``full``, ``widest``, ``stateful``, ``aside``, ``ending``, or nothing."""
    if kwargs.get("out") is not None:
        return ""
    if name in LOWER:
        return "lower"
    if name in FULL:
        return "full"
    if f"fft_{name}" in FULL:
        return "full"
    if name in WIDEST:
        return "widest"
    if name in ASIDE:
        return "aside"
    if name in STATEFUL:
        return "stateful"
    if name in ENDING_LOWER:
        return "ending"
    if name == "inner":
        return "aside" if any(t.dim() == 1 for t in _tensors(args)) else ""
    if name == "pad":
        sizes = args[1] if len(args) > 1 else kwargs.get("pad", ())
        mode = args[2] if len(args) > 2 else kwargs.get("mode", "constant")
        return "full" if (mode, len(sizes)) in _PADDING_IN_FULL else ""
    return ""


class AutocastMode:
    """The function mode; one for each thread, in its stack while autocast is on for the CPU."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        policy = _policy(getattr(function, "__name__", ""), args, kwargs)
        cast: Callable[[Tensor], Tensor]
        if policy == "lower":
            cast = _to_lower
        elif policy in ("full", "stateful"):
            cast = _to_full
        elif policy == "widest":
            cast = _to_widest([*args, *kwargs.values()])
        elif policy == "aside":
            return function(*args, **kwargs)
        elif policy == "ending":
            return _cast_all(function(*args, **kwargs), _to_lower)
        else:
            return self._through(function, args, kwargs)
        cast_args = tuple(_cast_all(v, cast) for v in args)
        result = function(*cast_args, **{key: _cast_all(v, cast) for key, v in kwargs.items()})
        if policy == "stateful":
            kept = next(t.dtype for t in _tensors(list(args[1:])) if t.is_floating_point())
            return _cast_all(result, lambda t: t if t.dtype == kept else t.to(kept))
        return result

    def _through(self, function: Any, args: Any, kwargs: Any) -> Any:
        body = getattr(function, "__wrapped__", None)
        if body is None or not (getattr(function, "composite", False) or str(function.__module__).startswith(_ROOT + ".ops.")):
            return function(*args, **kwargs)
        # A composite: its body, with this mode on for what it calls (``try_override`` has taken it off).
        outside: tuple = modes.state.function_modes
        _set_modes((*outside, self))
        try:
            return body(*args, **kwargs)
        finally:
            _set_modes(outside)


def _set_modes(stack: Any) -> None:
    modes.state.function_modes = stack


mode = AutocastMode()


def switch(on: bool) -> None:
    """Put the mode into this thread's stack of function modes, outermost, or take it out."""
    stack: tuple = modes.state.function_modes
    present = mode in stack
    if on and not present:
        modes.enter_special()
        _set_modes((mode, *stack))
    elif not on and present:
        modes.leave_special()
        _set_modes(tuple(m for m in stack if m is not mode))
