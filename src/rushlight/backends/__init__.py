"""``torch.backends``: the switches that programs set before they train, and the questions they ask.

There is one backend, the CPU. Setting ``torch.backends.cudnn.deterministic = True`` is accepted and changes
nothing, because there is no cuDNN and every kernel here is deterministic; the questions are answered with
False.
"""

from __future__ import annotations

from typing import Any

from ..compat import absent
from . import cuda, cudnn, mha, mkl, mkldnn, mps, openmp

__all__ = ["cuda", "cudnn", "mha", "mkl", "mkldnn", "mps", "openmp"]


def __getattr__(name: str) -> Any:
    raise absent.missing(__name__, name)
