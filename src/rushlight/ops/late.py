"""Functions of other families by their public names, looked up when called.

Composites are written over functions that may be declared after them: ``torch.where(...)``,
``F.softmax(...)``.
"""
from .table import namespaces

__all__ = ["torch", "F"]


class _Late:
    """The functions of one namespace as attributes."""

    def __init__(self, space):
        self._space = namespaces[space]

    def __getattr__(self, name):
        try:
            return self._space[name]
        except KeyError:
            raise AttributeError(name) from None


torch, F = _Late("torch"), _Late("nn.functional")
