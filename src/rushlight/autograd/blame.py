"""What an error of the backward pass can tell about its cause: who wrote, what was freed, where the way was cut.

Nothing is noted for this while a program runs well, but the last writers of a storage in its version counter. Everything
else is looked for when the error is raised: a parameter's name among the modules that the caller holds, a cut among the tensors
that share the memory. While ``rushlight.observe`` records, it is asked first, since it knows more.

An error carries what was found as its attribute ``about``, plain texts and numbers, for ``observe.explain``.
"""
import inspect
import itertools
import linecache
import re
import sys
import typing

import numpy as np

from ..tensor import _PACKAGE, Tensor, describe_place
from . import modes
from .node import Node, Out

__all__ = ["Changed", "Freed", "changed", "freed", "listed", "assignment", "leaf_name", "running_module", "why_no_history"]

_SEARCHED = 200     # nodes behind a saved value that are looked through for the leaf whose memory it is


class Changed(typing.NamedTuple):
    """A saved value that was written: by which node it was kept, as what and where; ``writes``, (operator, place) of each write
    since that is remembered; ``forgotten``, how many more there were; ``parameter``, its name if an optimizer wrote it.
    """

    node: str
    role: str
    place: str | None
    shape: tuple
    writes: tuple
    forgotten: int
    parameter: str | None


class Freed(typing.NamedTuple):
    """A node whose saved values are gone: its name, its place, the step that built it and the step that failed (None where nothing
    recorded).
    """

    node: str
    place: str | None
    step: int | None
    now: int | None


# ---------------------------------------------------------------- changed in place

def changed(text, node, role, cell, expected, array, edge=None):
    """The error of a saved value: ``text``, then who kept it as what, and each write since that the counter remembers."""
    known = cell[1:][-(cell[0] - expected):]
    writes = tuple((w[0], describe_place(w[1])) for w in known if w)
    forgotten = cell[0] - expected - len(writes)
    place = describe_place(node.where)
    text += f"\n{node.name()} {role}" + (f" at {place}" if place else "")
    if writes:
        text += "; it was then written by " + listed(writes)
        text += f", {forgotten} more of its writes being forgotten." if forgotten else "."
    else:
        text += "; it was written afterwards. Write to a clone instead."
    parameter = None
    steps = [name for name, _ in writes if name.endswith(".step")]
    if steps:
        leaf = _leaf_of(edge, cell)
        parameter = None if leaf is None else leaf_name(leaf)
        who = "A parameter" if parameter is None else f"parameter {parameter}"
        text += (f"\n{who} was changed by {steps[-1]}(): call backward for everything before the optimizer's step, and compute the "
                 "loss again after it.")
    error = RuntimeError(text)
    error.about = Changed(node.name(), role, place, () if array is None else tuple(array.shape), writes, forgotten, parameter)
    return error


def listed(writes):
    """(operator, place) of writes as a text; the same one several times over is named once."""
    texts = []
    for (name, at), same in itertools.groupby(writes):
        count = len(list(same))
        texts.append((f"{name} at {at}" if at else name) + (f" ({count} times)" if count > 1 else ""))
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]


def _leaf_of(edge, cell):
    """The leaf that owns the version counter ``cell``, at ``edge`` or behind it through views."""
    stack, seen = [edge], 0
    while stack and seen < _SEARCHED:
        at = stack.pop()
        seen += 1
        if isinstance(at, Out):
            at = at.node
        if isinstance(at, Tensor):
            if at._ver is cell:
                return at
        elif isinstance(at, Node):
            stack.extend(e for e in at.edges if e is not None)
    return None


# ---------------------------------------------------------------- freed

def freed(text, node):
    """The error of a node whose saved values are gone."""
    place = describe_place(node.where)
    observer = modes.state.observer
    step, now = (None, None) if observer is None else observer.step_of(node)
    text += f"\nThe freed node is {node.name()}" + (f", built at {place}" if place else "")
    if step is not None:
        text += f" in step {step}; this is step {now}"
    error = RuntimeError(text + ". If a piece of the graph is built once, outside the loop that calls backward, build it inside.")
    error.about = Freed(node.name(), place, step, now)
    return error


# ---------------------------------------------------------------- names

