"""``Variable``, Tensor's name of old."""
from ..tensor import Tensor

__all__ = ["Variable"]


class _VariableMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """``Variable(tensor, requires_grad)`` gives a tensor that shares the memory; every Tensor is an instance."""

    def __new__(cls, data, requires_grad=False):
        return data.detach().requires_grad_(requires_grad)
