"""``torch.nn.parallel``: what of it has a meaning on one CPU."""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.nn.parallel.data_parallel import DataParallel

__all__ = ["DataParallel"]


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
