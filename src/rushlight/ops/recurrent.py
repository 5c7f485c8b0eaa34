"""Recurrent layers: ``rnn_tanh``, ``rnn_relu``, ``lstm``, ``gru``, and one step of each, the cells.

One direction of one layer is one operator; its loops are in ``kernels.recurrent``. What is around it is composed:
layers, directions, the dropout between layers. The second derivative of a layer goes through its composition
(`again`), which the functions ``*_steps`` below spell out.

The equations are those of Elman (1990), Hochreiter and Schmidhuber (1997) with the projection of Sak and others
(2014), and Cho and others (2014) with the reset gate behind the product, as in cuDNN.
"""
import copy
import functools

from ..kernels import recurrent as kernels
from ..kernels.recurrent import wide
from ..tensor import Tensor
from .again import again, recorded
from .call import invoke
from .declare import Array, OptionalArray, composite, op
from .late import F, torch
from .shape import transpose

__all__ = ["rnn_layer", "lstm_layer", "gru_layer"]

# PyTorch swaps the two dimensions back in place, except for an LSTM; that names the node.
_SWAPPED = copy.copy(transpose)
_SWAPPED.grad_name, _SWAPPED.plans = "TransposeBackward1", {}


def _flat(x, sizes):
    """(the rows of all times, how many there are of each)."""
    if sizes is not None:
        return x, sizes
    return x.reshape(-1, x.shape[-1]), [x.shape[1]] * x.shape[0]


def _like(array, shape, dtype):
    array = array.reshape(shape)
    return array if array.dtype == dtype else array.astype(dtype)


def _narrow(gradients, inputs):
    """Gradients in the dtypes and shapes of their inputs."""
    return tuple(None if g is None or x is None else _like(g, x.shape, x.dtype) for g, x in zip(gradients, inputs))


def _made_by(name, sizes_at):
    """The name of a layer's node: what PyTorch joins the steps with, which is ``cat`` for packed rows."""
    return lambda *values: name if values[sizes_at] is None else "CatBackward0"


# ---------------------------------------------------------------- composed

def _rows(sizes, x, reverse):
    """(time or first row, end, sequences) of each step in order; and how to take a step's rows."""
    if sizes is None:
        steps = [(t, t + 1, x.shape[1]) for t in range(x.shape[0])]
        return steps[::-1] if reverse else steps
    return kernels.spans(sizes, reverse)


def _steps(x, states, sizes, reverse, step):
    """Run ``step(rows of x, states) -> (output, states)`` over time; (outputs, *last states)."""
    plain = sizes is None
    outputs = []
    for a, b, n in _rows(sizes, x, reverse):
        now = x[a] if plain else x[a:b]
        part = states if plain or n == states[0].shape[0] else [s[:n] for s in states]
        out, new = step(now, part)
        states = new if part is states else [torch.cat([m, s[n:]]) for m, s in zip(new, states)]
        outputs.append(out)
    if reverse:
        outputs.reverse()
    made = torch.stack(outputs) if plain else torch.cat(outputs)
    return (made, *states)


def _rnn_step(x, h, w_ih, w_hh, b_ih, b_hh, relu):
    made = F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh)
    return made.relu() if relu else made.tanh()


def _lstm_step(x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr=None):
    i, f, g, o = (F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh)).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return (h if w_hr is None else F.linear(h, w_hr)), c


def _gru_step(x, h, w_ih, w_hh, b_ih, b_hh):
    xr, xz, xn = F.linear(x, w_ih, b_ih).chunk(3, -1)
    hr, hz, hn = F.linear(h, w_hh, b_hh).chunk(3, -1)
    z = (xz + hz).sigmoid()
    n = (xn + (xr + hr).sigmoid() * hn).tanh()
    return n + z * (h - n)


def rnn_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse, relu):
    """A layer of ``rnn_layer`` over operators."""
    def step(now, states):
        h = _rnn_step(now, states[0], w_ih, w_hh, b_ih, b_hh, relu)
        return h, [h]
    return _steps(x, [h0], sizes, reverse, step)


def lstm_steps(x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, reverse):
    """A layer of ``lstm_layer`` over operators."""
    def step(now, states):
        h, c = _lstm_step(now, *states, w_ih, w_hh, b_ih, b_hh, w_hr)
        return h, [h, c]
    return _steps(x, [h0, c0], sizes, reverse, step)


def gru_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse):
    """A layer of ``gru_layer`` over operators."""
    def step(now, states):
        h = _gru_step(now, states[0], w_ih, w_hh, b_ih, b_hh)
        return h, [h]
    return _steps(x, [h0], sizes, reverse, step)


# ---------------------------------------------------------------- one direction of one layer

