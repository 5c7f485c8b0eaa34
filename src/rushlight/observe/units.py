"""Units of a layer that never had a gradient, and how much must be seen before that is said.

A unit behind a ReLU has no gradient for the examples that do not make it fire. One that fires for one example in two hundred is a
healthy detector of something rare, and forty examples without a gradient say nothing against it. So examples are counted, not calls: an
example is one row of a layer's output, be it an item of the batch, a word or a pixel. Among 500 such rows a unit that fires once
in a hundred is silent with a probability of less than one in a hundred. A layer without any gradient is judged by all of its units
together.
"""

import math

import numpy as np

from .table import plural

__all__ = ["Units"]

_STEPS = 3  # so many at least: one unlucky batch, however large, is one state of the weights
_EXAMPLES = 500
_FEW = 1000  # units of which a sample surely sees one that is zero throughout
_NAMED = 10


class _Layer:
    """What was seen of a layer's output: in how many ``steps`` (the last of them ``step``), of how many ``examples``, and which units had
    a gradient, ``alive``.
    """

    __slots__ = ("steps", "step", "examples", "alive")

    def __init__(self, count):
        self.steps, self.step, self.examples = 0, None, 0
        self.alive = np.zeros(count, bool)


class Units:
    """The layers of a watch, by name."""

    def __init__(self, engine):
        self._engine = engine
        self._layers = {}  # name -> _Layer; None if each of its units had a gradient

    def note(self, entry, grad):
        """A gradient came to the output of a layer: its units are the channels of images, else the last dimension."""
        name, found = entry.outputs[0], entry.statistics
        layer = self._layers.get(name, False)
        if layer is None:
            return
        if not found.zeros and not (found.estimated and entry.shape[-1] > _FEW):
            self._layers[name] = None
            return
        axis = 1 if len(entry.shape) > 3 else len(entry.shape) - 1
        array = self._engine.array(grad)
        alive = (array != 0).any(axis=tuple(i for i in range(array.ndim) if i != axis))
        if layer is False or layer.alive.size != alive.size:
            layer = self._layers[name] = _Layer(alive.size)
        layer.alive |= alive
        if layer.alive.all():
            self._layers[name] = None
            return
        if layer.step != entry.step:
            layer.steps, layer.step = layer.steps + 1, entry.step
        if entry.arrivals == 1:  # a second pass through the same values shows no new examples
            layer.examples += math.prod(entry.shape) // alive.size

    def dead(self):
        """{name of a layer: numbers of its units that never had a gradient}, of the layers of which enough was seen."""
        return {name: numbers for name, _, numbers in self._judged()}

    def sentences(self):
        """(name of the layer, what was seen) of each layer with such units."""
        found = []
        for name, layer, numbers in self._judged():
            label, count = name or "the model's output", layer.alive.size
            seen = f"{plural(layer.examples, 'example')} in {plural(layer.steps, 'step')}"
            if len(numbers) == count:
                text = f"{label}: no gradient but zeros came to any of its {plural(count, 'unit')}, for {seen}."
            else:
                some = ", ".join(map(str, numbers[:_NAMED])) + (", ..." if len(numbers) > _NAMED else "")
                text = (
                    f"{label}: {len(numbers)} of {count} units look dead ({some}): their gradient was zero for each of {seen}. "
                    "Behind a ReLU such a unit does not learn while that stays so: try a smaller learning rate, LeakyReLU or another "
                    "initialization."
                )
            found.append((name, text))
        return found

    def _judged(self):
        for name, layer in self._layers.items():
            if layer is None or layer.steps < _STEPS:
                continue
            numbers = [int(i) for i in np.flatnonzero(~layer.alive)]
            evidence = layer.examples * (len(numbers) if len(numbers) == layer.alive.size else 1)
            if evidence >= _EXAMPLES:
                yield name, layer, numbers
