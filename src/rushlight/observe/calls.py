"""Which module is running, and what it returned: the paths and call numbers of entries.

A module that is called twice in a step has calls 0 and 1. Calls inside a backward pass are recomputations and are counted apart, so that
they repeat the numbers of the first run.
"""

import contextlib
import os
import sys

from . import names

__all__ = ["Calls", "Hook"]

_OWN = os.path.dirname(__file__) + os.sep


class _Call:
    """A module that is running."""

    __slots__ = ("module", "path", "number", "library")

    def __init__(self, module, path, number, library):
        self.module, self.path, self.number, self.library = module, path, number, library


class Hook:
    """A hook on a module. A copied or pickled module takes along one that does nothing, and is the standard library's: who loads the
    module need not have rushlight.
    """

    __slots__ = ("function",)

    def __init__(self, function):
        self.function = function

    def __call__(self, module, *args):
        self.function(module, *args)

    def __reduce__(self):
        return getattr, (contextlib.nullcontext(), "__exit__")


class Calls:
    """The modules that are running, ``stack``, the innermost last; ``totals``: {path: [calls with gradient, without]}."""

    def __init__(self, engine, totals):
        self._engine, self.totals = engine, totals
        self.stack = []
        self._numbers, self._numbers_again = {}, {}
        self._libraries = {}  # class of a module -> whether it is the engine's own

    def begins_step(self):
        self._numbers = {}

    def ends_backward(self):
        self._numbers_again = {}

    @property
    def path(self):
        """The path of the innermost module; empty outside of all."""
        return self.stack[-1].path if self.stack else ""

    def of_the_program(self):
        """The innermost module that the program itself wrote, or None."""
        return next((c for c in reversed(self.stack) if not c.library), None)

    def enter(self, module, path, again, recorded):
        """A module begins. ``again``: inside a backward pass; ``recorded``: gradients are on."""
        counts = self._numbers_again if again else self._numbers
        number = counts.get(path, 0)
        counts[path] = number + 1
        library = self._libraries.get(module.__class__)
        if library is None:
            library = self._is_library(module.__class__)
        self.stack.append(_Call(module, path, number, library))
        called = self.totals.get(path)
        if called is None:
            called = self.totals[path] = [0, 0]
        called[0 if recorded else 1] += 1

    def leave(self, module):
        """A module is over; returns its call, or None if it was not seen to begin."""
        while self.stack:  # inner calls that raised may have left theirs
            call = self.stack.pop()
            if call.module is module:
                return call
        return None

    def results(self, output):
        """(tensor, number, its place among the variables that the call is unpacked to or None, whether there are several) of each
        tensor that a module returned.
        """
        if self._is_seen(output):
            return [(output, 0, 0, False)]
        several = isinstance(output, (list, tuple))
        firsts = {id(item): i for i, item in enumerate(output) if self._is_seen(item)} if several else {}
        return [(t, number, firsts.get(id(t)) if several else 0, several) for number, t in enumerate(self._tensors(output))]

    def place(self):
        """The user's line that called the module that is just returning; None if the library itself called it."""
        frame = sys._getframe(1)
        hooks = self._engine.module_files
        while frame is not None and (frame.f_code.co_filename.startswith(_OWN) or frame.f_code.co_filename in hooks):
            frame = frame.f_back
        if frame is None or frame.f_code.co_filename.startswith(self._engine.package):
            return None
        return names.place_of((frame.f_code, frame.f_lasti))

    def _is_library(self, cls):
        """Whether a class of modules is the engine's own: the variables of its ``forward`` name nothing for the user."""
        forward = getattr(getattr(cls, "forward", None), "__code__", None)  # a scripted module has none that could be asked for
        found = self._libraries[cls] = forward is not None and forward.co_filename.startswith(self._engine.package)
        return found

    def _is_seen(self, value):
        return self._engine.is_tensor(value) and self._engine.is_measured(value)

    def _tensors(self, output):
        if self._is_seen(output):
            return [output]
        if isinstance(output, dict):
            output = output.values()
        elif not isinstance(output, (list, tuple)):
            return []
        return [t for o in output for t in self._tensors(o)]
