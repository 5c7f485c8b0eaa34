"""Spatial transformers: ``affine_grid`` makes places from matrices, ``grid_sample`` reads an image there."""
import warnings
from itertools import product

import numpy as np

from ..kernels import grid as kernels
from ..kernels.errors import refuse, scalar_name
from ..tensor import wrap
from .again import again, recorded
from .call import invoke
from .declare import Array, both, composite, op
from .pooling import named, wide
from .tie import tied

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


@op(function=False, out=False, grad_name="GridSampler2DBackward0", name="_grid_sampler")
def _grid_sampler(input: Array, grid: Array, interpolation_mode, padding_mode, align_corners):
    """``input``, (N, C, *size), at the places ``grid``, (N, *out, dimensions)."""
    if input.dtype.kind in "biuc":
        raise refuse(f"grid_sampler_{input.ndim - 2}d_cpu{'_kernel_impl' if input.ndim == 4 else ''}", input.dtype)
    made = kernels.sample(wide(input), wide(grid), interpolation_mode, padding_mode, align_corners)
    return made.astype(input.dtype, copy=False)


def _composed(input, grid, interpolation_mode, padding_mode, align_corners):
    """``_grid_sampler`` written over other operators, for derivatives beyond the first.

    Which neighbours a place has is a constant; how far it lies beyond the first is a function of the grid that is
    linear as long as the neighbours stay the same.
    """
    x, numbers = input._a, grid._a
    size, dims = x.shape[2:], x.ndim - 2
    lists = []
    for i, n in enumerate(size):
        at, t, factor = kernels.neighbours(numbers[..., dims - 1 - i], n, interpolation_mode, padding_mode, align_corners)
        if t is None:
            lists.append([(at[0], None)])
            continue
        here = grid[..., dims - 1 - i]
        t = wrap(t) + (here - here.detach()) * wrap(np.array(factor))
        lists.append(list(zip(at, kernels.weights(t, interpolation_mode))))
    made = None
    for chosen in product(*lists):
        inside, flat = kernels.inside_and_flat([at for at, _ in chosen], size)
        weight = wrap(np.asarray(inside.astype(x.dtype)))
        for _, w in chosen:
            weight = weight if w is None else weight * w
        places = np.repeat(flat[:, None], x.shape[1], 1)
        part = both._gather_pooled(input, places) * weight.unsqueeze(1)
        made = part if made is None else made + part
    if interpolation_mode == 1:         # a step function of the grid: its gradient is zero, not missing
        made = made + (grid * 0).sum()
    return made


@_grid_sampler.derivatives
def _to_inputs(g, input, grid, interpolation_mode, padding_mode, align_corners, needs):
    if recorded(g, input, grid):
        options = interpolation_mode, padding_mode, align_corners
        made = again(lambda x, at: _composed(x, at, *options), (input, grid), needs[:2], (g,))
        return tuple(None if m is None else tied(m, g, input, grid) for m in made)
    made = kernels.sample_gradients(wide(g), wide(input), wide(grid), interpolation_mode, padding_mode, align_corners,
                                    needs[:2])
    return tuple(made)


_SAMPLERS = {2: _grid_sampler, 3: named(_grid_sampler, "GridSampler3DBackward0")}


def _check(x, grid, mode, n):
    if x.shape[0] != grid.shape[0]:
        raise RuntimeError("grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
                           f"{list(x.shape)} and grid with sizes {list(grid.shape)}")
    if grid.shape[-1] != x.ndim - 2:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {x.ndim - 2} in last dimension, but got grid with sizes "
                           f"{list(grid.shape)}")
    for at in range(2, x.ndim):
        if x.shape[at] == 0:
            raise RuntimeError("grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                               f"{list(x.shape)} with dimension {at} being empty")
    if x.ndim not in ((n + 2,) if n else (4, 5)) or grid.ndim != x.ndim:
        wanted = "4D or 5D" if n is None else f"{n + 2}D"
        raise RuntimeError(f"grid_sampler(): expected {wanted} input and grid with same number of dimensions, but got input "
                           f"with sizes {list(x.shape)} and grid with sizes {list(grid.shape)}")
    if mode == 2 and x.ndim == 5:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if x.dtype != grid.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x.dtype)} but found {scalar_name(grid.dtype)}"
                           "\nConvert one of them with .to(dtype).")


def _sample(n, input, grid, interpolation_mode, padding_mode, align_corners):
    _check(input._a, grid._a, interpolation_mode, n)
    return invoke(_SAMPLERS[input.ndim - 2], (input, grid, int(interpolation_mode), int(padding_mode), bool(align_corners)))


