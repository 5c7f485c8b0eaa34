"""Questions about tensors whose answer is no tensor; and apply_, map_, which call Python for each element."""
import numpy as np

from .. import dtypes
from ..tensor import Tensor
from . import call
from ._factory import publish
from .conversion import _bool


def _tensor(input, name):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not "
                        f"{type(input).__name__}\nPass a Tensor.")
    return input


@publish
def is_tensor(obj):
    """Whether ``obj`` is a Tensor."""
    return isinstance(obj, Tensor)


@publish(method=True)
def is_floating_point(input):
    """Whether the dtype is a floating one (complex is not).

    Example::

        >>> import rushlight as torch
        >>> torch.is_floating_point(torch.ones(1))
        True
    """
    return _tensor(input, "is_floating_point").dtype.is_floating_point


@publish(method=True)
def is_complex(input):
    """Whether the dtype is complex."""
    return _tensor(input, "is_complex").dtype.is_complex


@publish(method=True)
def is_signed(input):
    """Whether the dtype has negative numbers."""
    return _tensor(input, "is_signed").dtype.is_signed


@publish(method=True)
def is_nonzero(input):
    """Whether the only element is not zero. RuntimeError if there is not exactly one."""
    return _bool(_tensor(input, "is_nonzero"))


@publish
def is_inference(input):
    """Whether the tensor was made in inference mode."""
    return _tensor(input, "is_inference").is_inference()


@publish(method=True)
def is_same_size(input, other):
    """Whether both have the same shape."""
    return input._a.shape == other._a.shape


@publish(method=True, as_function=False)
def is_distributed(self):
    """False."""
    return False


@publish(method=True, as_function=False)
def get_device(self):
    """-1, which stands for the CPU."""
    return -1


def _kind(x, at):
    """(dtype of a dimensioned tensor, of a 0-d one, category of a number), one of them given."""
    if isinstance(x, Tensor):
        return ([x.dtype], [], []) if x._a.ndim else ([], [x.dtype], [])
    if isinstance(x, call.NUMBER):
        return [], [], [dtypes.category_of_number(x)]
    raise TypeError(f"result_type(): argument 'tensor{at}' (position {at}) must be Tensor, not "
                    f"{type(x).__name__}"
                    "\nPass tensors or numbers.")


@publish
def result_type(tensor1, tensor2):
    """The dtype of an arithmetic operator on two tensors or numbers.

    Example::

        >>> import rushlight as torch
        >>> torch.result_type(torch.tensor([1, 2]), 1.0)
        torch.float32
    """
    a, b = _kind(tensor1, 1), _kind(tensor2, 2)
    return dtypes.combine(a[0] + b[0], a[1] + b[1], a[2] + b[2])


def _check_python_call(self, name):
    if self.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
                           "instead.")


@publish(method=True, as_function=False)
def apply_(self, callable):
    """Replace each element by ``callable(element)``: slow, for odd cases. Not for tensors that require grad.
    """
    _check_python_call(self, "apply_")
    a = self._a
    a[...] = np.array([callable(v) for v in a.reshape(-1).tolist()], a.dtype).reshape(a.shape)
    self._bump(("apply_", None))
    return self


@publish(method=True, as_function=False)
def map_(self, tensor, callable):
    """Replace each element by ``callable(element, other element)``. Not for tensors that require grad."""
    _check_python_call(self, "map_")
    a = self._a
    shape = call.broadcast_shapes(a.shape, tensor._a.shape)
    if shape != a.shape:
        raise RuntimeError(f"output with shape {list(a.shape)} doesn't match the broadcast shape "
                           f"{list(shape)}")
    other = np.broadcast_to(tensor._a, shape)
    made = [callable(x, y) for x, y in zip(a.reshape(-1).tolist(), other.reshape(-1).tolist())]
    a[...] = np.array(made, a.dtype).reshape(a.shape)
    self._bump(("map_", None))
    return self