def user_frames():
    """The frames outside of this package, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            yield frame
        frame = frame.f_back


def local_variables(frame):
    """The local variables of a frame, a dict of our own.

    Before Python 3.13 a function's frame keeps the dict that ``f_locals`` made, and with it what the variables were: it is emptied
    again, unless the program itself holds it (``locals()`` gives the same one).
    """
    held = frame.f_locals
    found = dict(held)
    if type(held) is dict and frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.getrefcount(held) <= 3:
        held.clear()
    return found


def leaf_name(leaf):
    """What the program calls a leaf: as a recording has it, else by the modules and variables of the callers, such as "model.0.weight".

    None if nobody who called knows it.
    """
    observer = modes.state.observer
    found = None if observer is None else observer.label(leaf)
    if found is not None:
        return found
    scopes = {}
    for frame in user_frames():
        scopes[id(frame)] = list(local_variables(frame).items())
        scopes.setdefault(id(frame.f_globals), list(frame.f_globals.items()))
    for look in (_in_modules, _among_variables):     # a path tells more than the name that a helper gives its argument
        for items in scopes.values():
            found = look(items, leaf)
            if found is not None:
                return found
    return None


def _in_modules(items, leaf, deeper=True):
    """The path of a parameter, through the modules among variables or in the attributes of ``self``."""
    for name, value in items:
        if _is_module(value):
            for path, module in _modules(value):
                for own, parameter in vars(module)["_parameters"].items():
                    if parameter is leaf:
                        return ".".join(part for part in (name, path, own) if part)
        elif name == "self" and deeper and hasattr(value, "__dict__"):
            found = _in_modules(list(vars(value).items()), leaf, False)
            if found is not None:
                return f"self.{found}"
    return None


def _among_variables(items, leaf):
    return next((name for name, value in items if value is leaf and name.isidentifier()), None)


def _is_module(value):
    """Whether a value is a module, of any engine. Its own methods are not called: the program may have others in their place."""
    held = getattr(value, "__dict__", None)
    return isinstance(held, dict) and isinstance(held.get("_parameters"), dict) and isinstance(held.get("_modules"), dict)


def _modules(root):
    """(path, module) of a module and those inside it, each once."""
    stack, seen = [("", root)], set()
    while stack:
        path, module = stack.pop()
        if id(module) not in seen:
            seen.add(id(module))
            yield path, module
            inside = [(f"{path}.{name}" if path else name, m) for name, m in vars(module)["_modules"].items() if _is_module(m)]
            stack += reversed(inside)


def running_module():
    """(path, class name) of the module whose ``forward`` is running, the path as seen from the outermost one; None outside of modules."""
    inner = outer = None
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name == "forward" and code.co_argcount and code.co_varnames[0] == "self":
            module = frame.f_locals.get("self")
            if _is_module(module):
                inner, outer = module if inner is None else inner, module
        frame = frame.f_back
    if inner is None:
        return None
    return next((path for path, m in _modules(outer) if m is inner), ""), type(inner).__name__


# ---------------------------------------------------------------- no history

def why_no_history(root):
    """Why a tensor from which backward was to start has no history, as far as it, its caller and a recording can tell."""
    if root.is_inference():
        return "\nIt was made in inference_mode: compute it again outside."
    observer = modes.state.observer
    story = None if observer is None else observer.cut_story(root)
    if story is not None:
        return "\n" + story
    text, cut = "", ""
    frame = next(user_frames(), None)
    if frame is not None:
        items = [(n, v) for n, v in local_variables(frame).items() if isinstance(v, Tensor)]
        name = next((n for n, v in items if v is root), None)
        found = None if name is None else assignment(frame.f_code, frame.f_lineno, name)
        if found is not None:
            cut = found[1]
            text += f"\nIt is {name}, assigned at {frame.f_code.co_filename}:{found[0]}{cut}."
        twin = next(((n, v) for n, v in items if v is not root and v.requires_grad and _same_memory(v, root)), None)
        if twin is not None:
            return text + (f"\nThe path to {twin[0]} ends there: it has the same memory and a history, which .detach() or .data cut off."
                           + twin[1]._made_by())
    if cut:
        return text + "\nUse the tensor before the cut, or compute it again with gradients enabled."
    return text + ("\nNothing it was computed from requires grad, or it was made under torch.no_grad() or cut by detach(): set "
                   "requires_grad=True on a leaf and compute it again with gradients enabled. With observe.record() around the "
                   "computation this error names the line of the cut.")


def _same_memory(a, b):
    return a._a.size > 0 and a._a.shape == b._a.shape and np.may_share_memory(a._a, b._a)


def assignment(code, line, name):
    """(line, text) of the last assignment to a variable at or above a line of a function's source, or None.

    The text says what in that line cuts history, or stands around it: "" if nothing does.
    """
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}\s*(?:,[^=]*)?(?:[-+*/@]|//|\*\*)?=(?!=)")
    for at in range(line, code.co_firstlineno - 1, -1):
        if pattern.search(linecache.getline(code.co_filename, at)):
            return at, _cut_in_line(code, at)
    return None


def _cut_in_line(code, line):
    """What a line of the source does, or stands in, that cuts history: a text to follow the line's number."""
    source = linecache.getline(code.co_filename, line)
    found = re.search(r"\.detach\(\)|\.data\b|\.item\(\)|\.numpy\(\)|\.tolist\(\)", source)
    if found:
        return f", where {found[0]} cuts what it is applied to"
    depth = len(source) - len(source.lstrip())
    for above in range(line - 1, code.co_firstlineno - 1, -1):
        text = linecache.getline(code.co_filename, above)
        if text.strip() and len(text) - len(text.lstrip()) < depth:
            depth = len(text) - len(text.lstrip())
            block = re.match(r"\s*with .*\b(no_grad|inference_mode)\(", text)
            if block:
                return f", under the {block[1]}() of line {above}"
    return ""
