"""Names that programs still use and PyTorch keeps for them: ``DataParallel`` without several devices, and two
that it calls deprecated.
"""

import warnings
from collections.abc import Sequence
from typing import Any

from rushlight.device import device
from rushlight.nn.modules.loss import NLLLoss
from rushlight.nn.modules.module import Module

__all__ = ["Container", "DataParallel", "NLLLoss2d"]


class Container(Module):
    """A module with the children given by name; deprecated in favour of ``Module`` itself."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass "
            "that instead.",
            FutureWarning,
            stacklevel=2,
        )
        for key, value in kwargs.items():
            self.add_module(key, value)


class DataParallel(Module):
    """``module`` itself, as PyTorch's is where there is no accelerator: its children are below ``module.``, and
    a call passes everything on. ``device_ids``, ``output_device`` and ``dim`` have no meaning on one CPU.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.DataParallel(torch.nn.ReLU())(torch.tensor([-1., 1.]))
        tensor([0., 1.])
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[int | device] | None = None,
        output_device: int | device | None = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


class NLLLoss2d(NLLLoss):
    """``NLLLoss`` under its old name for images; deprecated."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(*args, **kwargs)
