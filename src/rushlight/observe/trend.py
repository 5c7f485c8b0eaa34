"""The norm of all gradients over the steps: a step that stands out, and one that is the latest of many that grew.

The two look alike at the step where they are noticed, a hundred times the usual, and ask for different remedies. A jump comes with
something in that step, mostly its data. Growth in many smaller jumps is a training that diverges, by a learning rate that is too large.
"""

import itertools
import statistics

__all__ = ["Trend"]

_SPIKE = 100.0  # times the median of the steps before
_ENOUGH = 5  # steps before that there is no usual


class Trend:
    """The norms of the steps so far, of which the last ``window`` are looked at."""

    def __init__(self, window):
        self._window = window
        self._norms = []  # (step, norm)
        self._diverges = False  # which is said once

    def note(self, step, norm):
        """The sentence on a step whose norm is far above those before it; None if it is not."""
        before = self._norms[-self._window :]
        self._norms = [*before, (step, norm)]
        if len(before) < _ENOUGH:
            return None
        usual = statistics.median(n for _, n in before)
        if not usual or norm <= _SPIKE * usual:
            self._diverges = False
            return None
        since = self._grows_since()
        if since is not None and self._diverges:
            return None
        self._diverges = since is not None
        text = f"Step {step}: the norm of all gradients is {norm:.3g}, {norm / usual:.0f} times the median of the {len(before)} steps "
        text += f"before it ({usual:.3g})"
        if since is None:
            return f"{text}. Look at this step's data."
        return f"{text}, and it has grown steadily since step {since}: the training diverges. Try a smaller learning rate."

    def _grows_since(self):
        """The step from which on the norm grew to what it is now; None if most of that came in one step."""
        start = min(range(len(self._norms)), key=lambda i: (self._norms[i][1], -i))
        grown = self._norms[start:]
        (first, least), (_, norm) = grown[0], grown[-1]
        if len(grown) <= _ENOUGH or not least:
            return None
        jump = max(b / a for (_, a), (_, b) in itertools.pairwise(grown))
        return first if jump < (norm / least) ** 0.5 else None
