"""Layers, losses and what is needed to build more of them: ``torch.nn``."""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.nn import attention as attention
from rushlight.nn import functional as functional
from rushlight.nn import init as init
from rushlight.nn import modules as modules
from rushlight.nn import parallel as parallel
from rushlight.nn import utils as utils
from rushlight.nn.modules import *  # noqa: F403  (the page of layers is modules/__init__.py)
from rushlight.nn.modules.utils import factory_kwargs
from rushlight.nn.parallel import DataParallel
from rushlight.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    *modules.__all__,
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "factory_kwargs",
    "functional",
    "init",
    "modules",
    "parallel",
    "utils",
]


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