@op(function=False, out=False, multiple=True, grad_name=_made_by("StackBackward0", 6))
def rnn_layer(
    input: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: OptionalArray, b_hh: OptionalArray, sizes, reverse, relu
):
    """(outputs, last state) of ``h = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or of its ``relu``."""
    dtype, (x, sizes), shape = input.dtype, _flat(input, sizes), input.shape
    out, h = kernels.rnn_forward(wide(x), wide(h0), wide(w_ih), wide(w_hh), wide(b_ih), wide(b_hh), sizes, reverse, relu)
    return _like(out, (*shape[:-1], h0.shape[-1]), dtype), _like(h, h0.shape, dtype)


@rnn_layer.derivatives
def _rnn_rule(g0, g1, input, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse, relu, out0, needs):
    inputs = input, h0, w_ih, w_hh, b_ih, b_hh
    if recorded(g0, g1, *inputs):
        return again(functools.partial(rnn_steps, sizes=sizes, reverse=reverse, relu=relu), inputs, needs, (g0, g1))
    x, sizes = _flat(input, sizes)
    g0 = g0 if g0 is None else wide(_flat(g0, None)[0] if g0.ndim == 3 else g0)
    out = wide(out0.reshape(-1, out0.shape[-1]))
    made = kernels.rnn_backward(g0, wide(g1), wide(x), wide(h0), wide(w_ih), wide(w_hh), sizes, reverse, relu, out, needs)
    return _narrow(made, inputs)


@op(function=False, out=False, multiple=True, extras=("gates", "cells"),
    grad_name=_made_by("MkldnnRnnLayerBackward0", 8))
def lstm_layer(
    input: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: OptionalArray, b_hh: OptionalArray,
    w_hr: OptionalArray, sizes, reverse
):
    """(outputs, last hidden state, last cell state) of a long short-term memory."""
    dtype, (x, sizes), shape = input.dtype, _flat(input, sizes), input.shape
    out, h, c, gates, cells = kernels.lstm_forward(
        wide(x), wide(h0), wide(c0), wide(w_ih), wide(w_hh), wide(b_ih), wide(b_hh), wide(w_hr), sizes, reverse)
    made = _like(out, (*shape[:-1], h0.shape[-1]), dtype), _like(h, h0.shape, dtype), _like(c, c0.shape, dtype)
    return made, {"gates": gates, "cells": cells}


@lstm_layer.derivatives
def _lstm_rule(
    g0, g1, g2, input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, reverse, out0, gates, cells, needs
):
    inputs = input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr
    if recorded(g0, g1, g2, *inputs):
        return again(functools.partial(lstm_steps, sizes=sizes, reverse=reverse), inputs, needs, (g0, g1, g2))
    x, sizes = _flat(input, sizes)
    g0 = g0 if g0 is None else wide(_flat(g0, None)[0] if g0.ndim == 3 else g0)
    out = wide(out0.reshape(-1, out0.shape[-1]))
    made = kernels.lstm_backward(g0, wide(g1), wide(g2), wide(x), wide(h0), wide(c0), wide(w_ih), wide(w_hh), wide(w_hr),
                                 sizes, reverse, out, gates, cells, needs)
    return _narrow(made, inputs)


@op(function=False, out=False, multiple=True, extras=("gates", "shares"),
    grad_name=_made_by("StackBackward0", 6))
def gru_layer(
    input: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: OptionalArray, b_hh: OptionalArray, sizes, reverse
):
    """(outputs, last state) of a gated recurrent unit."""
    dtype, (x, sizes), shape = input.dtype, _flat(input, sizes), input.shape
    out, h, gates, shares = kernels.gru_forward(wide(x), wide(h0), wide(w_ih), wide(w_hh), wide(b_ih), wide(b_hh),
                                                 sizes, reverse)
    made = _like(out, (*shape[:-1], h0.shape[-1]), dtype), _like(h, h0.shape, dtype)
    return made, {"gates": gates, "shares": shares}


@gru_layer.derivatives
def _gru_rule(g0, g1, input, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse, out0, gates, shares, needs):
    inputs = input, h0, w_ih, w_hh, b_ih, b_hh
    if recorded(g0, g1, *inputs):
        return again(functools.partial(gru_steps, sizes=sizes, reverse=reverse), inputs, needs, (g0, g1))
    x, sizes = _flat(input, sizes)
    g0 = g0 if g0 is None else wide(_flat(g0, None)[0] if g0.ndim == 3 else g0)
    out = wide(out0.reshape(-1, out0.shape[-1]))
    made = kernels.gru_backward(g0, wide(g1), wide(x), wide(h0), wide(w_ih), wide(w_hh), sizes, reverse, out, gates,
                                shares, needs)
    return _narrow(made, inputs)


# ---------------------------------------------------------------- layers and directions

