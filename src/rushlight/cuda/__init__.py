"""``torch.cuda`` on a build without CUDA: it answers that nothing is there.

A program asks ``torch.cuda.is_available()``, gets False and goes on with the CPU. What a program calls
whether or not a GPU exists (seeding, emptying a cache, reading memory counters) works and does nothing. All
that needs a GPU raises PyTorch's AssertionError for such a build.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NoReturn

from ..compat import absent

_NOT_HERE = (
    "Torch not compiled with CUDA enabled\n"
    "rushlight computes on the CPU: guard the call with torch.cuda.is_available(), which is False."
)
_NEEDS_A_GPU = (
    "CUDAGraph Event Stream can_device_access_peer current_blas_handle current_device current_stream "
    "default_stream device device_of get_device_capability get_device_name get_device_properties "
    "get_rng_state init initial_seed ipc_collect mem_get_info reset_max_memory_allocated "
    "reset_peak_memory_stats set_device set_per_process_memory_fraction set_stream stream synchronize"
).split()

__all__ = [
    "device_count",
    "empty_cache",
    "get_arch_list",
    "get_rng_state_all",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "seed",
    "seed_all",
    *_NEEDS_A_GPU,
]


def is_available() -> bool:
    """Whether a GPU can be used: never.

    >>> import rushlight as torch
    >>> "cuda" if torch.cuda.is_available() else "cpu"
    'cpu'
    """
    return False


def is_initialized() -> bool:
    """Whether the CUDA state was set up: never."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether a GPU computes bfloat16: there is none. The CPU does, see ``torch.bfloat16``."""
    return False


def device_count() -> int:
    """The number of GPUs: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed the generator of the current GPU: nothing to do. ``torch.manual_seed`` seeds the CPU's."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all GPUs: nothing to do."""
    int(seed)


def seed() -> None:
    """Seed the current GPU's generator from the system: nothing to do."""


def seed_all() -> None:
    """Seed all GPUs' generators from the system: nothing to do."""


def get_rng_state_all() -> list[Any]:
    """The generator states of all GPUs: an empty list."""
    return []


def get_arch_list() -> list[str]:
    """The GPU architectures that this build was compiled for: none."""
    return []


def empty_cache() -> None:
    """Give unused GPU memory back: there is none."""


def memory_allocated(device: object = None) -> int:
    """Bytes of GPU memory in tensors: 0."""
    return 0


def max_memory_allocated(device: object = None) -> int:
    """The most bytes of GPU memory that tensors took: 0."""
    return 0


def memory_reserved(device: object = None) -> int:
    """Bytes of GPU memory held by the allocator: 0."""
    return 0


def max_memory_reserved(device: object = None) -> int:
    """The most bytes of GPU memory that the allocator held: 0."""
    return 0


def _refuser(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise AssertionError(_NOT_HERE)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"PyTorch's ``torch.cuda.{name}``; without a GPU it raises AssertionError."
    return refuse


globals().update({name: _refuser(name) for name in _NEEDS_A_GPU})


def __getattr__(name: str) -> Any:
    if name == "amp":
        return importlib.import_module(f"{__name__}.amp")
    raise absent.missing(__name__, name)
