"""Names for what has none: the variable that a line of the program assigns, the line itself, the nearest of many names.

A place is a code object and the instruction that called. What the program does with the result stands in the next
instruction: after ``h = self.l1(x)`` a store to ``h``, after ``f(self.l1(x))`` another call. So the name is exact, needs no
parsing of sources, and is found once per place.
"""

import bisect
import difflib
import dis
import functools
import itertools
import os
import types

from ..autograd.blame import local_variables

__all__ = ["Place", "place_of", "UNKNOWN", "nearest", "local_name", "held_name", "attributes", "loop_variables", "local_variables"]

_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")
_LOADS = ("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF")
_instructions: dict = {}
_places: dict = {}
_nameless: dict = {}  # places that have no name for what they use: ``f(x).sum().backward()``
_PARTS = 100  # items and attributes of one object that are looked at
_LIMIT = 20_000  # places remembered; a program that makes code without end must not fill the memory


class Place:
    """A call in the program: ``file``, ``line``, ``function``, and ``variables``, the names that its results are stored to."""

    __slots__ = ("file", "line", "function", "variables")

    def __init__(self, file, line, function, variables):
        self.file, self.line, self.function, self.variables = file, line, function, variables

    def __str__(self):
        return f"{os.path.basename(self.file)}:{self.line}" if self.file else "an unknown line"

    def variable(self, index=0):
        """The name that the ``index``-th result is stored to, or None."""
        found = self.variables[index] if index < len(self.variables) else None
        return None if found == "_" else found


UNKNOWN = Place("", 0, "", ())


def place_of(where):
    """The ``Place`` of a (code object, instruction offset)."""
    if where is None:
        return UNKNOWN
    code, at = where
    key = id(code), at  # a code object's own hash goes through all that it holds
    found = _places.get(key)
    if found is None:
        if len(_places) >= _LIMIT:
            _places.clear()
            _instructions.clear()
        found = _places[key] = _look(code, at), code  # which keeps it alive, and its number its own
    return found[0]


def _look(code, at):
    line = 0
    for start, end, number in code.co_lines():
        if start <= at < end:
            line = number or 0
            break
    listed = _instructions.get(code)
    if listed is None:
        found = list(dis.get_instructions(code))
        listed = _instructions[code] = found, [i.offset for i in found]
    instructions, offsets = listed
    position = bisect.bisect_right(offsets, at)  # after the call; `at` may lie within its caches
    variables = _stored(instructions[position : position + 40])
    return Place(code.co_filename, line, code.co_name, variables)


def _stored(following):
    """The names that the instructions after a call store its result to."""
    rest = list(following)
    while rest and rest[0].opname in ("COPY", "NOP", "RESUME"):
        del rest[0]
    if not rest:
        return ()
    if rest[0].opname == "UNPACK_SEQUENCE":
        names = []
        position = 1
        while len(names) < rest[0].arg and position < len(rest):
            name, used = _one_store(rest[position:])
            if not used:
                break
            names.extend(name)
            position += used
        return tuple(names[: rest[0].arg])
    names, _ = _one_store(rest)
    return tuple(names[:1])


def _one_store(rest):
    """(names, instructions used) of a store that stands first."""
    first = rest[0]
    if first.opname in _STORES:
        return [first.argval], 1
    if first.opname.startswith("STORE_FAST_"):  # two instructions in one, from Python 3.13 on
        value = first.argval
        names = list(value) if isinstance(value, tuple) else [value]
        return (names if first.opname == "STORE_FAST_STORE_FAST" else names[:1]), 1
    if first.opname.startswith(_LOADS) and len(rest) > 1 and rest[1].opname == "STORE_ATTR":
        return [f"{first.argval}.{rest[1].argval}"], 2
    return [], 0


def local_name(frame, value):
    """The local variable of ``frame`` that is ``value``, or None."""
    return next((name for name, held in local_variables(frame).items() if held is value), None)


def held_name(frame, value):
    """What the code of ``frame`` calls ``value``: a local variable, or an attribute or item of one, such as "self.loss" or
    "out['loss']"; None if it has no name for it.
    """
    key = id(frame.f_code), frame.f_lasti
    if key in _nameless:
        return None
    held = {n: v for n, v in local_variables(frame).items() if n.isidentifier() and not n.startswith("__")}
    found = next((name for name, one in held.items() if one is value), None)
    if found is not None:
        return found
    for name, owner in held.items():
        if isinstance(owner, dict):
            found = next((f"{name}[{k!r}]" for k, v in itertools.islice(owner.items(), _PARTS) if v is value), None)
        elif isinstance(owner, (list, tuple)):
            found = next((f"{name}[{i}]" for i, v in enumerate(owner[:_PARTS]) if v is value), None)
        elif not isinstance(owner, (type, types.ModuleType, types.FunctionType)):
            found = next((f"{name}.{n}" for n, v in attributes(owner) if v is value), None)
        if found is not None:
            return found
    if len(_nameless) >= _LIMIT:
        _nameless.clear()
    _nameless[key] = frame.f_code  # which keeps it alive, and its number its own
    return None


def attributes(value):
    """(name, value) of the attributes of an ordinary object, read without running any code of it."""
    try:
        return list(itertools.islice(object.__getattribute__(value, "__dict__").items(), _PARTS))
    except AttributeError:
        return []


@functools.lru_cache(1000)
def loop_variables(code):
    """The variables that a ``for`` of this code sets: they name what is at hand, not what it is."""
    found = set()
    instructions = list(dis.get_instructions(code))
    for i, instruction in enumerate(instructions):
        if instruction.opname == "FOR_ITER":
            following = instructions[i + 1 : i + 20]
            while following and following[0].opname.startswith(("UNPACK_", "STORE_", "NOP")):
                stored = following[0].argval
                if following[0].opname.startswith("STORE_"):
                    found.update(stored if isinstance(stored, tuple) else (stored,))
                del following[0]
    return frozenset(found)


def nearest(name, names):
    """A line that names what is nearest to an unknown name."""
    known = list(dict.fromkeys(n for n in names if n))
    close = difflib.get_close_matches(name, known, 4, 0.5) or [n for n in known if name in n or n in name][:4]
    if close:
        return "The nearest are " + ", ".join(close) + "." if len(close) > 1 else f"The nearest is {close[0]}."
    if not known:
        return "Nothing has a name yet."
    return "There are " + ", ".join(known[:8]) + (f" and {len(known) - 8} more." if len(known) > 8 else ".")
