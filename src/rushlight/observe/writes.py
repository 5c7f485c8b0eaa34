"""Who wrote in place: a log for real PyTorch, which remembers of each storage only how often it was written.

rushlight's version counters know their last writers, so that its errors name them. For PyTorch the calls that write are noted while a
recording is open: the operator (or the optimizer whose ``step`` called it), the line, and which storages.
"""

import collections
import typing

__all__ = ["Write", "Writes"]

_KEPT = 5000


class Write(typing.NamedTuple):
    """One call that wrote: ``op``, ``place``, ``step``, and (storage, shape) of each tensor that it wrote."""

    op: str
    place: typing.Any
    step: int
    members: tuple


class Writes:
    """The last writes, oldest first."""

    def __init__(self):
        self.log = collections.deque(maxlen=_KEPT)

    def note(self, op, place, step, members):
        self.log.append(Write(op, place, step, members))

    def candidates(self, shape):
        """(storage, its writes, oldest first) of each storage that was written as a tensor of this shape or of its transposed one,
        the one that was written last first."""
        wanted = (tuple(shape), tuple(shape)[::-1])
        found = {}
        for write in reversed(self.log):
            for storage, written in write.members:
                if storage in found or written in wanted:
                    found.setdefault(storage, []).append(write)
        return [(storage, self.of(storage)) for storage in found]

    def of(self, storage):
        """The writes of one storage, oldest first."""
        return [w for w in self.log if any(s == storage for s, _ in w.members)]
