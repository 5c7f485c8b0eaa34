"""Sequences of different lengths in one tensor: padded to a rectangle, or packed into the rows of each time.

The packing functions of `nn.utils.rnn` are written over the three operators here. Packing and unpacking are each
other's derivative: one picks the rows of a rectangle, the other puts them there.
"""
import numpy as np

from .declare import Array, Arrays, both, op

__all__ = []


@op(function=False, out=False, grad_name="PackPaddedSequenceBackward0")
def rows_of(input: Array, times, sequences):
    """The rows ``input[times[i], sequences[i]]``."""
    return input[times, sequences]


@op(function=False, out=False, grad_name="CopySlices")
def rows_to(input: Array, times, sequences, shape, value):
    """A tensor of ``shape`` full of ``value``, with row i of ``input`` at ``[times[i], sequences[i]]``."""
    made = np.full((*shape, *input.shape[1:]), value).astype(input.dtype)
    made[times, sequences] = input
    return made


rows_of.derivative(input=lambda g, input_shape, times, sequences: both.rows_to(g, times, sequences, input_shape[:2], 0))
rows_to.derivative(input=lambda g, times, sequences: both.rows_of(g, times, sequences))


def _check_sequences(sequences, padding_side):
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not sequences:
        raise RuntimeError("received an empty list of sequences\nThere is nothing to pad.")
    rest = sequences[0].shape[1:]
    for s in sequences:
        if not s.ndim:
            raise RuntimeError("pad_sequence: a sequence needs at least one dimension, its length")
        if s.shape[1:] != rest:
            at = next((i for i, (n, m) in enumerate(zip(rest, s.shape[1:])) if n != m), 0)
            raise RuntimeError(f"The size of tensor a ({rest[at]}) must match the size of tensor b ({s.shape[1 + at]}) at "
                               f"non-singleton dimension {1 + at}\nOnly the first dimension, the length, may differ.")


@op(function=False, out=False, grad_name="CopySlices")
def padded(sequences: Arrays, batch_first, padding_value, padding_side):
    """The sequences side by side, each made as long as the longest; (T, B, *), or (B, T, *) if ``batch_first``."""
    _check_sequences(sequences, padding_side)
    longest = max(len(s) for s in sequences)
    made = np.full((len(sequences), longest, *sequences[0].shape[1:]), padding_value).astype(sequences[0].dtype)
    for row, s in zip(made, sequences):
        if padding_side == "right":
            row[:len(s)] = s
        else:
            row[longest - len(s):] = s
    return made if batch_first else np.ascontiguousarray(made.swapaxes(0, 1))


@padded.derivatives
def _padded_rule(g, sequences_shape, batch_first, padding_value, padding_side):
    parts, longest = [], g.shape[1 if batch_first else 0]
    for i, shape in enumerate(sequences_shape):
        row = g[i] if batch_first else g[:, i]
        parts.append(row[:shape[0]] if padding_side == "right" else row[longest - shape[0]:])
    return (parts,)
