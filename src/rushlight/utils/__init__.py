"""Tools around tensors and modules. Submodules load when first used: ``import rushlight`` must be quick."""

import importlib
from typing import Any

from rushlight.compat import absent as _absent

__all__ = ["checkpoint", "data", "dlpack", "hooks"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    raise _absent.missing(__name__, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
