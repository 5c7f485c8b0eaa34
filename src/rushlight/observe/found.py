"""Which modules a recording knows, and how it calls those that nobody named.

A model that is given names its modules by itself: ``encoder.layers.0``. A program that stays as it is gives none. There the first
call of a module from outside of any other makes it (or the model that holds it) known, under the name that the calling code has for
it: ``model`` after ``model(x)``, ``net`` after ``self.net(x)``, ``blocks[0]`` for an item of a list; its class where there is no
name. The variable of a loop over modules says nothing (``for layer in layers``): what is looped over is looked for first. The
modules are then ``model.encoder.layers.0``, which is what the program itself would write.

Modules are held weakly: a program that makes a new model for each of a hundred trials must not keep them all.
"""

import itertools
import os
import weakref

from .names import attributes, local_variables, loop_variables

__all__ = ["Models"]

_FRAMES = 8  # callers that are asked for a name
_DEEP = 60  # callers that are asked for a parameter's model: a copy of it is made far from the program's line
_STANDARD = os.path.dirname(os.__file__) + os.sep
_PARTS = 100  # items and attributes of one object that are looked at


class Models:
    """The modules that are known, by path."""

    def __init__(self, engine):
        self._engine = engine
        self._paths = {}  # id of a module -> (weak reference, path)
        self._roots = []  # (weak reference, prefix)

    def path(self, module):
        """The path of a module, or None if it is not known."""
        found = self._paths.get(id(module))
        return found[1] if found is not None and found[0]() is module else None

    def roots(self):
        """(model, prefix) of the models that live."""
        self._roots = [(ref, prefix) for ref, prefix in self._roots if ref() is not None]
        return [(ref(), prefix) for ref, prefix in self._roots]

    def add(self, model, prefix):
        """Make a model and all below it known; returns the modules that were not known before."""
        made = []
        for path, module in model.named_modules():
            if self.path(module) is None:
                full = f"{prefix}.{path}" if prefix and path else prefix or path
                self._paths[id(module)] = weakref.ref(module), full
                made.append(module)
        if all(root is not model for root, _ in self.roots()):
            self._roots.append((weakref.ref(model), prefix))
        if len(self._paths) > 10_000:
            self._paths = {k: v for k, v in self._paths.items() if v[0]() is not None}
        return made

    def paths_of(self, model):
        """The paths of a model's modules that have one."""
        return [p for p in (self.path(m) for m in model.modules()) if p]

    def named_parameters(self):
        """(name, parameter) of every model that is known, with the model's prefix, each parameter once."""
        seen = set()
        for model, prefix in self.roots():
            for name, parameter in model.named_parameters():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield (f"{prefix}.{name}" if prefix else name), parameter

    def called_inside(self, module, parent):
        """Make a module known that a known one called although nobody saw it as its part; returns (model, prefix)."""
        for model, prefix in self.roots():
            if any(m is module for m in model.modules()):  # registered since
                self.add(model, prefix)
                return model, prefix
        prefix = self._free(f"{parent}.{type(module).__name__}" if parent else type(module).__name__)
        self.add(module, prefix)
        return module, prefix

    def called_from(self, module, frame):
        """Make a module known that a program called, and the model that holds it, by the caller's name for that; returns
        (model, prefix).
        """
        for model, prefix in self.roots():
            if any(m is module for m in model.modules()):  # registered since
                self.add(model, prefix)
                return model, prefix
        found = passing = None
        for _ in range(_FRAMES):
            if frame is None or found is not None:
                break
            loops = loop_variables(frame.f_code)
            for space in (local_variables(frame), dict(frame.f_globals)):
                passing = passing or self._name_in(module, {n: space.pop(n) for n in loops if n in space})
                found = self._name_in(module, space, passing is not None)
                if found is not None:
                    break
            frame = frame.f_back
        name, model = found or passing or (None, module)
        prefix = self._free(name or type(module).__name__)
        self.add(model, prefix)
        return model, prefix

    def holding(self, parameter, frame):
        """Make the model known that holds a parameter, among those that the callers hold; returns (model, prefix), or None."""
        for _ in range(_DEEP):
            if frame is None:
                return None
            for space in () if _is_foreign(frame) else (local_variables(frame), frame.f_globals):
                named = [(n, v) for n, v in list(space.items()) if not n.startswith("__")]
                if (owner := space.get("self")) is not None and not self._engine.is_module(owner):
                    named += attributes(owner)
                for name, value in named + self._parts(named):
                    if self._is_made(value) and any(p is parameter for p in value.parameters()):
                        prefix = self._free(type(value).__name__ if name == "self" else name)
                        self.add(value, prefix)
                        return value, prefix
            frame = frame.f_back
        return None

    def _name_in(self, module, space, looped=False):
        """(name, model) of a variable, or of an attribute or item of one, that is or holds the module. One that a loop came by is called
        by the model of which it is a part, rather than by a list from which that model may have been made.
        """
        named = [(n, v) for n, v in space.items() if n != "self" and not n.startswith("__")]
        found = _exact(module, named)
        if found is not None:
            return found
        if (owner := space.get("self")) is not None and owner is not module:
            named += attributes(owner)
            found = _exact(module, named)
            if found is not None:
                return found
        if looped and (found := self._holder(module, named)) is not None:
            return found
        inner = self._parts(named)
        inner += self._parts([(n, v) for n, v in inner if isinstance(v, (list, tuple, dict))])
        found = _exact(module, inner)
        if found is not None:
            return found
        return self._holder(module, named + inner)

    def _holder(self, module, named):
        """(name, model) of the first that holds the module as a part."""
        for name, value in named:
            if self._is_made(value) and any(m is module for m in value.modules()):
                return name, value
        return None

    def _is_made(self, value):
        """Whether a value is a module, and not one that is still being made or copied."""
        return self._engine.is_module(value) and "_parameters" in vars(value)

    def _parts(self, named):
        """(name, value) of the items of containers and of the attributes of objects."""
        found = []
        for name, value in named:
            if isinstance(value, (list, tuple)):
                found += [(f"{name}[{i}]", v) for i, v in enumerate(value[:_PARTS])]
            elif isinstance(value, dict):
                found += [(f"{name}[{k!r}]", v) for k, v in itertools.islice(value.items(), _PARTS)]
            elif not self._engine.is_module(value):
                found += [(f"{name}.{n}", v) for n, v in attributes(value)]
        return found

    def _free(self, name):
        """The name, with a number behind it if another model that lives has it."""
        taken = {prefix for _, prefix in self.roots()}
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name}_{number}"
        return free


def _is_foreign(frame):
    """Whether a frame is of the standard library, whose names (``x`` in ``copy``) are not the program's."""
    file = frame.f_code.co_filename
    return file.startswith(_STANDARD) and "site-packages" not in file


def _exact(module, named):
    return next(((n, v) for n, v in named if v is module), None)
