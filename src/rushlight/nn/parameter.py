"""Parameters and buffers: tensors that a module recognises as its own when they are assigned to it.

A ``Parameter`` shares the memory of the tensor it is made of; it differs only in its type, which ``Module``
looks at, and in requiring grad by default. A ``Buffer`` is an ordinary tensor with a mark. Neither intercepts
operators, so their results are plain tensors and cost what those of plain tensors cost.
"""

import sys
from typing import Any

from rushlight.nn._ops import empty
from rushlight.tensor import Tensor, _disabled_torch_function_impl, wrap

__all__ = [
    "Parameter",
    "UninitializedParameter",
    "is_lazy",
    "Buffer",
    "UninitializedBuffer",
    "UninitializedTensorMixin",
]

_PACKAGE = __file__.rpartition("nn")[0]
_slot = Tensor.__dict__["_a"]  # where a tensor keeps its array, behind the guard of uninitialized ones


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

    __torch_function__ = _disabled_torch_function_impl
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

    __torch_function__ = _disabled_torch_function_impl
    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = empty(0)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


def _attempted() -> str:
    """The name of the function of this package that the program called."""
    frame, name = sys._getframe(2), "?"
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_code.co_name not in ("_first_call", "complete"):  # an operator's function before it is written
            name = frame.f_code.co_name.lstrip("_")
        frame = frame.f_back
    return f"<function {name}>"


class UninitializedTensorMixin:
    """A tensor without a shape yet: the parameters of a lazy module before its first call.

    Its array cannot be read: every operator asks for it first, and so raises ValueError. Ordinary tensors pay
    nothing for this guard.
    """

    __slots__ = ()
    cls_to_become: type

    @property
    def _a(self) -> Any:
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {_attempted()}. This error happens when you are "
            "using a `LazyModule` or explicitly manipulating `torch.nn.parameter."
            f"{type(self).__name__}` objects. When using LazyModules Call `forward` with a dummy batch to "
            "initialize the parameters before calling torch functions"
        )

    @_a.setter
    def _a(self, array: Any) -> None:
        _slot.__set__(self, array)

    def _empty(self) -> Tensor:
        """What it has instead of data: an empty tensor of its dtype."""
        return wrap(_slot.__get__(self))

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Give it memory of ``shape``, uninitialised, and make it an ordinary parameter or buffer."""
        self._a = empty(tuple(shape), device=device, dtype=dtype or self.dtype)._a
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
            "`forward` to initialize the parameters before accessing their attributes."
        )

    @property
    def dtype(self) -> Any:
        return self._empty().dtype

    @property
    def data(self) -> Any:
        return Tensor._make_subclass(type(self), self._empty())

    @data.setter
    def data(self, value: Tensor) -> None:
        self._a = _slot.__get__(value)

    def size(self, *args: Any) -> Any:
        return self._empty().size(*args)

    def is_floating_point(self) -> bool:
        return self._empty().is_floating_point()

    def is_complex(self) -> bool:
        return self._empty().is_complex()

    def copy_(self, source: Any, non_blocking: bool = False) -> Any:
        return self

    def detach(self) -> Any:
        return self.data

    def share_memory_(self) -> Any:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the "
            "parameters before calling `module.share_memory()`."
        )

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype)
        return memo[id(self)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return type(self), (self.requires_grad,)


def _conversion(name: str) -> Any:
    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        converted = getattr(self._empty(), name)(*args, **kwargs)
        return _uninitialized(type(self), converted, self.requires_grad)

    convert.__name__ = name
    return convert


for _name in ("half", "float", "double", "bfloat16", "char", "short", "int", "long", "cuda", "cpu", "to"):
    setattr(UninitializedTensorMixin, _name, _conversion(_name))


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet; ``materialize`` makes it a ``Parameter``.

    Example::

        >>> import rushlight as torch
        >>> p = torch.nn.UninitializedParameter()
        >>> p.materialize((2, 3))
        >>> type(p).__name__, p.shape
        ('Parameter', torch.Size([2, 3]))
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return _uninitialized(cls, empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose shape is not known yet; ``materialize`` makes it a tensor."""

    __torch_function__ = _disabled_torch_function_impl
    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        made = _uninitialized(cls, empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


def _uninitialized(cls: type, data: Tensor, requires_grad: bool) -> Any:
    made = Tensor._make_subclass(cls, data)
    made._rg = requires_grad
    return made
