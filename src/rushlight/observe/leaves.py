"""The leaves that a recording listens to: parameters by their names, inputs by the variables that hold them.

They are held weakly. A program may make a leaf for each step, an input whose gradient is wanted, and the number of one that died may
be another's: whoever looks one up compares the object as well.
"""

import weakref

from . import names

__all__ = ["Leaves"]

_FEW = 100  # leaves that may be dead before anybody looks


class Leaves:
    """What is known of the leaves: ``hooked``, {id: weak reference}; ``users``, {id: positions of the entries of this step that were
    computed from it}; ``reached``, ids of those to which a gradient ever came, also in steps that are not recorded.
    """

    def __init__(self, engine, arrived):
        self._engine, self._arrived = engine, arrived
        self.hooked, self.users, self.reached = {}, {}, set()
        self._named, self._handles = {}, {}
        self._most = _FEW

    def is_hooked(self, leaf):
        """Whether a leaf is listened to."""
        found = self.hooked.get(id(leaf))
        return found is not None and found() is leaf

    def add(self, leaf, name, place=None):
        """Give a leaf its name and listen to it, if a gradient may come. ``place``: where an input was seen first; None for parameters."""
        self._named[id(leaf)] = name, place
        if not self.is_hooked(leaf) and leaf.requires_grad:
            self.hooked[id(leaf)] = weakref.ref(leaf)
            self._handles[id(leaf)] = self._engine.hook_leaf(leaf, self._arrived)

    def know(self, model, prefix):
        """Listen to the parameters of a model; returns the names of those that are new."""
        added = []
        for name, parameter in model.named_parameters():
            if not self.is_hooked(parameter) or self._named[id(parameter)][1] is not None:  # new, or seen as an input before
                added.append(f"{prefix}.{name}" if prefix else name)
                self.add(parameter, added[-1])
        return added

    def name(self, key):
        """(name, place) of the leaf with that id."""
        return self._named.get(key, ("leaf", names.UNKNOWN))

    def used(self, keys, positions):
        """Entries at these positions were computed from leaves with these ids."""
        for key in keys:
            self.users[key] = self.users.get(key, ()) + positions

    def __iter__(self):
        """(name, place, leaf) of those that live."""
        for key, reference in list(self.hooked.items()):
            leaf = reference()
            if leaf is not None:
                yield (*self._named[key], leaf)

    def begins_step(self):
        """Forget who used the leaves, and now and then those that died."""
        self.users = {}
        if len(self.hooked) > self._most:
            for key in [k for k, reference in self.hooked.items() if reference() is None]:
                del self.hooked[key], self._named[key], self._handles[key]
                self.reached.discard(key)
            self._most = 2 * len(self.hooked) + _FEW

    def release(self):
        """Listen no longer."""
        for handle in self._handles.values():
            handle.remove()
        self._handles.clear()
