"""Types of ``nn.functional``. Written by tools/make_stubs.py from the operators themselves; do not edit."""
from collections.abc import Callable, Sequence
from typing import Any

from ..dtypes import dtype as _dtype
from ..random import Generator
from ..tensor import Number, Tensor, _bool, _float, _int

def _threshold(
    input: Tensor, threshold: Any, value: Tensor | Number | None, inplace: _bool = False,
) -> Tensor:
    """``input`` where it is greater than ``threshold``, else ``value``."""

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of ``output_size`` windows that cover (N, C, L) or (C, L) evenly."""

def adaptive_avg_pool2d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The mean of each of ``output_size`` (a number or a pair, None."""

def adaptive_avg_pool3d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The mean of each of ``output_size`` (a number or three, None."""

def adaptive_max_pool1d(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False,
) -> Any:
    """The maximum of each of ``output_size`` windows that cover the last 1 dimensions evenly."""

def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """(``adaptive_max_pool1d``, the places of the maxima in the plane)."""

def adaptive_max_pool2d(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False,
) -> Any:
    """The maximum of each of ``output_size`` windows that cover the last 2 dimensions evenly."""

def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """(``adaptive_max_pool2d``, the places of the maxima in the plane)."""

def adaptive_max_pool3d(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False,
) -> Any:
    """The maximum of each of ``output_size`` windows that cover the last 3 dimensions evenly."""

def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """(``adaptive_max_pool3d``, the places of the maxima in the plane)."""

def affine_grid(theta: Any, size: _int | Sequence[_int], align_corners: Any = None) -> Tensor:
    """The grid for ``grid_sample`` that shows an image of ``size`` under affine maps."""

def alpha_dropout(
    input: Tensor, p: Number = 0.5, training: _bool = False, inplace: _bool = False,
) -> Tensor:
    """Dropout that keeps the mean and variance that ``selu`` makes (Klambauer and others 2017)."""

def avg_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor:
    """The mean of each window of (N, C, L) or (C, L); ``stride`` is ``kernel_size`` by default."""

def avg_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
    divisor_override: _int | None = None,
) -> Tensor:
    """The mean of each window of (N, C, H, W) or (C, H, W)."""

def avg_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
    divisor_override: _int | None = None,
) -> Tensor:
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W)."""

def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: _bool = False,
    momentum: Number = 0.1,
    eps: Number = 1e-05,
) -> Tensor:
    """Normalize each channel (dimension 1) over the batch; see ``torch.batch_norm``."""

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[k] @ input2`` for each k, plus ``bias``."""

def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """The cross entropy of ``target`` in [0, 1] under probabilities ``input``, reduced."""

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
    pos_weight: Tensor | None = None,
) -> Tensor:
    """``binary_cross_entropy(sigmoid(input), target)``, without overflow."""

def celu(input: Tensor, alpha: Number = 1.0, inplace: _bool = False) -> Tensor:
    """``max(0, input) + min(0, alpha * (exp(input / alpha) - 1))`` (Barron 2017)."""

def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In-place version of ``celu``: the result is written into the first argument, which is returned."""

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """The channels (dimension 1) read across ``groups`` groups (Zhang and others 2018)."""

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

def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: Number = 0,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1, reduced."""

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: Number = 1e-08) -> Tensor:
    """``x1 . x2 / (max(|x1|, eps) max(|x2|, eps))`` along ``dim``; shapes broadcast."""

def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    ignore_index: _int = -100,
    reduce: Any = None,
    reduction: str = 'mean',
    label_smoothing: Number = 0.0,
) -> Tensor:
    """The cross entropy of softmax probabilities of the logits ``input``, averaged."""

def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Number = 0,
    reduction: str = 'mean',
    zero_infinity: _bool = False,
) -> Tensor:
    """The negative log likelihood of label sequences under any alignment to the frames."""

def dropout(input: Tensor, p: Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, zero each element with probability ``p`` and scale the rest by ``1 / (1 - p)``."""

def dropout1d(input: Tensor, p: Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels; the input has 3 dimensions, or 2 without a batch."""

def dropout2d(input: Tensor, p: Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels; the input has 4 dimensions, or 3 without a batch."""

def dropout3d(input: Tensor, p: Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Dropout of whole channels; the input has 5 dimensions, or 4 without a batch."""

def elu(input: Tensor, alpha: Number = 1.0, inplace: _bool = False) -> Tensor:
    """``input`` where positive, else ``alpha * (exp(input) - 1)`` (Clevert and others 2015)."""

def elu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In-place version of ``elu``: the result is written into the first argument, which is returned."""

def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: _int | None = None,
    max_norm: _float | None = None,
    norm_type: Number = 2.0,
    scale_grad_by_freq: _bool = False,
    sparse: _bool = False,
) -> Tensor:
    """The rows of ``weight`` at the indices ``input``; see ``torch.embedding``."""

def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: _float | None = None,
    norm_type: Number = 2,
    scale_grad_by_freq: _bool = False,
    mode: str = 'mean',
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
    padding_idx: _int | None = None,
) -> Any:
    """The sum, mean or maximum over bags of rows of ``weight``: ``embedding`` and a reduction in one."""

