"""Schedules of learning rates: objects with a ``step`` that change ``lr`` in an optimizer's groups.

    base       LRScheduler, which the others extend
    laws       a factor or a curve for each epoch: LambdaLR ... CosineAnnealingWarmRestarts
    cycles     up and down with the momentum opposite: CyclicLR, OneCycleLR
    plateau    ReduceLROnPlateau, by a metric
    composed   several schedules as one: SequentialLR, ChainedScheduler
"""

from rushlight.optim.lr_scheduler.base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    _format_param,
    _LRScheduler,
)
from rushlight.optim.lr_scheduler.composed import ChainedScheduler, SequentialLR
from rushlight.optim.lr_scheduler.cycles import CyclicLR, OneCycleLR
from rushlight.optim.lr_scheduler.laws import (
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from rushlight.optim.lr_scheduler.plateau import ReduceLROnPlateau

__all__ = [
    "LambdaLR",
    "MultiplicativeLR",
    "StepLR",
    "MultiStepLR",
    "ConstantLR",
    "LinearLR",
    "ExponentialLR",
    "SequentialLR",
    "CosineAnnealingLR",
    "ChainedScheduler",
    "ReduceLROnPlateau",
    "CyclicLR",
    "CosineAnnealingWarmRestarts",
    "OneCycleLR",
    "PolynomialLR",
    "LRScheduler",
]

# What the schedules were called before; and names that programs import although they are private.
_private = (EPOCH_DEPRECATION_WARNING, _LRScheduler, _format_param)
