"""Rows of a table by index, on arrays, and the sums of their gradients."""
import numpy as np

__all__ = ["take_rows", "sum_rows", "row_scale", "segment_sum", "segment_max"]


def check_indices(indices, n):
    """IndexError unless every index is in [0, n)."""
    # Seen without sign, a negative index is huge.
    if indices.size and np.maximum.reduce(indices.view(f"u{indices.itemsize}"), None) >= n:
        raise IndexError(f"index out of range in self\nThe table has {n} rows.")


def take_rows(table, indices):
    check_indices(indices, table.shape[0])
    return table[indices]


def row_scale(indices, padding, by_frequency, dtype):
    """What the gradient of each looked-up row is multiplied by; None where that is 1 everywhere."""
    scale = None
    if by_frequency and indices.size:
        scale = 1 / np.bincount(indices.ravel())[indices].astype(dtype)
    if padding >= 0:
        kept = indices != padding
        scale = kept.astype(dtype) if scale is None else scale * kept
    return scale


def sum_rows(g, indices, n):
    """A table of n rows: row i holds the sum of the rows of ``g`` whose index is i.

    Sorting by index makes each sum a stretch; ``add.reduceat`` adds stretches at full speed and in a fixed
    order.
    """
    width = g.shape[-1]
    made = np.zeros((n, width), g.dtype)
    flat, rows = indices.ravel(), g.reshape(-1, width)
    if flat.size and width:
        order = np.argsort(flat, kind="stable")
        chosen = flat[order]
        starts = np.flatnonzero(np.concatenate(([True], chosen[1:] != chosen[:-1])))
        made[chosen[starts]] = np.add.reduceat(rows[order], starts, 0)
    return made


def segment_sum(rows, owner, n):
    """Row b of the result: the sum of the rows that bag b owns (``owner`` is sorted)."""
    return sum_rows(rows, owner, n)


def segment_max(rows, owner, n):
    """For each bag and column, the place of the largest of its rows, and -1 for a bag without rows."""
    made = np.full((n, rows.shape[1]), -1, np.int64)
    for b in range(n):
        at = np.flatnonzero(owner == b)
        if at.size:
            made[b] = at[rows[at].argmax(0)]
    return made
