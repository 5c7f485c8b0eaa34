"""Parameters and buffers: tensors that a module recognises as its own when they are assigned to it.

A ``Parameter`` shares the memory of the tensor it is made of; it differs only in its type, which ``Module`` looks at,
and in requiring grad by default. A ``Buffer`` is an ordinary tensor with a mark. The uninitialized kinds stand in lazy
modules for tensors whose shape the first input will tell.
"""
from typing import Any

from rushlight.ops.creation import empty
from rushlight.tensor import Tensor

__all__ = ["Parameter", "UninitializedParameter", "is_lazy", "Buffer", "UninitializedBuffer",
           "UninitializedTensorMixin"]


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

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> "Parameter":
        if data is None:
            data = empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        made = data.detach().requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(made).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation.")
        made._is_param = True
        return made

    def __deepcopy__(self, memo: dict) -> "Parameter":
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self, *args: Any, **kwargs: Any) -> str:
        return "Parameter containing:\n" + super().__repr__(*args, **kwargs)

    def __reduce_ex__(self, protocol: Any) -> tuple:
        state = dict(self.__dict__)
        if state:
            return _rebuild_parameter_with_state, (self.data, self.requires_grad, state)
        return _rebuild_parameter, (self.data, self.requires_grad)


def _rebuild_parameter(data: Tensor, requires_grad: bool) -> Parameter:
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, state: dict) -> Parameter:
    made = Parameter(data, requires_grad)
    made.__dict__.update(state)
    return made


class UninitializedTensorMixin:
    """What uninitialized parameters and buffers share: no shape yet, and ``materialize`` to give them one."""

    cls_to_become: type

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary parameter or buffer of ``shape``, with uninitialised memory."""
        old = Tensor.data.__get__(self)
        self.data = empty(shape, device=old.device if device is None else device,
                          dtype=old.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes.")

    def share_memory_(self) -> Any:
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize "
                           "the parameters before calling `module.share_memory()`.")

    def __repr__(self, *args: Any, **kwargs: Any) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return type(self), (self.requires_grad,)  # type: ignore[attr-defined]


def is_lazy(param: Any) -> bool:
    """Whether ``param`` is a parameter or buffer that has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet; ``materialize`` makes it a ``Parameter``."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> "UninitializedParameter":
        return Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict) -> "UninitializedParameter":
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


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

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Tensor:  # type: ignore[misc]
        if data is None:
            data = empty(0)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is not known yet; ``materialize`` makes it an ordinary tensor."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None,
                persistent: bool = True) -> "UninitializedBuffer":
        made = Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made
