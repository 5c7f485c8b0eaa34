"""Optimizers: they change parameters by their gradients."""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.optim.adam import Adam
from rushlight.optim.adamw import AdamW
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.sgd import SGD

__all__ = ["Adam", "AdamW", "Optimizer", "SGD"]


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