def feature_alpha_dropout(
    input: Tensor, p: Number = 0.5, training: _bool = False, inplace: _bool = False,
) -> Tensor:
    """``alpha_dropout`` of whole channels: dimension 1 of a batch."""

def fold(
    input: Tensor,
    output_size: _int | Sequence[_int],
    kernel_size: _int | Sequence[_int],
    dilation: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    stride: _int | Sequence[_int] | None = 1,
) -> Tensor:
    """Columns (N, C * kh * kw, windows) added to where ``unfold`` took them from: (N, C, *output_size)."""

def fractional_max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    output_size: _int | Sequence[_int] | None = None,
    output_ratio: Any = None,
    return_indices: _bool = False,
    _random_samples: Any = None,
) -> Any:
    """The maxima of windows placed at random over the last 2 dimensions (Graham 2014, arXiv:1412.6071)."""

def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    output_size: _int | Sequence[_int] | None = None,
    output_ratio: Any = None,
    return_indices: _bool = False,
    _random_samples: Any = None,
) -> tuple[Tensor, Tensor]:
    """(``fractional_max_pool2d``, the places of the maxima in the plane)."""

def fractional_max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    output_size: _int | Sequence[_int] | None = None,
    output_ratio: Any = None,
    return_indices: _bool = False,
    _random_samples: Any = None,
) -> Any:
    """The maxima of windows placed at random over the last 3 dimensions (Graham 2014, arXiv:1412.6071)."""

def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    output_size: _int | Sequence[_int] | None = None,
    output_ratio: Any = None,
    return_indices: _bool = False,
    _random_samples: Any = None,
) -> tuple[Tensor, Tensor]:
    """(``fractional_max_pool3d``, the places of the maxima in the plane)."""

def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | Number,
    full: _bool = False,
    eps: Number = 1e-06,
    reduction: str = 'mean',
) -> Tensor: ...

def gelu(input: Tensor, *, approximate: str = 'none', out: Tensor | None = None) -> Tensor:
    """``input`` times the normal distribution function of it (Hendrycks and Gimpel 2016)."""

def glu(
    input: Tensor, dim: _int = -1, *, out: Tensor | None = None, axis: _int | Sequence[_int] = ...,
) -> Tensor:
    """The first half of ``input`` along ``dim`` times the sigmoid of the second (Dauphin and others 2016)."""

def grid_sample(
    input: Tensor, grid: Any, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners: Any = None,
) -> Tensor:
    """``input`` read at the places ``grid``, which are pairs (x, y) or triples (x, y, z) between -1 and 1."""

def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Number = 1e-05,
) -> Tensor:
    """Normalize the channels of each sample in groups; see ``torch.group_norm``."""

def gumbel_softmax(
    logits: Tensor, tau: Number = 1, hard: _bool = False, eps: Number = 1e-10, dim: _int = -1,
) -> Tensor:
    """A sample from the Gumbel-softmax distribution (Jang and others 2016); one-hot in value if ``hard``."""

def hardshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """0 where ``-lambd <= input <= lambd``, else ``input``."""

def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """``relu6(input + 3) / 6``."""

def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """``input * relu6(input + 3) / 6`` (Howard and others 2019)."""

def hardtanh(
    input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0, inplace: _bool = False,
) -> Tensor:
    """``input`` between ``min_val`` and ``max_val``."""

def hardtanh_(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0) -> Tensor:
    """In-place version of ``hardtanh``: the result is written into the first argument, which is returned."""

def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: Number = 1.0,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1, reduced."""

def huber_loss(
    input: Tensor, target: Tensor, reduction: str = 'mean', delta: Number = 1.0, weight: Tensor | None = None,
) -> Tensor:
    """``0.5 d^2`` where ``|d| < delta``, else ``delta (|d| - 0.5 delta)``, reduced (Huber 1964)."""

def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: _bool = True,
    momentum: Number = 0.1,
    eps: Number = 1e-05,
) -> Tensor:
    """Normalize each channel of each sample by itself; see ``torch.instance_norm``."""

def interpolate(
    input: Tensor,
    size: _int | Sequence[_int] | None = None,
    scale_factor: Any = None,
    mode: str = 'nearest',
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: _bool = False,
) -> Tensor:
    """``input``, (N, C, *size), in another size."""

def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
    log_target: _bool = False,
) -> Tensor:
    """The pointwise Kullback-Leibler divergence ``target (log target - input)``, reduced."""

def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
    weight: Tensor | None = None,
) -> Tensor:
    """The mean of the absolute differences, or their ``sum``, or all of them (``none``)."""

def layer_norm(
    input: Tensor,
    normalized_shape: _int | Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Number = 1e-05,
) -> Tensor:
    """Normalize the last dimensions, of shape ``normalized_shape``, of each sample."""

def leaky_relu(input: Tensor, negative_slope: Number = 0.01, inplace: _bool = False) -> Tensor:
    """``input`` where positive, else ``negative_slope * input``."""

def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """In-place version of ``leaky_relu``."""

def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``."""