@composite
def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """``nn.functional.grid_sample`` with its modes as numbers: bilinear, nearest, bicubic; zeros, border, reflection."""
    return _sample(None, input, grid, interpolation_mode, padding_mode, align_corners)


@composite
def grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners):
    """``grid_sampler`` of (N, C, H, W) at (N, H', W', 2)."""
    return _sample(2, input, grid, interpolation_mode, padding_mode, align_corners)


@composite
def grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners):
    """``grid_sampler`` of (N, C, D, H, W) at (N, D', H', W', 3)."""
    return _sample(3, input, grid, interpolation_mode, padding_mode, align_corners)


@composite(space="nn.functional")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """``input`` read at the places ``grid``, which are pairs (x, y) or triples (x, y, z) between -1 and 1.

    ``input``: (N, C, H, W) or (N, C, D, H, W); ``grid``: (N, H', W', 2) or (N, D', H', W', 3). ``mode``:
    ``bilinear`` (trilinear for volumes), ``nearest``, ``bicubic`` (planes only). ``padding_mode``, for places outside:
    ``zeros``, ``border`` or ``reflection``. ``align_corners``: whether -1 and 1 are the corner pixels' centres or their
    outer edges (the default).

    Example::

        >>> import rushlight as torch
        >>> picture = torch.tensor([[[[1., 2.], [3., 4.]]]])
        >>> torch.nn.functional.grid_sample(picture, torch.zeros(1, 1, 1, 2), align_corners=False)
        tensor([[[[2.5000]]]])
    """
    if mode not in GRID_SAMPLE_INTERPOLATION_MODES:
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
                         f"'{mode}'")
    if padding_mode not in GRID_SAMPLE_PADDING_MODES:
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but "
                         f"got: '{padding_mode}'")
    if align_corners is None:
        warnings.warn("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
                      "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
                      "details.", stacklevel=3)
        align_corners = False
    return grid_sampler(input, grid, GRID_SAMPLE_INTERPOLATION_MODES[mode], GRID_SAMPLE_PADDING_MODES[padding_mode],
                        align_corners)


# ---------------------------------------------------------------- affine grids

def _base_grid(size, align_corners, dtype):
    """The places of all pixels of ``size``, in homogeneous coordinates: (pixels, dimensions + 1)."""
    lines = []
    for n in size:
        line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
        lines.append(line if align_corners or n == 1 else line * (n - 1) / n)
    mesh = np.meshgrid(*lines, indexing="ij")
    return np.stack([*(m.ravel() for m in reversed(mesh)), np.ones(mesh[0].size)], 1).astype(dtype)


@op(out=False)
def affine_grid_generator(theta: Array, size, align_corners):
    """The places that the matrices ``theta``, (N, d, d + 1), send all pixels of ``size``, (N, C, *), to."""
    t = wide(theta)
    base = _base_grid(tuple(size)[2:], align_corners, t.dtype)
    return np.matmul(base, t.swapaxes(1, 2)).reshape(len(t), *size[2:], t.shape[1]).astype(theta.dtype, copy=False)


@op(function=False, out=False)
def _from_affine_grid(grad: Array, size, align_corners):
    """The gradient of ``affine_grid_generator`` for its matrices."""
    g = wide(grad)
    base = _base_grid(tuple(size)[2:], align_corners, g.dtype)
    return np.matmul(g.reshape(g.shape[0], len(base), g.shape[-1]).swapaxes(1, 2), base).astype(grad.dtype, copy=False)


affine_grid_generator.derivative(theta=lambda g, size, align_corners: both._from_affine_grid(g, size, align_corners))
_from_affine_grid.derivative(grad=lambda g, size, align_corners: both.affine_grid_generator(g, size, align_corners))


@composite(space="nn.functional")
def affine_grid(theta, size, align_corners=None):
    """The grid for ``grid_sample`` that shows an image of ``size`` under affine maps.

    ``theta``: (N, 2, 3) with ``size`` (N, C, H, W), giving (N, H, W, 2); or (N, 3, 4) with (N, C, D, H, W), giving
    (N, D, H, W, 3). Raises ValueError for matrices of another shape and sizes that are not positive.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.affine_grid(torch.eye(2, 3)[None], (1, 1, 1, 2), align_corners=True)
        tensor([[[[-1.,  0.],
                  [ 1.,  0.]]]])
    """
    if align_corners is None:
        warnings.warn("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
                      "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
                      "details.", stacklevel=3)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got "
                                  f"size {size}.")
    n = len(size) - 2
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (n, n + 1):
        raise ValueError(f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. Got "
                         f"{theta.shape}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator(theta, tuple(size), align_corners)
