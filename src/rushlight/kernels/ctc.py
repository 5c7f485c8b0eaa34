"""Connectionist temporal classification: the forward-backward recursion of Graves and others (2006), in log space.

A target of L labels is stretched to 2 L + 1 states, a blank around each label. ``alpha[t, n, s]`` is the log
probability of all ways to be in state s of sample n after frame t, ``beta`` of all ways to end properly from
there, both with frame t counted. A state follows itself, its predecessor, or, past a blank between different
labels, the one before. All samples of a batch go through one loop over time; what lies behind a sample's own end
stays at minus infinity or is never read.
"""
import numpy as np

__all__ = ["stretch", "forward", "backward"]

INF = np.inf


def stretch(targets, lengths, blank):
    """(states (N, 2 L + 1), whether each may be reached from two before)."""
    longest = int(lengths.max()) if len(lengths) else 0
    states = np.full((len(lengths), 2 * longest + 1), blank, np.int64)
    for row, labels, n in zip(states, targets, lengths):
        row[1:2 * n:2] = labels[:n]
    jump = np.zeros(states.shape, bool)
    jump[:, 2:] = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])
    return states, jump


def _log_sum(*parts):
    """``log(exp(a) + exp(b) + ...)``, minus infinity if all are."""
    top = parts[0]
    for p in parts[1:]:
        top = np.maximum(top, p)
    top = np.where(top == -INF, top.dtype.type(0), top)
    total = np.exp(parts[0] - top)
    for p in parts[1:]:
        total += np.exp(p - top)
    return np.log(total) + top


def _ends(lengths):
    """(last state, the label before it) of each sample; an empty target has one state alone."""
    return 2 * lengths, np.maximum(2 * lengths - 1, 0)


def forward(log_probs, states, jump, input_lengths, target_lengths):
    """(negative log likelihoods (N,), alpha (T, N, S))."""
    frames, batch, _ = log_probs.shape
    emitted = np.take_along_axis(log_probs, states[None], 2)
    alpha = np.full(emitted.shape, -INF, log_probs.dtype)
    rows = np.arange(batch)
    if frames and batch:
        alpha[0, :, 0] = emitted[0, :, 0]
        labelled = target_lengths > 0
        alpha[0, labelled, 1:2] = emitted[0, labelled, 1:2]
    before = np.full((batch, states.shape[1] + 2), -INF, log_probs.dtype)
    far = np.where(jump, log_probs.dtype.type(0), log_probs.dtype.type(-INF))
    for t in range(1, int(input_lengths.max()) if batch else 0):
        before[:, 2:] = alpha[t - 1]
        alpha[t] = _log_sum(before[:, 2:], before[:, 1:-1], before[:, :-2] + far) + emitted[t]
    loss = np.full(batch, INF, log_probs.dtype)
    last, label = _ends(target_lengths)
    alive = input_lengths > 0
    end = alpha[np.maximum(input_lengths - 1, 0), rows]
    closing = np.where(target_lengths > 0, end[rows, label], -INF).astype(log_probs.dtype)
    loss[alive] = -_log_sum(end[rows, last], closing)[alive]
    loss[~alive & (target_lengths == 0)] = -0.0
    return loss, alpha


def backward(g, log_probs, states, jump, input_lengths, target_lengths, loss, alpha, zero_infinity):
    """The gradient that PyTorch gives: as if ``log_probs`` came out of a softmax, with that folded in."""
    frames, batch, classes = log_probs.shape
    emitted = np.take_along_axis(log_probs, states[None], 2)
    width = states.shape[1]
    beta = np.full((frames, batch, width), -INF, log_probs.dtype)
    after = np.full((batch, width + 2), -INF, log_probs.dtype)
    far = np.full((batch, width), -INF, log_probs.dtype)
    far[:, :-2][jump[:, 2:]] = 0
    rows = np.arange(batch)
    last, label = _ends(target_lengths)
    for t in range((int(input_lengths.max()) if batch else 0) - 1, -1, -1):
        if t + 1 < frames:
            after[:, :-2] = beta[t + 1]
            beta[t] = _log_sum(after[:, :-2], after[:, 1:-1], after[:, 2:] + far) + emitted[t]
        ending = rows[input_lengths == t + 1]
        beta[t, ending] = -INF
        beta[t, ending, last[ending]] = emitted[t, ending, last[ending]]
        beta[t, ending, label[ending]] = emitted[t, ending, label[ending]]
    occupied = alpha + beta
    visible = occupied > -INF
    occupied = np.where(visible, np.exp(occupied - np.where(visible, emitted, 0) + loss[:, None]), 0)
    which = np.zeros((batch, width, classes), log_probs.dtype)
    which[rows[:, None], np.arange(width), states] = 1
    made = np.exp(log_probs)
    made -= np.matmul(occupied.swapaxes(0, 1), which).swapaxes(0, 1)
    made *= g[:, None]
    made[np.arange(frames)[:, None] >= input_lengths] = 0
    lost = loss == INF
    if lost.any():
        ended = np.arange(frames)[:, None] < input_lengths
        made[:, lost] = 0 if zero_infinity else np.where(ended[:, lost, None], np.nan, 0)
    return made