def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = 'mean',
    ignore_index: _int | None = None,
    label_smoothing: Number = 0.0,
    options: Any = None,
) -> Tensor:
    """``cross_entropy(linear(input, linear_weight, linear_bias), target)``."""

def local_response_norm(
    input: Tensor, size: _int | Sequence[_int], alpha: Number = 0.0001, beta: Number = 0.75, k: Number = 1.0,
) -> Tensor: ...

def log_softmax(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    _stacklevel: Number = 3,
    dtype: _dtype | None = None,
) -> Tensor:
    """``x - log(exp(x).sum(dim))``."""

def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(sigmoid(input))``, without overflow."""

def lp_pool1d(
    input: Tensor,
    norm_type: Any,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """The p-norm of each window of (N, C, L) or (C, L), as ``lp_pool2d``."""

def lp_pool2d(
    input: Tensor,
    norm_type: Any,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """The p-norm of each window, ``p = norm_type``; infinity gives the maximum of the magnitudes."""

def lp_pool3d(
    input: Tensor,
    norm_type: Any,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    ceil_mode: _bool = False,
) -> Tensor:
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W), as ``lp_pool2d``."""

def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: Number = 0,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """``max(0, -target (input1 - input2) + margin)``, reduced; ``target`` holds 1 and -1."""

def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
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
    return_indices: _bool = False,
) -> Any:
    """The maximum of each window of (N, C, H, W) or (C, H, W)."""

def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """(``max_pool2d``, the places of the maxima: their indices in the plane read row by row)."""

def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any:
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W)."""

def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, Tensor]:
    """(``max_pool3d``, the places of the maxima: their indices in the plane read row by row)."""

def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    output_size: _int | Sequence[_int] | None = None,
) -> Tensor:
    """The opposite of ``max_pool1d``."""

def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    output_size: _int | Sequence[_int] | None = None,
) -> Tensor:
    """The opposite of ``max_pool2d``: maxima back at their ``indices``, zeros elsewhere."""

def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] | str = 0,
    output_size: _int | Sequence[_int] | None = None,
) -> Tensor:
    """The opposite of ``max_pool3d``."""

def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """``input * tanh(softplus(input))`` (Misra 2019)."""

def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
    weight: Tensor | None = None,
) -> Tensor:
    """The mean of the squared differences, or their ``sum``, or all of them (``none``)."""

def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor | Number | None,
    embed_dim_to_check: Any,
    num_heads: Any,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: Any,
    dropout_p: Any,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: _bool = True,
    key_padding_mask: Any = None,
    need_weights: _bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: _bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: _bool = True,
    is_causal: _bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of ``num_heads`` heads between projections of its inputs."""

def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: Number = 1,
    margin: Number = 1.0,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """The hinge loss over classes."""

def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """The hinge loss for several labels a row: ``target`` lists them, then -1."""

def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """The binary cross entropy with logits, averaged over the classes (the last dimension), then reduced."""

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """The channels (dimension 1) read across ``groups`` groups (Zhang and others 2018)."""

def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: _bool | None = None,
    ignore_index: _int = -100,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """Minus the log-probability of each target class, averaged."""

def normalize(
    input: Tensor, p: Number = 2.0, dim: _int = 1, eps: Number = 1e-12, out: Tensor | None = None,
) -> Tensor:
    """``input`` divided by its p-norm along ``dim``, which counts as ``eps`` at least."""

def one_hot(tensor: Tensor, num_classes: _int = -1) -> Tensor:
    """Zeros with a 1 at each index, in a new last dimension of ``num_classes`` (-1."""

def pad(
    input: Tensor, pad: _int | Sequence[_int], mode: str = 'constant', value: Tensor | Number | None = None,
) -> Tensor:
    """``input`` with more elements on its edges."""

