"""Tools around tensors and modules. Submodules load when they are first used, as ``import rushlight`` must be quick."""
import importlib
from typing import Any

__all__ = ["checkpoint", "data", "hooks"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'\n"
                         f"rushlight's utils has: {', '.join(__all__)}.")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
