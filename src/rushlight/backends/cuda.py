"""``torch.backends.cuda`` where there is no CUDA."""

from __future__ import annotations

from ..ops.attention import ENABLED

__all__ = [
    "is_built",
    "matmul",
    "flash_sdp_enabled",
    "enable_flash_sdp",
    "mem_efficient_sdp_enabled",
    "enable_mem_efficient_sdp",
    "math_sdp_enabled",
    "enable_math_sdp",
    "cudnn_sdp_enabled",
    "enable_cudnn_sdp",
]


class _MatmulSwitches:
    """Settings of matrix products on a GPU: they can be set, and there is no GPU to obey."""

    def __init__(self) -> None:
        self.allow_tf32 = False
        self.allow_fp16_reduced_precision_reduction = True
        self.allow_bf16_reduced_precision_reduction = True


matmul = _MatmulSwitches()


def is_built() -> bool:
    """Whether this build knows CUDA: no."""
    return False


# Which implementations of scaled_dot_product_attention may be used; PyTorch asks this for the CPU too.
def flash_sdp_enabled() -> bool:
    """Whether the fused implementation may be used."""
    return ENABLED["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Allow or forbid the fused implementation."""
    ENABLED["flash"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether the memory-efficient implementation, which the CPU lacks may be used."""
    return ENABLED["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allow or forbid the memory-efficient implementation, which the CPU lacks."""
    ENABLED["mem_efficient"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Whether the composition of operators may be used."""
    return ENABLED["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Allow or forbid the composition of operators."""
    ENABLED["math"] = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN's implementation, which the CPU lacks may be used."""
    return ENABLED["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allow or forbid cuDNN's implementation, which the CPU lacks."""
    ENABLED["cudnn"] = bool(enabled)