def pairwise_distance(
    x1: Tensor, x2: Tensor, p: Number = 2.0, eps: Number = 1e-06, keepdim: _bool = False,
) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` along the last dimension."""

def pdist(input: Tensor, p: Number = 2.0, *, out: Tensor | None = None) -> Tensor:
    """The ``p``-norm distances between every two rows of ``input`` (N, M)."""

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Channels into pixels: (*, C r^2, H, W) to (*, C, H r, W r) (Shi and others 2016)."""

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Pixels into channels, the opposite of ``pixel_shuffle``."""

def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: _bool = True,
    full: _bool = False,
    size_average: _bool | None = None,
    eps: Number = 1e-08,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """The negative log likelihood of counts ``target`` under a Poisson rate ``exp(input)``, or ``input``."""

def prelu(input: Tensor, weight: Tensor) -> Tensor: ...

def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """``max(input, 0)``, element by element; NaN stays NaN."""

def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """``min(max(input, 0), 6)``."""

def relu_(input: Tensor) -> Tensor:
    """In-place version of ``relu``: the result is written into the first argument, which is returned."""

def rms_norm(
    input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: Any = None,
) -> Tensor: ...

def rrelu(
    input: Tensor,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: _bool = False,
    inplace: _bool = False,
) -> Tensor:
    """``rrelu``, with ``inplace``."""

def rrelu_(
    input: Tensor,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """In-place version of ``rrelu``."""

def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor | Number | None,
    attn_mask: Tensor | None = None,
    dropout_p: Number = 0.0,
    is_causal: _bool = False,
    scale: Number | None = None,
    enable_gqa: _bool = False,
) -> Tensor:
    """``softmax(query key^T * scale + mask) value`` (Vaswani and others 2017)."""

def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """``elu`` scaled so that activations keep mean 0 and variance 1 (Klambauer and others 2017)."""

def selu_(input: Tensor) -> Tensor:
    """In-place version of ``selu``: the result is written into the first argument, which is returned."""

def sigmoid(input: Tensor) -> Tensor:
    """``torch.sigmoid(input)``."""

def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """``input * sigmoid(input)``, also called swish (Hendrycks and Gimpel 2016)."""

def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
    beta: Number = 1.0,
) -> Tensor:
    """``0.5 d^2 / beta`` where ``|d| < beta``, else ``|d| - 0.5 beta``, reduced (Girshick 2015)."""

def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """``log(1 + exp(-target * input))`` for targets of 1 and -1, reduced."""

def softmax(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    _stacklevel: Number = 3,
    dtype: _dtype | None = None,
) -> Tensor:
    """``exp(x) / exp(x).sum(dim)``."""

def softmin(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    _stacklevel: Number = 3,
    dtype: _dtype | None = None,
) -> Tensor:
    """``softmax(-input, dim)``."""

def softplus(
    input: Tensor, beta: Number = 1, threshold: Number = 20, *, out: Tensor | None = None,
) -> Tensor:
    """``log(1 + exp(beta * input)) / beta``; ``input`` itself where ``beta * input > threshold``."""

def softshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """``input`` moved towards 0 by ``lambd``; RuntimeError for a negative ``lambd``."""

def softsign(input: Tensor) -> Tensor:
    """``input / (1 + abs(input))``."""

def tanh(input: Tensor) -> Tensor:
    """``torch.tanh(input)``."""

def tanhshrink(input: Tensor) -> Tensor:
    """``input - tanh(input)``."""

def threshold(
    input: Tensor, threshold: Any, value: Tensor | Number | None, inplace: _bool = False,
) -> Tensor:
    """``input`` where it is greater than ``threshold``, else ``value``."""

def threshold_(input: Tensor, threshold: Any, value: Tensor | Number | None) -> Tensor:
    """In-place version of ``threshold``: the result is written into the first argument, which is returned."""

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: Number = 1.0,
    p: Number = 2,
    eps: Number = 1e-06,
    swap: _bool = False,
    size_average: _bool | None = None,
    reduce: Any = None,
    reduction: str = 'mean',
) -> Tensor:
    """``max(0, |anchor - positive| - |anchor - negative| + margin)``, reduced (Balntas and others 2016)."""

def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: Number = 1.0,
    swap: _bool = False,
    reduction: str = 'mean',
) -> Tensor:
    """``triplet_margin_loss`` with a distance of one's own (``pairwise_distance`` if None)."""

def unfold(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    dilation: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    stride: _int | Sequence[_int] | None = 1,
) -> Tensor:
    """The windows of (N, C, H, W) or (C, H, W) as columns: (N, C * kh * kw, windows)."""

def upsample(
    input: Tensor,
    size: _int | Sequence[_int] | None = None,
    scale_factor: Any = None,
    mode: str = 'nearest',
    align_corners: Any = None,
) -> Tensor:
    """An older name of ``interpolate``."""

def upsample_bilinear(
    input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None,
) -> Tensor:
    """``interpolate`` with ``mode="bilinear"`` and ``align_corners=True``: an older name."""

def upsample_nearest(
    input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None,
) -> Tensor:
    """``interpolate`` with ``mode="nearest"``: an older name."""
