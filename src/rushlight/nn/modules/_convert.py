"""Conversions of modules: ``to``, ``float``, ``half``, ``cuda`` and the others, all of them one ``_apply``.

A conversion replaces the data *inside* each parameter, so that an optimizer that holds the parameter keeps
working; buffers are replaced by new tensors. Gradients follow their parameters.
"""

import warnings
from collections.abc import Callable
from typing import Any, Self

from rushlight.autograd.modes import no_grad
from rushlight.device import device as Device
from rushlight.dtypes import dtype as DType
from rushlight.nn._ops import empty_like
from rushlight.tensor import Tensor

__all__ = ["ConvertMixin"]


def _parse_to(args: tuple, kwargs: dict) -> dict[str, Any]:
    """The arguments of ``Module.to`` by name: (device, dtype, non_blocking), (dtype, ...) or (tensor,
    ...).
    """
    allowed = ("device", "dtype", "non_blocking", "memory_format", "tensor")
    for name in kwargs:
        if name not in allowed:
            raise TypeError(
                f"to() received an invalid combination of arguments: unexpected keyword '{name}'\n"
                "Module.to takes device, dtype, non_blocking, or a tensor to follow."
            )
    found: dict[str, Any] = {}
    rest = list(args)
    if rest:
        first = rest.pop(0)
        if isinstance(first, Tensor):
            found = {"device": first.device, "dtype": first.dtype}
        elif isinstance(first, DType):
            found = {"dtype": first}
        elif first is None or isinstance(first, (str, int, Device)):
            found = {"device": first}
            if rest and (rest[0] is None or isinstance(rest[0], DType)):
                found["dtype"] = rest.pop(0)
        else:
            raise TypeError(
                "to() received an invalid combination of arguments: "
                f"{type(first).__name__} is neither a device, a dtype nor a tensor"
            )
        if rest:
            found["non_blocking"] = rest.pop(0)
    if "tensor" in kwargs:
        found.update(device=kwargs["tensor"].device, dtype=kwargs["tensor"].dtype)
    found.update({k: v for k, v in kwargs.items() if k != "tensor"})
    return {k: v for k, v in found.items() if v is not None}


class ConvertMixin:
    """The part of ``Module`` that changes dtypes and devices."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    children: Callable

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace every parameter's data, gradient and every buffer by ``fn`` of it, children first."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            grad = param.grad
            with no_grad():
                param.data = fn(param)
                if grad is not None:
                    grad.data = fn(grad)
        for key, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[key] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move to a device, cast floating-point parameters and buffers to a dtype, or follow a tensor; in
        place.

        Raises TypeError for a dtype that is neither floating point nor complex.

        Example::

            >>> import rushlight as torch
            >>> torch.nn.Linear(1, 1).to(torch.float64).weight.dtype
            torch.float64
        """
        wanted = _parse_to(args, kwargs)
        dtype = wanted.pop("dtype", None)
        memory_format = wanted.pop("memory_format", None)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, "
                    f"but got desired dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(
                    "Complex modules are a new feature under active development whose design may change, "
                    "and some modules might not work as expected when using complex tensors as parameters "
                    "or buffers. Please file an issue at https://github.com/pytorch/pytorch/issues/new?"
                    "template=bug-report.yml if a complex module does not work as expected.",
                    stacklevel=2,
                )

        def convert(t: Tensor) -> Tensor:
            options = dict(wanted)
            if dtype is not None and (t.is_floating_point() or t.is_complex()):
                options["dtype"] = dtype
            if memory_format is not None and t.dim() in (4, 5):
                options["memory_format"] = memory_format
            return t.to(**options) if options else t

        return self._apply(convert)

    def type(self, dst_type: Any) -> Self:
        """Cast all parameters and buffers to ``dst_type``."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Cast floating-point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Cast floating-point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Self:
        """Cast floating-point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self) -> Self:
        """Cast floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """Move to the CPU, where everything is already."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Raises the error of a PyTorch built without CUDA, if there is anything to move."""
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Give every parameter and buffer new, uninitialised memory on ``device``."""
        return self._apply(lambda t: empty_like(t, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Ask every parameter and buffer to live in shared memory."""
        return self._apply(lambda t: t.share_memory_())
