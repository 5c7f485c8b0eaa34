"""Optimizers: they change parameters by their gradients."""
from rushlight.optim.adam import Adam
from rushlight.optim.adamw import AdamW
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.sgd import SGD

__all__ = ["Adam", "AdamW", "Optimizer", "SGD"]
