"""The state of many parameters in a few long arrays, so that a step is a few NumPy calls and not many small
ones.

A NumPy call on a small array costs its overhead, some 0.3 us, and an Adam step takes a dozen: for a network
of small parameters nearly all of the step is overhead. ``Flat`` lays the state of a group's parameters end to
end in one array for each name (``exp_avg``, ...); the entries of ``optimizer.state`` are views into these. A
step then

* copies the gradients of a *run* of small parameters side by side into a scratch array (one ``concatenate``),
* computes the update of the whole run, also in scratch,
* and adds each parameter's piece of it to the parameter. The parameters' memory stays their own: programs
  hold views.

A large parameter needs no gathering, but its dozen passes should not each fetch it from memory: it is cut
into *chunks* that stay in the processor's cache for all passes.

The user's entries remain the truth. Before each step ``intact`` checks that ``optimizer.state`` still holds
the views made here; loading, copying or editing entries replaces them, and the group is then laid out anew
from what it holds.
"""

import operator
from typing import Any

import numpy as np

from rushlight.tensor import Tensor, wrap

__all__ = ["Flat", "Run", "fits", "CHUNK"]

CHUNK = 32768  # elements: the seven float32 arrays in use fill 0.9 MB of cache
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def fits(param: Tensor) -> bool:
    """Whether a parameter can be laid out here: float32 or float64, in the ordinary order of memory."""
    array = param._a
    return (
        (array.dtype == _SINGLE or array.dtype == _DOUBLE)
        and array.flags.c_contiguous
        and array.flags.writeable
    )


def same(a: list, b: list) -> bool:
    """Whether two lists hold the very same objects."""
    return len(a) == len(b) and all(map(operator.is_, a, b))


class Run:
    """Neighbouring small parameters that are updated together, or one chunk of a large one."""

    __slots__ = ("members", "start", "stop", "grad", "work", "update", "other", "state", "pieces")

    def __init__(self, flat: "Flat", members: list[int], start: int, stop: int, whole: bool) -> None:
        size = stop - start
        self.members, self.start, self.stop = members, start, stop
        self.grad, self.work, self.update, self.other = (scratch[:size] for scratch in flat.scratch)
        self.state = {name: buffer[start:stop] for name, buffer in flat.buffers.items()}
        self.pieces = (
            [
                self.update[flat.starts[k] - start : flat.stops[k] - start].reshape(flat.shapes[k])
                for k in members
            ]
            if whole
            else []
        )


class Flat:
    """The parameters of one group and dtype, their state end to end.

    Args:
        params: what to lay out; all ``fits`` and of one dtype.
        names: the state that each has in its shape.
        scalars: the names and NumPy dtypes of the state that is one number (``step``, ...).
    """

    def __init__(
        self, params: list[Tensor], names: tuple[str, ...], scalars: dict[str, Any] | None = None
    ) -> None:
        params = sorted(params, key=lambda p: p._a.size > CHUNK)  # the small ones first, order kept otherwise
        self.params = params
        self.names = names
        self.dtype = params[0]._a.dtype
        self.arrays = [p._a for p in params]
        self.shapes = [a.shape for a in self.arrays]
        stops = np.cumsum([a.size for a in self.arrays]).tolist()
        self.stops = stops
        self.starts = [0, *stops[:-1]]
        self.buffers = {name: np.zeros(stops[-1], self.dtype) for name in names}
        self.views = {
            name: [buffer[a:b].reshape(shape) for a, b, shape in zip(self.starts, stops, self.shapes)]
            for name, buffer in self.buffers.items()
        }
        self.scalars = {name: np.zeros(len(params), dtype) for name, dtype in (scalars or {}).items()}
        self.scalar_views = {
            name: [numbers[k : k + 1].reshape(()) for k in range(len(params))]
            for name, numbers in self.scalars.items()
        }
        self.scratch = [np.empty(min(CHUNK, stops[-1]), self.dtype) for _ in range(4)]
        self.runs: list[Run] = []  # of small parameters
        self.chunks: list[list[Run]] = []  # of each parameter by itself; made for small ones when needed
        self.large = sum(a.size <= CHUNK for a in self.arrays)  # the number of the first large one
        members: list[int] = []
        for k in range(self.large):
            if members and stops[k] - self.starts[members[0]] > CHUNK:
                self._close_run(members)
                members = []
            members.append(k)
        if members:
            self._close_run(members)
        self.chunks = [self._cut(k) if k >= self.large else [] for k in range(len(params))]
        self.pieces = [piece for run in self.runs for piece in run.pieces]
        self.dicts: list[Any] = []

    def _close_run(self, members: list[int]) -> None:
        self.runs.append(Run(self, members, self.starts[members[0]], self.stops[members[-1]], True))

    def _cut(self, k: int) -> list[Run]:
        return [
            Run(self, [k], a, min(a + CHUNK, self.stops[k]), False)
            for a in range(self.starts[k], self.stops[k], CHUNK)
        ]

    def chunks_of(self, k: int) -> list[Run]:
        """The chunks that update parameter ``k`` by itself."""
        if not self.chunks[k]:
            self.chunks[k] = self._cut(k)
        return self.chunks[k]

    def adopt(self, k: int, entry: dict, name: str) -> None:
        """Make ``entry[name]`` a view into the long array, keeping its values if there are any."""
        view = self.views[name][k]
        old = entry.get(name)
        if old is not None:
            np.copyto(view, old._a, casting="unsafe")
        entry[name] = wrap(view)

    def adopt_scalar(self, k: int, entry: dict, name: str) -> None:
        """The same for a state that is one number."""
        self.scalars[name][k] = entry[name]._a
        entry[name] = wrap(self.scalar_views[name][k])

    def intact(self, state: dict) -> bool:
        """Whether ``state`` still holds the views made here, and the parameters still have their shape and
        dtype.
        """
        params = self.params
        if not same([p._a for p in params], self.arrays):
            for k, param in enumerate(params):  # given other data: fine if it is of the same kind
                now = param._a
                if now.dtype != self.dtype or now.shape != self.shapes[k] or not fits(param):
                    return False
                self.arrays[k] = now
        if not self.names:
            return True
        dicts = self.dicts
        if not same([state.get(p) for p in params], dicts):
            return False
        try:
            return all(
                same([entry[name]._a for entry in dicts], views)
                for views_of in (self.views, self.scalar_views)
                for name, views in views_of.items()
            )
        except (KeyError, AttributeError):  # an entry was deleted, or is no tensor any more
            return False

    def gather(self, run: Run, arrays: list[np.ndarray], out: np.ndarray) -> np.ndarray:
        """The run's arrays side by side in ``out``; of a single one, the array itself."""
        members = run.members
        if len(members) == 1:
            array = arrays[members[0]].reshape(-1)
            return array if array.dtype == self.dtype else array.astype(self.dtype)
        return np.concatenate(arrays[members[0] : members[-1] + 1], None, out)

    def part(self, run: Run, array: np.ndarray) -> np.ndarray:
        """A chunk's part of its parameter's array (a view if the array is contiguous)."""
        base = self.starts[run.members[0]]
        part = array.reshape(-1)[run.start - base : run.stop - base]
        return part if part.dtype == self.dtype else part.astype(self.dtype)
