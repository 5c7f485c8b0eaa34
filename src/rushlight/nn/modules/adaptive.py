"""The adaptive softmax: cheap over many classes, of which few are frequent.

Grave and others, "Efficient softmax approximation for GPUs" (2017).
"""

import itertools
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from rushlight.nn import functional as F
from rushlight.nn.modules.container import ModuleList, Sequential
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.tensor import Tensor

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of targets and their mean negative, over classes sorted by frequency, frequent first.

    The head predicts the classes below the first cutoff and which cluster of rarer ones; each cluster has a
    network of its own, the rarer the smaller.

    Args:
        in_features, n_classes: sizes.
        cutoffs: where clusters begin, increasing, between 1 and n_classes - 1.
        div_value: how much smaller each cluster's hidden layer is than that before it.
        head_bias: whether the head has a bias.

    Shapes: input (N, in_features) or (in_features,), target (N,) or (). Returns (output, loss): output (N,) or ().

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0)
        >>> layer(torch.randn(5, 8), torch.tensor([0, 3, 4, 12, 19])).output.shape
        torch.Size([5])
    """

    in_features: int
    n_classes: int
    cutoffs: list[int]
    div_value: float
    head_bias: bool
    head: Linear
    tail: ModuleList

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where "
                "each value is between 1 and n_classes-1"
            )
        kind: dict[str, Any] = {"device": device, "dtype": dtype}
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **kind)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(itertools.pairwise(self.cutoffs)):
            hidden = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, **kind),
                    Linear(hidden, high - low, bias=False, **kind),
                )
            )

    def reset_parameters(self) -> None:
        self.head.reset_parameters()
        for cluster in self.tail:
            for layer in cluster:
                layer.reset_parameters()

    def _check(self, input: Tensor, target: Tensor) -> None:
        dims = target.dim()
        if dims > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if dims == 1 and input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.dim() != dims + 1:
            raise RuntimeError(
                f"{dims}D target tensor expects {dims + 1}D input tensors, but found inputs with size {input.size()}"
            )

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        self._check(input_, target_)
        batched = target_.dim() > 0
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        count = target.size(0)
        output = input.new_zeros(count)
        column = target.new_empty(count)  # where in the head: the class, or its cluster
        used = 0
        for i, (low, high) in enumerate(itertools.pairwise([0, *self.cutoffs])):
            here = (target >= low) & (target < high)
            rows = here.nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            if i == 0:
                column.index_copy_(0, rows, target[here])
            else:
                logs = F.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
                column.index_fill_(0, rows, self.shortlist_size + i - 1)
                local = logs.gather(1, (target[here] - low).unsqueeze(1))
                output.index_copy_(0, rows, local.squeeze(1))
            used += rows.numel()
        if used != count:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        logs = F.log_softmax(self.head(input), dim=1)
        output += logs.gather(1, column.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (low, high) in enumerate(itertools.pairwise(self.cutoffs)):
            cluster = F.log_softmax(self.tail[i](input), dim=1)
            out[:, low:high] = cluster + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def log_prob(self, input: Tensor) -> Tensor:
        """Log-probabilities of all classes: (N, in_features) to (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each row; clusters are looked into only where they win.

        Example::

            >>> import rushlight as torch
            >>> torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], 2.0).predict(torch.randn(5, 8)).shape
            torch.Size([5])
        """
        head = self.head(input)
        best = head.argmax(dim=1)
        rare = best >= self.shortlist_size
        if not rare.any():
            return best
        if rare.all():
            return self._get_full_log_prob(input, head).argmax(dim=1)
        best[rare] = self._get_full_log_prob(input[rare], head[rare]).argmax(dim=1)
        return best
