"""Dropouts. What is dropped comes from the default generator, bit for bit as in PyTorch."""
import warnings

from ..kernels import random_discrete as draw
from ..kernels.errors import refuse, scalar_name
from ..kernels.memory import empty_like, ordered_like
from ..kernels.random import drawn_like, memory_order
from ..random import engine_of
from .declare import Array, composite, op
from .table import namespaces

F = namespaces["nn.functional"]
T = namespaces["torch"]


def _refuse_integers(x, p):
    """Dropout multiplies by a floating noise, which an integer result cannot take."""
    if x.dtype.kind in "iub" and 0 < p < 1:
        raise RuntimeError("result type Float can't be cast to the desired output type "
                           f"{scalar_name(x.dtype)}"
                           "\nConvert the input to a floating dtype.")
    if x.dtype.kind == "c" and 0 < p < 1:
        raise refuse("bernoulli_scalar_cpu_", x.dtype)


def _in_order(made, input):
    """The result in the input's order in memory; a 0-d one is a number here."""
    return made if input.flags.c_contiguous else ordered_like(made, input)


@op(function=False, out=False, name="_dropout", extras=("noise",), inplace=True, grad_name="MulBackward0")
def _dropout(input: Array, p, per_feature=False):
    """``dropout`` in training: each element (or each feature) is zeroed with probability ``p``, the rest
    scaled up."""
    _refuse_integers(input, p)
    if per_feature:
        noise = draw.dropout_noise(engine_of(None), draw.feature_shape(input.shape), input.dtype, p)
    else:
        noise = drawn_like(input, lambda shape: draw.dropout_noise(engine_of(None), shape, input.dtype, p))
    return _in_order(input * noise, input), {"noise": noise}


_dropout.derivative(input=lambda g, noise: g * noise)


@op(
    function=False,
    out=False,
    name="_alpha_dropout",
    extras=("factor",),
    inplace=True,
    grad_name="AddBackward0",
)
def _alpha_dropout(input: Array, p, per_feature=False):
    """``alpha_dropout`` in training: dropped elements go to the negative saturation, mean and variance
    stay."""
    _refuse_integers(input, p)
    if per_feature or input.flags.c_contiguous:
        shape = draw.feature_shape(input.shape) if per_feature else input.shape
        factor, addend = draw.alpha_dropout_noise(engine_of(None), shape, input.dtype, p)
        return _in_order(input * factor + addend, input), {"factor": factor}
    factor, addend = empty_like(input), empty_like(input)
    ordered = memory_order(factor)
    ordered[...], memory_order(addend)[...] = draw.alpha_dropout_noise(
        engine_of(None), ordered.shape, input.dtype, p)
    return _in_order(input * factor + addend, input), {"factor": factor}


_alpha_dropout.derivative(input=lambda g, factor: g * factor)

CHECKED = "dropout probability has to be between 0 and 1, but got {}"


def _torch_form(name, op, per_feature):
    """``torch.<name>(input, p, train)`` and its in-place twin."""
    def function(input, p, train):
        if p < 0 or p > 1:
            raise RuntimeError(CHECKED.format(f"{p:g}"))
        if not train or p == 0 or not input.numel():
            return input
        return op(input, p, per_feature) if per_feature else op(input, p)

    def twin(input, p, train):
        if p < 0 or p > 1:
            raise RuntimeError(CHECKED.format(f"{p:g}"))
        if not train or p == 0 or not input.numel():
            return input
        return op.inplace_public(input, p, per_feature)
    function.__name__, twin.__name__ = name, name + "_"
    function.__doc__ = f"``nn.functional.{name}`` with ``p`` and ``train`` given."
    twin.__doc__ = f"In-place version of ``{name}``."
    composite(function)
    T[name + "_"] = twin
    return T[name], twin


def _functional_form(name, torch_name, default_training, doc):
    function, twin = FORMS[torch_name]

    def form(input, p=0.5, training=default_training, inplace=False):
        if p < 0.0 or p > 1.0:
            raise ValueError(CHECKED.format(p))
        return (twin if inplace else function)(input, p, training)
    form.__name__ = name
    form.__doc__ = doc
    composite(form, space="nn.functional")


FORMS = {name: _torch_form(name, op, per_feature) for name, op, per_feature in (
    ("dropout", _dropout, False), ("feature_dropout", _dropout, True),
    ("alpha_dropout", _alpha_dropout, False), ("feature_alpha_dropout", _alpha_dropout, True))}

_functional_form(
    "dropout",
    "dropout",
    True,
    """In training, zero each element with probability ``p`` and scale the rest by
``1 / (1 - p)``; otherwise return ``input`` (Hinton and others 2012).

ValueError unless ``0 <= p <= 1``.

Example::

    >>> import rushlight as torch
    >>> torch.nn.functional.dropout(torch.tensor([1., 2.]), training=False)
    tensor([1., 2.])
""",
)
_functional_form("alpha_dropout", "alpha_dropout", False,
                 "Dropout that keeps the mean and variance that ``selu`` makes (Klambauer and others 2017).")
_functional_form("feature_alpha_dropout", "feature_alpha_dropout", False,
                 "``alpha_dropout`` of whole channels: dimension 1 of a batch.")


def _by_channel(name, dims, unbatched):
    function, twin = FORMS["feature_dropout"]

    def form(input, p=0.5, training=True, inplace=False):
        if p < 0.0 or p > 1.0:
            raise ValueError(CHECKED.format(p))
        batched = _check_dims(name, input.ndim, dims, unbatched)
        if not batched:
            input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
        result = (twin if inplace else function)(input, p, training)
        if not batched:
            result = result.squeeze_(0) if inplace else result.squeeze(0)
        return result
    form.__name__ = name
    form.__doc__ = (
        f"Dropout of whole channels; the input has {dims} dimensions, or {dims - 1} without a batch."
    )
    composite(form, space="nn.functional")


def _check_dims(name, ndim, dims, unbatched):
    """Whether the input has a batch dimension; warns or raises where its number of dimensions is odd, as
    PyTorch does."""
    if name == "dropout1d" and ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that "
                           "dropout1d exists to "
                           "provide channel-wise dropout on inputs with 1 spatial dimension, a channel "
                           "dimension, and an "
                           "optional batch dimension (i.e. 2D or 3D inputs).")
    if name != "dropout1d" and ndim not in (dims - 1, dims):
        spatial = dims - 2
        warnings.warn(f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in "
                      "an error in a "
                      "future release. To retain the behavior and silence this warning, please use dropout "
                      "instead. Note "
                      f"that {name} exists to provide channel-wise dropout on inputs with {spatial} spatial "
                      "dimensions, a "
                      f"channel dimension, and an optional batch dimension (i.e. {dims - 1}D or {dims}D "
                      "inputs).",
                      stacklevel=4)
    if name == "dropout2d":
        if ndim == 3:
            warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D "
                          "dropout behavior is "
                          "desired - input is interpreted as shape (N, C, L), where C is the channel dim. "
                          "This behavior "
                          "will change in a future release to interpret the input as one without a batch "
                          "dimension, i.e. "
                          "shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please switch "
                          "to using "
                          "dropout1d instead.", stacklevel=4)
        return True
    return ndim != unbatched


_by_channel("dropout1d", 3, 2)
_by_channel("dropout2d", 4, None)
_by_channel("dropout3d", 5, 4)
