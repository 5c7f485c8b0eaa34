"""Recurrent layers on arrays: one direction of one layer, forward over time and backward through time.

Sequences lie flat, one row for each (time, sequence) pair, as a packed sequence does: ``sizes[t]`` says how many
of the sequences, sorted by length, still run at time t. A batch of equal lengths is the case of equal sizes. The
state is a buffer with one row for each sequence, of which a step reads and writes the first ``sizes[t]`` rows.
Going forward, the rows of ended sequences so keep their last state; going in reverse, the rows of those that have
not begun yet still hold their initial one. Neither direction needs a case of its own.

The product with the input is one matrix product for all times; only the product with the state stays in the loop.
A sigmoid is written as ``(1 + tanh(x / 2)) / 2`` (its half argument folded into the weights), so that all gates of
a step are one call of ``tanh``. Going backward, everything that does not depend on the incoming gradient is
computed for all times at once, and the loop keeps two products and the recurrence itself.
"""
import numpy as np

__all__ = ["wide", "rnn_forward", "rnn_backward", "lstm_forward", "lstm_backward", "gru_forward", "gru_backward",
           "gates_of"]


def wide(array):
    """The array in a type that NumPy computes with: half types in float32."""
    if array is None or array.dtype.itemsize > 2:
        return array
    return array.astype(np.float32)


def spans(sizes, reverse):
    """(first row, last row + 1, sequences) of each step, in the order in which the steps are taken."""
    steps, start = [], 0
    for n in sizes:
        steps.append((start, start + n, n))
        start += n
    return steps[::-1] if reverse else steps


def previous(out, h0, steps):
    """The state before each step, flat as ``out`` is."""
    before = np.empty_like(out)
    state = np.array(h0)
    for a, b, n in steps:
        before[a:b] = state[:n]
        state[:n] = out[a:b]
    return before


def input_product(x, w_ih, b_ih, b_hh):
    """``x w_ih^T + b_ih + b_hh`` for all times."""
    made = x @ w_ih.T
    if b_ih is not None:
        made += b_ih if b_hh is None else b_ih + b_hh
    return made




# ---------------------------------------------------------------- tanh and relu

def rnn_forward(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse, relu):
    """(outputs, last state)."""
    out = input_product(x, w_ih, b_ih, b_hh)
    state = np.array(h0)
    transposed = np.ascontiguousarray(w_hh.T)
    for a, b, n in spans(sizes, reverse):
        now = out[a:b]
        now += state[:n] @ transposed
        if relu:
            np.maximum(now, 0, out=now)
        else:
            np.tanh(now, out=now)
        state[:n] = now
    return out, state


def rnn_backward(g_out, g_state, x, h0, w_ih, w_hh, sizes, reverse, relu, out, needs):
    """Gradients of (x, h0, w_ih, w_hh, b_ih, b_hh)."""
    steps = spans(sizes, reverse)
    d = (out > 0).astype(out.dtype) if relu else 1 - out * out
    rest = np.zeros_like(h0) if g_state is None else np.array(g_state)
    for a, b, n in reversed(steps):
        now = d[a:b]
        arriving = rest[:n]
        if g_out is not None:
            arriving = arriving + g_out[a:b]
        now *= arriving
        np.matmul(now, w_hh, out=rest[:n])
    bias = np.add.reduce(d, 0) if needs[4] or needs[5] else None
    return (d @ w_ih if needs[0] else None, rest, d.T @ x if needs[2] else None,
            d.T @ previous(out, h0, steps) if needs[3] else None, bias, bias)


# ---------------------------------------------------------------- LSTM

def _halves(hidden, dtype):
    """What turns ``tanh(x / 2)`` into a sigmoid, for the gates i, f, g, o: (factor of x and of tanh, shift)."""
    factor = np.full(4 * hidden, 0.5, dtype)
    factor[2 * hidden:3 * hidden] = 1
    return factor, 1 - factor


def gates_of(a, hidden):
    """Activate the rows (i, f, g, o) in place."""
    factor, shift = _halves(hidden, a.dtype)
    a *= factor
    np.tanh(a, out=a)
    a *= factor
    a += shift
    return a


def lstm_forward(x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, reverse):
    """(outputs, last hidden state, last cell state, gates, cell states)."""
    hidden = c0.shape[1]
    gates = input_product(x, w_ih, b_ih, b_hh)
    factor, shift = _halves(hidden, gates.dtype)
    gates *= factor
    transposed = (w_hh * factor[:, None]).T
    transposed = np.ascontiguousarray(transposed)
    cells = np.empty((len(x), hidden), gates.dtype)
    out = np.empty((len(x), h0.shape[1]), gates.dtype)
    h, c = np.array(h0), np.array(c0)
    projection = None if w_hr is None else np.ascontiguousarray(w_hr.T)
    one, two, three = hidden, 2 * hidden, 3 * hidden
    product = np.empty((len(h), 4 * hidden), gates.dtype)
    share, squashed = np.empty_like(c), np.empty_like(c)
    for a, b, n in spans(sizes, reverse):
        now, cell, made = gates[a:b], cells[a:b], out[a:b]
        now += np.matmul(h[:n], transposed, out=product[:n])
        np.tanh(now, out=now)
        now *= factor
        now += shift
        np.multiply(now[:, one:two], c[:n], out=cell)
        cell += np.multiply(now[:, :one], now[:, two:three], out=share[:n])
        c[:n] = cell
        curved = np.tanh(cell, out=squashed[:n])
        if projection is None:
            np.multiply(curved, now[:, three:], out=made)
        else:
            curved *= now[:, three:]
            np.matmul(curved, projection, out=made)
        h[:n] = made
    return out, h, c, gates, cells


