"""Adding values at index positions, where positions may repeat."""
import numpy as np

__all__ = ["scatter_add", "flat_positions"]


def flat_positions(shape, index):
    """The flat position in an array of ``shape`` of each element that ``array[index]`` reads."""
    size = 1
    for n in shape:
        size *= n
    return np.arange(size, dtype=np.intp).reshape(shape)[index]


def scatter_add(values, index, shape):
    """Zeros of ``shape`` with ``values`` added at ``index``; repeated positions add up.

    ``index`` is a NumPy index: a tuple of integer or boolean arrays and full slices.
    """
    made = np.zeros(shape, values.dtype)
    arrays = [i for i in index if isinstance(i, np.ndarray)]
    if all(a.dtype == bool for a in arrays):
        made[index] = values                     # a mask names each position once
        return made
    first = index[0] if index else None
    if len(arrays) == 1 and isinstance(first, np.ndarray) and first.dtype != bool:
        return _add_rows(made, first, values)
    positions = flat_positions(shape, index)
    np.add.at(made.reshape(-1), positions.reshape(-1), np.broadcast_to(values, positions.shape).reshape(-1))
    return made


def _add_rows(made, rows, values):
    """Whole slices of the first dimension: sorted, so that equal rows are summed in one call each run."""
    rows = rows.reshape(-1)
    values = values.reshape(rows.size, -1)
    flat = made.reshape(made.shape[0], -1)
    if rows.size == 0 or flat.size == 0:
        return made
    rows = np.where(rows < 0, rows + made.shape[0], rows)
    if flat.shape[1] == 1 or values.dtype.kind not in "fc":
        np.add.at(flat, rows, values)
        return made
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if starts.size == rows.size:
        flat[ordered] = values[order]
    else:
        flat[ordered[starts]] = np.add.reduceat(values[order], starts, axis=0)
    return made
