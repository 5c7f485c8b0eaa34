"""Parameters and buffers: tensors that a module recognises as its own when they are assigned to it.

A ``Parameter`` shares the memory of the tensor it is made of; it differs only in its type, which ``Module``
looks at, and in requiring grad by default. A ``Buffer`` is an ordinary tensor with a mark. Neither intercepts
operators, so their results are plain tensors and cost what those of plain tensors cost.
"""

from typing import Any

from rushlight.nn._ops import empty
from rushlight.tensor import Tensor, _disabled_torch_function_impl

__all__ = ["Parameter", "Buffer"]


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    """Lets a tensor of a custom type count as a Parameter once it is marked as one."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that belongs to a module: ``module.weight = Parameter(t)`` registers it.

    Args:
        data: the tensor whose memory it shares; an empty one if None.
        requires_grad: whether gradients are computed for it.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.Parameter(torch.zeros(2))
        Parameter containing:
        tensor([0., 0.], requires_grad=True)
    """

    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]
    _prints_as_tensor = True

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        made = data.detach().requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that "
                "detach() returns "
                f"an instance of the same type, but return type {type(made).__name__} was found instead. To "
                "use the "
                "type as a Parameter, please correct the detach() semantics defined by its "
                "__torch_dispatch__() "
                "implementation."
            )
        made._is_param = True
        return made

    def __deepcopy__(self, memo: dict) -> "Parameter":
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> tuple:
        state = dict(self.__dict__)
        if state:
            return _rebuild_parameter_with_state, (self.detach(), self.requires_grad, state)
        return _rebuild_parameter, (self.detach(), self.requires_grad)


def _rebuild_parameter(data: Tensor, requires_grad: bool) -> Parameter:
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, state: dict) -> Parameter:
    made = Parameter(data, requires_grad)
    made.__dict__.update(state)
    return made


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False):
            return True
        return super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a module keeps but does not train: ``module.mean = Buffer(t)`` registers it as a buffer.

    Args:
        data: the tensor whose memory it shares; an empty one if None.
        persistent: whether it is part of the module's ``state_dict``.
    """

    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]
    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = empty(0)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made
