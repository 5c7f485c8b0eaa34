"""One step of a recurrent network: ``rnn_tanh_cell``, ``rnn_relu_cell``, ``lstm_cell``, ``gru_cell``.

Each is one operator where PyTorch composes five to fifteen. The first two are called in loops of small steps,
so their short way is written by hand; their rule is one formula for all orders.
"""
import numpy as np

from ..autograd import modes
from ..kernels.errors import refuse, scalar_name
from ..kernels.recurrent import gates_of, wide
from ..tensor import wrap
from .again import again, recorded
from .call import invoke
from .declare import Array, OptionalArray, both, composite, op
from .functional_form import F32, F64, by_hand, edge_of, remember
from .recurrent import _gru_step, _lstm_step, _narrow

__all__ = []

state = modes.state


def check_cell(input, hx, w_ih, w_hh):
    """PyTorch's errors for shapes that do not fit; ``hx``: all states."""
    hidden = w_hh.shape[1]
    if input.shape[-1] != w_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {w_ih.shape[1]}")
    for i, h in enumerate(hx):
        if h.shape[-1] != hidden:
            raise RuntimeError(f"hidden{i if len(hx) > 1 else 0} has inconsistent hidden_size: got {h.shape[-1]}, "
                               f"expected {hidden}")
        if h.shape[0] != input.shape[0]:
            raise RuntimeError(f"Input batch size {input.shape[0]} doesn't match hidden{i if len(hx) > 1 else 0} batch size "
                               f"{h.shape[0]}")
    for a, w in ((input, w_ih), *((h, w_hh) for h in hx)):
        if a.dtype != w.dtype:
            raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {scalar_name(a.dtype)} and "
                               f"{scalar_name(w.dtype)}\nConvert one of them with .to(dtype).")
    if input.dtype.kind in "biu":
        raise refuse("addmm_impl_cpu_", input.dtype)


def _preactivation(input, hx, w_ih, w_hh, b_ih, b_hh):
    r = input.dot(w_ih.T)
    r += hx.dot(w_hh.T)
    if b_ih is not None:
        r += b_ih
    if b_hh is not None:
        r += b_hh
    return r


def _simple(input, hx, w_ih, w_hh, b_ih, b_hh, finish):
    check_cell(input, (hx,), w_ih, w_hh)
    r = _preactivation(*map(wide, (input, hx, w_ih, w_hh, b_ih, b_hh)))
    return finish(r).astype(input.dtype, copy=False)


@op(out=False, grad_name="TanhBackward0")
def rnn_tanh_cell(
    input: Array, hx: Array, w_ih: Array, w_hh: Array, b_ih: OptionalArray = None, b_hh: OptionalArray = None
):
    """``tanh(input w_ih^T + b_ih + hx w_hh^T + b_hh)``, one step of an Elman network.

    ``input``: (B, I); ``hx``: (B, H); ``w_ih``: (H, I); ``w_hh``: (H, H). RuntimeError for shapes that do not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.rnn_tanh_cell(torch.ones(1, 2), torch.zeros(1, 1), torch.ones(1, 2), torch.ones(1, 1))
        tensor([[0.9640]])
    """
    return _simple(input, hx, w_ih, w_hh, b_ih, b_hh, np.tanh)


@op(out=False, grad_name="ReluBackward0")
def rnn_relu_cell(
    input: Array, hx: Array, w_ih: Array, w_hh: Array, b_ih: OptionalArray = None, b_hh: OptionalArray = None
):
    """``rnn_tanh_cell`` with ``relu`` in the place of ``tanh``."""
    return _simple(input, hx, w_ih, w_hh, b_ih, b_hh, lambda r: np.maximum(r, 0))


def _to_all(d, input, hx, w_ih, w_hh, needs):
    """The gradients that follow from that of the activation's argument."""
    transposed = d.T if needs[2] or needs[3] else None
    bias = d.sum(0) if needs[4] or needs[5] else None
    return (d @ w_ih if needs[0] else None, d @ w_hh if needs[1] else None,
            transposed @ input if needs[2] else None, transposed @ hx if needs[3] else None,
            bias if needs[4] else None, bias if needs[5] else None)


