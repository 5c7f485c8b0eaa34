"""Functions of other families by their public names, looked up when called.

Composites are written over functions that may be declared after them: ``torch.where(...)``,
``F.softmax(...)``.
"""
from . import asked
from .table import namespaces

__all__ = ["torch", "F", "linalg"]


class _Late:
    """The functions of one namespace as attributes."""

    def __init__(self, space):
        self._space = namespaces[space]

    def __getattr__(self, name):
        try:
            return self._space[name]
        except KeyError:
            if self._space is namespaces["torch"] and name in asked.FUNCTIONS:
                return asked.function(name)
            raise AttributeError(name) from None


class _Linalg(_Late):
    """Those of ``torch.linalg``, which load now."""

    def __getattr__(self, name):
        asked.load("linalg")
        return super().__getattr__(name)


torch, F, linalg = _Late("torch"), _Late("nn.functional"), _Linalg("linalg")
