"""Which implementation of ``scaled_dot_product_attention`` may be used: ``torch.nn.attention``.

There is one implementation here, so the choice changes no number; it is accepted so that programs run, shows in
``grad_fn`` and gives PyTorch's errors where nothing is left that could run on the CPU.
"""

import contextlib
from collections.abc import Iterator
from enum import Enum, IntEnum
from typing import Any

from rushlight.compat import absent as _absent
from rushlight.ops.attention import ENABLED

__all__ = ["SDPBackend", "sdpa_kernel", "WARN_FOR_UNFUSED_KERNELS"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(IntEnum):
    """An implementation of ``scaled_dot_product_attention``."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4
    __str__ = Enum.__str__


_backend_names = {
    "cudnn": "CUDNN_ATTENTION",
    "flash": "FLASH_ATTENTION",
    "mem_efficient": "EFFICIENT_ATTENTION",
    "math": "MATH",
    "overrideable": "OVERRIDEABLE",
}


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    return [SDPBackend[member] for name, member in _backend_names.items() if ENABLED[name]]


@contextlib.contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[dict]:
    """Inside, only these implementations may be used: an ``SDPBackend`` or a list of them.

    AssertionError for anything else.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.nn.attention import SDPBackend, sdpa_kernel
        >>> x = torch.ones(1, 1, 2, 4)
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).shape
        torch.Size([1, 1, 2, 4])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    before = dict(ENABLED)
    ENABLED.update({name: SDPBackend[member] in chosen for name, member in _backend_names.items()})
    try:
        yield {}
    finally:
        ENABLED.update(before)


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
