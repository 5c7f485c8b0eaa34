"""Padding in all its modes."""
import copy

from ..kernels import padding as kernels
from .call import invoke
from .declare import Array, both, composite, op
from .tie import tied


@op(out=False)
def constant_pad_nd(input: Array, pad, value=0):
    """``input`` with ``pad`` = (before, after) of the last dimension, then of the one before it, and so on.

    Negative numbers cut off. RuntimeError where nothing of a dimension would be left to cut.
    """
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) // 2 > input.ndim:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the "
                           "input. Pad length is "
                           f"{len(pad)} while the input has {input.ndim} dimensions.")
    pads = [(0, 0)] * (input.ndim - len(pad) // 2) + [
        (pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)
    ]
    for n, (before, after) in zip(input.shape, pads):
        if n + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.\nThe padding cuts off more than there "
                               "is.")
        if n + before + after < 0:
            raise RuntimeError(f"The input size {n}, plus negative padding {before} and {after} resulted in "
                               "a negative output "
                               "size, which is invalid.")
    return kernels.constant(input, pads, value)


constant_pad_nd.derivative(input=lambda g, pad: both.constant_pad_nd(g, [-p for p in pad], 0))


@op(function=False, out=False)
def _pad_by_index(input: Array, chosen):
    """The last dimensions of ``input`` at the given indices."""
    return kernels.take(input, chosen)


@op(function=False, out=False)
def _unpad_by_index(grad: Array, chosen, sizes):
    """The gradient of ``_pad_by_index``."""
    return kernels.give(grad, chosen, sizes)


_pad_by_index.derivative(input=lambda g, input, chosen, input_shape: tied(both._unpad_by_index(
    g, chosen, tuple(input_shape[len(input_shape) - len(chosen):])), input))
_unpad_by_index.derivative(grad=lambda g, chosen: both._pad_by_index(g, chosen))


def _named(name):
    made = copy.copy(_pad_by_index)
    made.grad_name, made.plans = name, {}
    return made


NODES = {
    (mode, n): _named(f"{title}Pad{n}DBackward0")
    for mode, title in (("reflect", "Reflection"), ("replicate", "Replication"))
    for n in (1, 2, 3)
}
NODES |= {("circular", n): _named("torch::autograd::CopySlices") for n in (1, 2, 3)}


def _check_size(input, n, mode):
    wrong = input.ndim not in (n + 1, n + 2) or 0 in input.shape[-n - 1 if mode != "circular" else -n:]
    if input.ndim not in (n + 1, n + 2):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for "
                                  "now"
                                  f"\nThe last {n} dimensions of {n + 1} or {n + 2} can be padded.")
    if wrong:
        raise RuntimeError(f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with possibly 0 batch size "
                           "and other non-zero "
                           f"dimensions for input, but got: {list(input.shape)}")


@composite(space="nn.functional", name="pad")
def pad(input, pad, mode="constant", value=None):
    """``input`` with more elements on its edges.

    ``pad``: (before, after) of the last dimension, then of the one before it, and so on; negative numbers cut
    off. ``mode``: ``constant`` (filled with ``value``, 0 by default), ``reflect`` (mirrored without the
    edge), ``replicate`` (the edge repeated) or ``circular`` (from the other end); the last three pad the last
    1, 2 or 3 dimensions of an input with one or two more.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.pad(torch.tensor([1., 2.]), (1, 1))
        tensor([0., 1., 2., 0.])
    """
    pad = [int(p) for p in pad]
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2\nGive a number before and one after for "
                           "each dimension.")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but "
                           "got padding length "
                           f"{len(pad)} and input of dimension {input.ndim}")
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}\nIt is constant, reflect, replicate or "
                                  "circular.")
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    n = len(pad) // 2
    if n not in (1, 2, 3) or input.ndim not in (n + 1, n + 2):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for "
                                  "now"
                                  "\nThe last 1, 2 or 3 dimensions of an input with one or two more can be "
                                  "padded.")
    _check_size(input, n, mode)
    sizes = input._a.shape[input.ndim - n:]
    pairs = [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    for i, (size, (before, after)) in enumerate(zip(sizes, pairs)):
        if mode == "reflect" and max(before, after) >= size:
            at = input.ndim - n + i
            which = {1: 4, 2: 4, 3: 4}[n] + 2 * (n - 1 - i)
            raise RuntimeError(f"Argument #{which}: Padding size should be less than the corresponding input "
                               "dimension, but got: "
                               f"padding ({before}, {after}) at dimension {at} of input {list(input.shape)}")
        if mode == "circular" and max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if mode == "circular" and size + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        if size + before + after < 1:
            raise RuntimeError(f"input (W: {size}) is too small. Calculated output W: "
                               f"{size + before + after}")
    chosen = tuple(kernels.sources(size, before, after, mode) for size, (before, after) in zip(sizes, pairs))
    return invoke(NODES[mode, n], (input, chosen))