_PACKED = ("data", "batch_sizes", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")
_PADDED = ("input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first")


def _arguments(name, args, kwargs):
    """The call by name; a packed one is told by its fourth argument, which is no flag but the weights."""
    packed = "batch_sizes" in kwargs or len(args) > 3 and not isinstance(args[3], bool) \
        or len(args) == 3 and "params" in kwargs
    names = _PACKED if packed else _PADDED
    values = dict(zip(names, args), **kwargs)
    missing = [n for n in names if n not in values]
    if missing or len(values) > len(names) or len(args) > len(names):
        raise TypeError(f"{name}() received an invalid combination of arguments\nIt takes ({', '.join(_PADDED)}), or for "
                        f"packed sequences ({', '.join(_PACKED)}).")
    return values, packed


def _per_layer(params, has_biases, projected):
    """The list of weights cut into (w_ih, w_hh, b_ih, b_hh, w_hr), one for each direction of each layer."""
    count = 2 + 2 * has_biases + projected
    cut = []
    for i in range(0, len(params), count):
        group = list(params[i:i + count])
        w_hr = group.pop() if projected else None
        cut.append((*group, *([] if has_biases else [None, None]), w_hr))
    return cut


def _layers(name, layer, args, kwargs):
    """Run all layers and directions of a network; (outputs, last states for each state that ``layer`` has)."""
    v, packed = _arguments(name, args, kwargs)
    x = v["data"] if packed else v["input"]
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument '{'data' if packed else 'input'}' (position 1) must be Tensor, not "
                        f"{type(x).__name__}")
    states = [v["hx"]] if isinstance(v["hx"], Tensor) else list(v["hx"])
    if name == "lstm" and len(states) != 2:
        raise RuntimeError("lstm expects two hidden states")
    sizes = [int(n) for n in v["batch_sizes"]._a] if packed else None
    if not packed and v["batch_first"]:
        x = x.transpose(0, 1)
    if not packed and not x.shape[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    directions = 2 if v["bidirectional"] else 1
    projected = name == "lstm" and states[0].shape[-1] != states[1].shape[-1]
    weights = _per_layer(v["params"], v["has_biases"], projected)
    if len(weights) != v["num_layers"] * directions:
        raise RuntimeError(f"Expected {v['num_layers'] * directions} groups of weights, got {len(weights)}"
                           "\nOne for each direction of each layer.")
    last = [[] for _ in states]
    for k in range(v["num_layers"]):
        if k and v["dropout"] > 0 and v["train"]:
            x = F.dropout(x, v["dropout"], True)
        outputs = []
        for d in range(directions):
            at = k * directions + d
            out, *ends = layer(x, [s[at] for s in states], weights[at], sizes, d == 1)
            outputs.append(out)
            for column, end in zip(last, ends):
                column.append(end)
        x = outputs[0] if directions == 1 else torch.cat(outputs, -1)
    if not packed and v["batch_first"]:
        x = x.transpose(0, 1) if name == "lstm" else invoke(_SWAPPED, (x, 0, 1))
    return (x, *(torch.stack(column) for column in last))


@composite
def lstm(*args, **kwargs):
    """A long short-term memory of several layers (Hochreiter and Schmidhuber 1997).

    ``lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)`` for ``input``
    (T, B, I), or ``lstm(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)`` for
    packed rows. ``hx``: (h, c), each (layers * directions, B, H); ``params``: the flat list of weights. Returns
    (outputs, h, c). `nn.LSTM` calls it.
    """
    def layer(x, states, weights, sizes, reverse):
        return lstm_layer(x, *states, *weights, sizes, reverse)
    return _layers("lstm", layer, args, kwargs)


@composite
def gru(*args, **kwargs):
    """A gated recurrent unit of several layers (Cho and others 2014); arguments as ``lstm``'s, with one state.

    Returns (outputs, h). `nn.GRU` calls it.
    """
    def layer(x, states, weights, sizes, reverse):
        return gru_layer(x, *states, *weights[:4], sizes, reverse)
    return _layers("gru", layer, args, kwargs)


@composite
def rnn_tanh(*args, **kwargs):
    """Elman's recurrent network (1990) of several layers; arguments as ``lstm``'s, with one state.

    Returns (outputs, h). `nn.RNN` calls it.
    """
    def layer(x, states, weights, sizes, reverse):
        return rnn_layer(x, *states, *weights[:4], sizes, reverse, False)
    return _layers("rnn_tanh", layer, args, kwargs)


@composite
def rnn_relu(*args, **kwargs):
    """``rnn_tanh`` with ``relu`` in the place of ``tanh``."""
    def layer(x, states, weights, sizes, reverse):
        return rnn_layer(x, *states, *weights[:4], sizes, reverse, True)
    return _layers("rnn_relu", layer, args, kwargs)
