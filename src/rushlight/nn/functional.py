"""The functions of ``nn``: ``import rushlight.nn.functional as F``. They are written in ``rushlight.ops``.

A page of names, taken from the table of operators.

Example::

    >>> import rushlight as torch
    >>> import rushlight.nn.functional as F
    >>> F.relu(torch.tensor([-1., 2.]))
    tensor([0., 2.])
"""

from typing import Any

from rushlight import ops as _ops  # noqa: F401  (declares the operators)
from rushlight.compat import absent as _absent
from rushlight.ops.grid import GRID_SAMPLE_INTERPOLATION_MODES as GRID_SAMPLE_INTERPOLATION_MODES
from rushlight.ops.grid import GRID_SAMPLE_PADDING_MODES as GRID_SAMPLE_PADDING_MODES
from rushlight.ops.table import namespaces as _namespaces

# Functions of the main namespace that PyTorch also keeps here.
_SHARED = """
    adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc
    conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity hardshrink
    native_channel_shuffle pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_
    selu_ threshold_
""".split()

_own, _main = _namespaces["nn.functional"], _namespaces["torch"]
globals().update({name: _main[name] for name in _SHARED if name in _main})
globals().update(_own)

__all__ = sorted({*_own, *(name for name in _SHARED if name in _main)})


def __getattr__(name: str) -> Any:
    raise _absent.missing(__name__, name)
