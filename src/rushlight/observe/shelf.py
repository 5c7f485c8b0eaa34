"""Where whole gradients are kept: one after another in large pieces of memory.

An array of its own for each would be slower than the training: the system gives fresh memory in pages of 4 KiB, and clearing and
mapping each takes longer than filling it. Large pieces come in huge pages where the system has them, a fifth of the time;
and what the training itself allocates and frees stays where it is.

Each array counts against the budget. A piece is no larger than what is left of that, so that no more is held than was granted, but
for the ends of pieces, where nothing fitted. A piece is freed when nothing on it is kept.
"""

import numpy as np

__all__ = ["Shelf"]

_FIRST, _LARGEST = 1 << 20, 1 << 24  # bytes of the first piece, and where doubling ends: below what the C library maps anew
_OPEN = 4  # pieces that are tried for an array
_ALIGNED = 64


class Shelf:
    """Copies of arrays, as long as the budget has room."""

    def __init__(self, budget):
        self.budget = budget
        self._open = []  # [piece, bytes used], those with room left, the newest last
        self._next = _FIRST

    def put(self, array):
        """A copy of the array in the order of rows, or None if the budget is spent."""
        size = array.nbytes
        if not self.budget.take(size):
            return None
        for slot in reversed(self._open):
            if slot[0].size - slot[1] >= size:
                break
        else:
            slot = self._piece(size)
        piece, at = slot
        slot[1] = at + -(-size // _ALIGNED) * _ALIGNED
        made = np.ndarray(array.shape, array.dtype, piece, at)
        made[...] = array
        return made

    def _piece(self, size):
        """A new piece, with room for ``size`` bytes, which are taken already."""
        wanted = max(self._next, size)
        if self.budget.limit is not None:
            left = self.budget.limit - self.budget.used + size
            wanted = max(size, left if left < 4 * wanted else wanted)  # the last piece takes the rest: each has an end that is lost
        self._next = min(2 * self._next, _LARGEST)
        slot = [np.empty(wanted, np.uint8), 0]
        self._open = [*self._open[-_OPEN + 1 :], slot]
        return slot
