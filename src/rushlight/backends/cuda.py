"""``torch.backends.cuda`` where there is no CUDA."""

from __future__ import annotations

__all__ = ["is_built", "matmul"]


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