@rnn_tanh_cell.derivatives
def _tanh_rule(g, input, hx, w_ih, w_hh, out, needs):
    return _to_all(g * (1 - out * out), input, hx, w_ih, w_hh, needs)


@rnn_relu_cell.derivatives
def _relu_rule(g, input, hx, w_ih, w_hh, out, needs):
    return _to_all(both.where(out > 0, g, g * 0), input, hx, w_ih, w_hh, needs)


def _short(op, finish):
    """The short way of a simple cell: equal floating dtypes, no modes."""
    def cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        if modes.plain:
            try:
                x, h, w, u = input._a, hx._a, w_ih._a, w_hh._a
                d = x.dtype
                if (d is F32 or d is F64) and h.dtype is d and w.dtype is d and u.dtype is d and x.ndim == 2 \
                        and h.ndim == 2 and w.ndim == 2 and u.ndim == 2 and len(x) == len(h):
                    r = x.dot(w.T)
                    r += h.dot(u.T)
                    if b_ih is not None:
                        r += b_ih._a
                    if b_hh is not None:
                        r += b_hh._a
                    finish(r)
                    t = wrap(r)
                    if state.grad and (w_ih._rg or w_hh._rg or hx._rg or input._rg):
                        edges = (edge_of(input), edge_of(hx), edge_of(w_ih), edge_of(w_hh),
                                 None if b_ih is None else edge_of(b_ih), None if b_hh is None else edge_of(b_hh))
                        mask = tuple(e is not None for e in edges)
                        if True in mask:
                            c0, c1, c2, c3 = input._cell(), hx._cell(), w_ih._cell(), w_hh._cell()
                            c4 = t._ver = [0]
                            remember(t, op.plan(mask), edges, (x, h, w, u, r),
                                     (c0, c0[0], c1, c1[0], c2, c2[0], c3, c3[0], c4, 0))
                    return t
            except (AttributeError, TypeError, ValueError, ArithmeticError, IndexError):
                pass      # the long way knows what to say
        return invoke(op, (input, hx, w_ih, w_hh, b_ih, b_hh))
    return cell


_tanh, _maximum = np.tanh, np.maximum


def _tanh_in_place(r):
    _tanh(r, r)


def _relu_in_place(r):
    _maximum(r, 0, out=r)


by_hand(rnn_tanh_cell)(_short(rnn_tanh_cell, _tanh_in_place))
by_hand(rnn_relu_cell)(_short(rnn_relu_cell, _relu_in_place))


# ---------------------------------------------------------------- LSTM

@op(function=False, out=False, multiple=True, extras=("gates",), grad_name="MulBackward0")
def lstm_step(
    input: Array, h: Array, c: Array, w_ih: Array, w_hh: Array, b_ih: OptionalArray, b_hh: OptionalArray
):
    """(hidden state, cell state) after one step."""
    check_cell(input, (h, c), w_ih, w_hh)
    dtype, hidden = input.dtype, w_hh.shape[1]
    a = gates_of(_preactivation(*map(wide, (input, h, w_ih, w_hh, b_ih, b_hh))), hidden)
    cell = a[:, hidden:2 * hidden] * wide(c)
    cell += a[:, :hidden] * a[:, 2 * hidden:3 * hidden]
    made = np.tanh(cell)
    made *= a[:, 3 * hidden:]
    return (made.astype(dtype, copy=False), cell.astype(dtype, copy=False)), {"gates": a}


