"""Channels exchanged between groups."""

from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module
from rushlight.tensor import Tensor

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """The channels of (N, C, *) read across ``groups`` groups (Zhang and others, 2018).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.ChannelShuffle(2)(torch.arange(4.).reshape(1, 4, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    __constants__ = ["groups"]
    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
