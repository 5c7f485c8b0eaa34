"""Batch normalisation: features normalised over the batch, with running estimates for evaluation."""

from typing import Any

from rushlight.dtypes import int64
from rushlight.nn import functional as F
from rushlight.nn._ops import ones, tensor, zeros
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.normalization import _Affine
from rushlight.nn.modules.utils import _weight_and_bias
from rushlight.tensor import Tensor

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class _NormBase(_Affine):
    """Affine parameters and running statistics, for batch and instance normalisation."""

    _version = 2  # since 2, num_batches_tracked is saved
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._make_affine(num_features, affine, affine and bias, device, dtype)
        if track_running_stats:
            self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the running estimates: mean 0, variance 1, no batches seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self,
        state_dict: dict,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list,
        unexpected_keys: list,
        error_msgs: list,
    ) -> None:
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                count = self.num_batches_tracked
                state_dict[key] = tensor(0, dtype=int64) if count is None else count
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        buffers = self._buffers
        try:
            mean, var, count = (
                buffers["running_mean"],
                buffers["running_var"],
                buffers["num_batches_tracked"],
            )
        except KeyError:  # replaced by plain attributes
            mean, var, count = self.running_mean, self.running_var, self.num_batches_tracked
        factor = 0.0 if self.momentum is None else self.momentum
        training, track = self.training, self.track_running_stats
        if training and track and count is not None:
            count.add_(1)
            if self.momentum is None:  # the plain average of all batches so far
                factor = 1.0 / float(count)
        use_batch = training or (mean is None and var is None)
        if training and not track:  # the estimates stay as they are
            mean = var = None
        weight, bias = _weight_and_bias(self)
        return F.batch_norm(input, mean, var, weight, bias, use_batch, factor, self.eps)


class BatchNorm1d(_BatchNorm):
    """(x - mean) / sqrt(var + eps) * weight + bias over batch (and length), per feature (Ioffe, Szegedy,
    2015).

    While training, mean and variance are the batch's and running estimates follow with ``momentum`` (None:
    the average over all batches); in evaluation the estimates are used. Shapes: (N, C) or (N, C, L), else
    ValueError.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.BatchNorm1d(10)(torch.randn(4, 10)).shape
        torch.Size([4, 10])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """``BatchNorm1d`` for images, (N, C, H, W); ValueError for other numbers of dimensions."""

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """``BatchNorm1d`` for volumes, (N, C, D, H, W); ValueError for other numbers of dimensions."""

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class SyncBatchNorm(_BatchNorm):
    """``BatchNorm1d`` for (N, C, *), as one process sees it.

    PyTorch shares the batch's statistics among the processes of a group, on accelerators. Here there is one process, and
    PyTorch's layer with one process is plain batch normalisation. ValueError for fewer than 2 dimensions.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias
        )
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """``module`` with every batch normalisation in it replaced by a ``SyncBatchNorm`` with the same tensors."""
        made = module
        if isinstance(module, _BatchNorm):
            made = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                made.weight = module.weight
                made.bias = module.bias
            made.running_mean = module.running_mean
            made.running_var = module.running_var
            made.num_batches_tracked = module.num_batches_tracked
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made
