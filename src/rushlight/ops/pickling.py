"""copy, deepcopy and pickle of tensors.

What is copied or written is the *storage*, once, and where each tensor lies in it: so views that share memory
share it again afterwards, within one deepcopy or one pickle.
"""
import copy as copying

import numpy as np

from .. import dtypes
from ..kernels import memory
from ..tensor import Tensor, wrap_like
from .strided import storage_start


def _rebuild_tensor(cls, root, offset, shape, strides, dtype, requires_grad, state):
    """A tensor over memory: the inverse of ``__reduce_ex__``."""
    numpy = dtypes.BY_NAME[dtype].numpy
    made = wrap_like(cls, _laid_over(root, numpy, offset, shape, strides))
    if requires_grad:
        made._rg = True
    if state:
        made.__dict__.update(state)
    return made


def _laid_over(root, numpy, offset, shape, strides):
    if root.shape == tuple(shape) and root.dtype == numpy and root.strides == tuple(strides):
        return root
    if 0 in shape:
        return np.ndarray(shape, numpy)
    whole = root if root.flags.c_contiguous else root.T
    return np.ndarray(shape, numpy, whole, offset, strides)


def _storage_of(array):
    """The memory that can be written down whole: the root, or its bytes if it has gaps."""
    owner = memory.root(array)
    return owner if owner.flags.c_contiguous or owner.flags.f_contiguous else memory.spanning(owner)


def _start(array):
    return storage_start(array) if array.size else 0


def _reduce(self, protocol):
    a = self._a
    return _rebuild_tensor, (type(self), _storage_of(a), _start(a), a.shape, a.strides, self.dtype.name,
                             self.requires_grad, dict(self.__dict__))


def _setstate(self, state):
    """Take over a dictionary of attributes."""
    self.__dict__.update(state)


def _deepcopy(self, memo):
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
            "moment.  If you were "
            "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001" + self._made_by())
    a = self._a
    owner = memory.root(a)
    key = "storage", id(owner)
    storage = memo.get(key)
    if storage is None:
        whole = _storage_of(a)
        storage = memo[key] = whole.copy("K")
        memo.setdefault("kept storages", []).append(owner)       # ids in a memo stand for living objects
    made = wrap_like(type(self), _laid_over(storage, a.dtype, _start(a), a.shape, a.strides))
    memo[id(self)] = made
    if self.requires_grad:
        made._rg = True
    if self._grad is not None:
        made._grad = copying.deepcopy(self._grad, memo)
    if self.__dict__:
        made.__dict__.update(copying.deepcopy(self.__dict__, memo))
    return made


Tensor.__reduce_ex__ = _reduce
Tensor.__setstate__ = _setstate
Tensor.__deepcopy__ = _deepcopy
