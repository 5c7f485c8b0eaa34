"""Running PyTorch programs as they are: ``import torch`` that gives rushlight, for one process, on request.

:func:`install` puts a finder in front of ``sys.meta_path``; from then on ``torch`` and every ``torch.x.y``
are the very module objects of rushlight, under a second name. Nothing is written to disk, no other process is
touched, and nothing happens unless it is asked for: ``rushlight run`` asks, and so may a test suite or a
notebook.

**Versions.** ``rushlight.__version__`` is the version of this project. While the alias is installed that
attribute holds the PyTorch release that is followed, ``2.13.0+rushlight`` (always there as
``rushlight.version.__version__``), because a program that reads ``torch.__version__`` wants to know which API
it may use. It is a string that compares by release as PyTorch's does: ``torch.__version__ >= "2.2"`` is true.
"""

from __future__ import annotations

from .alias import install, installed, uninstall
from .torch_version import TorchVersion

__all__ = ["TorchVersion", "install", "installed", "uninstall"]
