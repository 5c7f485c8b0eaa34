"""Running PyTorch programs as they are: ``import torch`` that gives rushlight, for one process, on request.

:func:`install` puts a finder in front of ``sys.meta_path``; from then on ``torch`` and every ``torch.x.y``
are the very module objects of rushlight, under a second name. Nothing is written to disk, no other process
is touched, and nothing happens unless it is asked for: ``rushlight run`` asks, and so may a test suite or a
notebook.

**Versions.** ``rushlight.__version__`` is the version of this project. While the alias is installed that
attribute holds the PyTorch release that is followed, ``2.13.0+rushlight`` (always there as
``rushlight.version.__version__``), because a program that reads ``torch.__version__`` wants to know which API
it may use. It is a string that compares by release as PyTorch's does: ``torch.__version__ >= "2.2"`` is true.

Every module of rushlight imports :mod:`rushlight.compat.absent` for its error messages; what stands here is
therefore loaded when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .alias import install, installed, uninstall
    from .torch_version import TorchVersion

__all__ = ["TorchVersion", "install", "installed", "uninstall"]

_HOMES = {"install": "alias", "installed": "alias", "uninstall": "alias", "TorchVersion": "torch_version"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