def lstm_backward(g_out, g_h, g_c, x, h0, c0, w_ih, w_hh, w_hr, sizes, reverse, out, gates, cells, needs):
    """Gradients of (x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr)."""
    steps = spans(sizes, reverse)
    hidden = c0.shape[1]
    rows = len(x)
    i, f, g, o = (gates[:, k * hidden:(k + 1) * hidden] for k in range(4))
    curved = np.tanh(cells)
    d = np.empty((rows, 4, hidden), gates.dtype)          # factors of dc (i, f, g) and of dh (o), then the gradients
    np.multiply(gates, gates, out=d.reshape(rows, -1))
    np.subtract(gates, d.reshape(rows, -1), out=d.reshape(rows, -1))      # s (1 - s) of the three sigmoids
    d[:, 0] *= g
    d[:, 1] *= previous(cells, c0, steps)
    np.multiply(g, g, out=d[:, 2])
    np.subtract(1, d[:, 2], out=d[:, 2])
    d[:, 2] *= i
    d[:, 3] *= curved
    to_cell = curved * curved
    np.subtract(1, to_cell, out=to_cell)
    to_cell *= o
    projected = None if w_hr is None else np.empty_like(out)
    dh = np.zeros_like(h0) if g_h is None else np.array(g_h)
    dc = np.zeros_like(c0) if g_c is None else np.array(g_c)
    flat = d.reshape(rows, 4 * hidden)
    repeated = np.empty((len(dh), 4, hidden), gates.dtype)      # dc for the gates i, f, g and dh for o, side by side
    for a, b, n in reversed(steps):
        arriving = dh[:n]
        if g_out is not None:
            arriving += g_out[a:b]
        if projected is not None:
            projected[a:b] = arriving
            arriving = arriving @ w_hr
        cell = to_cell[a:b]
        cell *= arriving
        cell += dc[:n]
        part = repeated[:n]
        part[:, :3] = cell[:, None]
        part[:, 3] = arriving
        now = flat[a:b]
        now *= part.reshape(n, 4 * hidden)
        np.multiply(cell, f[a:b], out=dc[:n])
        np.matmul(flat[a:b], w_hh, out=dh[:n])
    bias = np.add.reduce(flat, 0) if needs[5] or needs[6] else None
    return (flat @ w_ih if needs[0] else None, dh, dc, flat.T @ x if needs[3] else None,
            flat.T @ previous(out, h0, steps) if needs[4] else None, bias, bias,
            projected.T @ (o * curved) if projected is not None and needs[7] else None)


# ---------------------------------------------------------------- GRU

def gru_forward(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse):
    """(outputs, last state, gates r, z, n; the state's share of n before its reset)."""
    hidden = h0.shape[1]
    two = 2 * hidden
    gates = input_product(x, w_ih, b_ih, None)
    transposed = np.ascontiguousarray(w_hh.T)
    shares = np.empty((len(x), hidden), gates.dtype)
    out = np.empty((len(x), hidden), gates.dtype)
    h = np.array(h0)
    for a, b, n in spans(sizes, reverse):
        now = gates[a:b]
        product = h[:n] @ transposed
        if b_hh is not None:
            product += b_hh
        sigmoids = now[:, :two]
        sigmoids += product[:, :two]
        sigmoids *= 0.5
        np.tanh(sigmoids, out=sigmoids)
        sigmoids *= 0.5
        sigmoids += 0.5
        share = shares[a:b]
        share[...] = product[:, two:]
        new = now[:, two:]
        new += now[:, :hidden] * share
        np.tanh(new, out=new)
        made = np.subtract(h[:n], new, out=out[a:b])
        made *= now[:, hidden:two]
        made += new
        h[:n] = made
    return out, h, gates, shares


def gru_backward(g_out, g_h, x, h0, w_ih, w_hh, sizes, reverse, out, gates, shares, needs):
    """Gradients of (x, h0, w_ih, w_hh, b_ih, b_hh)."""
    steps = spans(sizes, reverse)
    hidden = h0.shape[1]
    rows, two = len(x), 2 * hidden
    r, z, n = (gates[:, k * hidden:(k + 1) * hidden] for k in range(3))
    before = previous(out, h0, steps)
    new = 1 - n * n                                       # the factor of dh that gives the gradient before tanh
    new *= 1 - z
    d = np.empty((rows, 3, hidden), gates.dtype)          # the same for what the state's product gives
    np.multiply(new, r, out=d[:, 2])
    np.multiply(d[:, 2], shares, out=d[:, 0])
    d[:, 0] *= 1 - r
    np.subtract(before, n, out=d[:, 1])
    d[:, 1] *= z
    d[:, 1] *= 1 - z
    dh = np.zeros_like(h0) if g_h is None else np.array(g_h)
    flat = d.reshape(rows, 3 * hidden)
    for a, b, count in reversed(steps):
        arriving = dh[:count]
        if g_out is not None:
            arriving = arriving + g_out[a:b]
        d[a:b] *= arriving[:, None]
        new[a:b] *= arriving
        rest = flat[a:b] @ w_hh
        rest += arriving * z[a:b]
        dh[:count] = rest
    result = [None, dh, None, None, None, None]
    sigmoids = flat[:, :two]
    if needs[0]:
        result[0] = sigmoids @ w_ih[:two]
        result[0] += new @ w_ih[two:]
    if needs[2]:
        result[2] = np.concatenate((sigmoids.T @ x, new.T @ x))
    if needs[3]:
        result[3] = flat.T @ before
    if needs[4] or needs[5]:
        result[5] = np.add.reduce(flat, 0)
        result[4] = np.concatenate((result[5][:two], np.add.reduce(new, 0)))
    return tuple(result)