@lstm_step.derivatives
def _lstm_step_rule(g0, g1, input, h, c, w_ih, w_hh, b_ih, b_hh, out1, gates, needs):
    inputs = input, h, c, w_ih, w_hh, b_ih, b_hh
    if recorded(g0, g1, *inputs):
        return again(_lstm_step, inputs, needs, (g0, g1))
    hidden, curved = c.shape[1], np.tanh(wide(out1))
    i, f, g, o = (gates[:, k * hidden:(k + 1) * hidden] for k in range(4))
    cell = np.zeros_like(curved) if g1 is None else np.array(wide(g1))
    d = gates * (1 - gates)
    if g0 is None:
        d[:, 3 * hidden:] = 0
    else:
        g0 = wide(g0)
        cell += g0 * o * (1 - curved * curved)
        d[:, 3 * hidden:] *= g0 * curved
    d[:, :hidden] *= cell * g
    d[:, hidden:2 * hidden] *= cell * wide(c)
    np.multiply(cell * i, 1 - g * g, out=d[:, 2 * hidden:3 * hidden])
    x_, h_, w_ih_, w_hh_, w, u = _to_all(d, wide(input), wide(h), wide(w_ih), wide(w_hh), (*needs[:2], *needs[3:]))
    return _narrow((x_, h_, cell * f if needs[2] else None, w_ih_, w_hh_, w, u), inputs)


@composite
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a long short-term memory; ``hx``: (h, c), both (B, H). Returns the next (h, c).

    Example::

        >>> import rushlight as torch
        >>> h, c = torch.lstm_cell(torch.ones(1, 1), (torch.zeros(1, 1),) * 2, torch.ones(4, 1), torch.ones(4, 1))
        >>> c
        tensor([[0.5568]])
    """
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    return lstm_step(input, hx[0], hx[1], w_ih, w_hh, b_ih, b_hh)


# ---------------------------------------------------------------- GRU

@op(out=False, extras=("gates", "share"), grad_name="AddBackward0")
def gru_cell(
    input: Array, hx: Array, w_ih: Array, w_hh: Array, b_ih: OptionalArray = None, b_hh: OptionalArray = None
):
    """One step of a gated recurrent unit; shapes as ``rnn_tanh_cell``'s, with 3 H rows in the weights.

    Example::

        >>> import rushlight as torch
        >>> torch.gru_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(3, 1), torch.ones(3, 1))
        tensor([[0.2048]])
    """
    check_cell(input, (hx,), w_ih, w_hh)
    dtype, hidden = input.dtype, w_hh.shape[1]
    h = wide(hx)
    a = wide(input) @ wide(w_ih).T
    product = h @ wide(w_hh).T
    if b_ih is not None:
        a += wide(b_ih)
    if b_hh is not None:
        product += wide(b_hh)
    sigmoids, new, share = a[:, :2 * hidden], a[:, 2 * hidden:], product[:, 2 * hidden:]
    sigmoids += product[:, :2 * hidden]
    sigmoids *= 0.5
    np.tanh(sigmoids, out=sigmoids)
    sigmoids *= 0.5
    sigmoids += 0.5
    new += sigmoids[:, :hidden] * share
    np.tanh(new, out=new)
    made = h - new
    made *= sigmoids[:, hidden:]
    made += new
    return made.astype(dtype, copy=False), {"gates": a, "share": np.ascontiguousarray(share)}


@gru_cell.derivatives
def _gru_cell_rule(g, input, hx, w_ih, w_hh, b_ih, b_hh, gates, share, needs):
    inputs = input, hx, w_ih, w_hh, b_ih, b_hh
    if recorded(g, *inputs):
        return again(_gru_step, inputs, needs, (g,))
    g, h, hidden = wide(g), wide(hx), hx.shape[1]
    r, z, n = (gates[:, k * hidden:(k + 1) * hidden] for k in range(3))
    to_input = np.empty_like(gates)
    new = g * (1 - z) * (1 - n * n)
    to_input[:, 2 * hidden:] = new
    to_input[:, :hidden] = new * share * r * (1 - r)
    to_input[:, hidden:2 * hidden] = g * (h - n) * z * (1 - z)
    to_state = to_input.copy()
    to_state[:, 2 * hidden:] *= r
    made = (to_input @ wide(w_ih) if needs[0] else None, g * z + to_state @ wide(w_hh) if needs[1] else None,
            to_input.T @ wide(input) if needs[2] else None, to_state.T @ h if needs[3] else None,
            to_input.sum(0) if needs[4] else None, to_state.sum(0) if needs[5] else None)
    return _narrow(made, inputs)
