"""``DataParallel`` as PyTorch's is without an accelerator."""

from collections.abc import Sequence
from typing import Any

from rushlight.device import device
from rushlight.nn.modules.module import Module

__all__ = ["DataParallel"]


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
