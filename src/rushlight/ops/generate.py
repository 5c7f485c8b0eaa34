"""The short way of a call: a public function written for one operator.

Where Python's overhead decides, a generic call loses: it loops over parameters that are known, looks for modes that are
off, asks for promotions that change nothing. So each operator's public function is generated from its declaration as the
straight line of code that one would write by hand for the plain case: exact float32 or float64 arrays of one dtype, no
mode in use. Everything else, and every error, goes to ``call.invoke``, the long way. Both have the same meaning; a test runs
operators both ways.

The generated functions live in a namespace whose ``__name__`` is None: the interpreter drops warnings attributed to such a
frame, so the C functions they call directly cannot leak NumPy's floating-point warnings, at no cost. Kernels written in
Python are called with warnings hushed.
"""
import linecache
import sys
import types

import numpy as np

from ..autograd import modes, views
from ..autograd.node import Node, _next_sequence
from ..kernels.quiet import hush, unhush
from ..tensor import Tensor, wrap
from . import call

__all__ = ["public_function", "operator_function", "inplace_function"]

# What sends a call from the short way to the long one, where the proper error is raised (or the odd case handled).
UNUSUAL = (AttributeError, TypeError, ValueError, ArithmeticError, IndexError)

_SCOPE = {
    "__name__": None, "modes": modes, "Node": Node, "state": modes.state, "Tensor": Tensor, "ndarray": np.ndarray, "asarray": np.asarray,
    "new": object.__new__, "wrap": wrap, "f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "i64": np.dtype(np.int64),
    "b8": np.dtype(np.bool_), "NUMBERS": frozenset((float, int, type(None))), "UNUSUAL": UNUSUAL, "overlaps": call.overlaps,
    "edge_of": views.edge_of, "next_sequence": _next_sequence, "getframe": sys._getframe, "hush": hush, "unhush": unhush,
    "OPERANDS": (Tensor, *call.NUMBER), "invoke": call.invoke, "UNSURE": views.UNSURE, "NO_GRAD": views.NO_GRAD,
}


def signature(op):
    """The parameter list as text, and the values of its defaults."""
    parts, defaults = [], {}
    star = False
    for i, p in enumerate(op.params):
        if p.keyword_only and not star:
            parts.append("*")
            star = True
        if not _has_default(p):
            parts.append(p.name)
        else:
            defaults[f"default{i}"] = p.default
            parts.append(f"{p.name}=default{i}")
    out = op.out and not op.view
    if out:
        if not star:
            parts.append("*")
            star = True
        parts.append("out=None")
    for old, new in (("axis", "dim"), ("keepdims", "keepdim")):
        if new in op.names and old not in op.names:
            if not star:
                parts.append("*")
                star = True
            defaults["absent"] = _ABSENT
            parts.append(f"{old}=absent")
    return parts, defaults, out


class _Absent:
    """Stands for a NumPy-style keyword that was not given."""

    def __repr__(self):
        return "<not given>"


_ABSENT = _Absent()


def _has_default(p):
    return p.default is not call.EMPTY


def aliases(op):
    """Lines that let ``axis`` and ``keepdims`` speak for ``dim`` and ``keepdim``, as in PyTorch."""
    lines = []
    for old, new in (("axis", "dim"), ("keepdims", "keepdim")):
        if new in op.names and old not in op.names:
            lines.append(f"if {old} is not absent: {new} = {old}")
    return lines


def with_required(op):
    """A ``dim`` without default may come as ``axis``: make it optional in the text and check afterwards."""
    lines, changed = [], []
    for p in op.params:
        if p.name == "dim" and not _has_default(p) and "axis" not in op.names:
            changed.append(p.name)
            lines.append(f"if dim is absent: raise TypeError('{op.name}() missing 1 required positional arguments: \"dim\"')")
    return lines, changed


def _first_call(*args, **kwargs):
    return complete(args, kwargs)      # noqa: F821  (each function has a namespace of its own: see `deferred`)


def deferred(name, write, doc, module):
    """A function that is written when it is first called: most programs use few of the operators, and import must be quick.

    ``write(scope)`` gives the text of ``def <name>``, and puts into ``scope`` what it needs. The function object stays the same: its
    code is exchanged. The first call goes the long way, which finds the user's line past our frames.
    """
    def write_now():
        scope.update(_SCOPE)
        source = write(scope)
        filename = f"{_FOLDER}generated/{name}"
        local = {}
        exec(compile(source, filename, "exec"), scope, local)
        written = local[name]
        made.__defaults__, made.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
        made.__code__ = written.__code__
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)   # for tracebacks

    def complete(args, kwargs):
        write_now()
        modes.enter_special()
        try:
            return made(*args, **kwargs)
        finally:
            modes.leave_special()

    scope = {"__name__": None, "complete": complete, "write_now": write_now}
    made = types.FunctionType(_first_call.__code__, scope, name)
    made.__qualname__, made.__module__, made.__doc__ = name, module, doc
    return made


def public_function(op, ending=(), parameters=None, first=(), names=None):
    """The public function of ``op``.

    ``ending``: lines that come before the long way. ``parameters`` and ``first``: another parameter list, and lines in front that make
    the operator's own of it, with ``names`` for what they use.
    """
    def write(scope):
        parts, defaults, out = signature(op)
        checks, optional = with_required(op)
        if optional:
            at = parts.index("dim")
            parts[at] = "dim=absent"
            for i in range(at + 1, len(parts)):      # what follows a parameter with a default needs one
                if parts[i] == "*":
                    break
                if "=" not in parts[i]:
                    parts[i] += "=absent"
            defaults["absent"] = _ABSENT
        scope.update(defaults, op=op, kernel=op.ufunc or op.kernel)
        scope.update(names or {})
        body = [*first] if parameters is not None else aliases(op) + checks
        values = "(" + "".join(f"{n}, " for n in op.names) + ")"
        if short_way_exists(op):
            body += short_way(op, scope, out)
        body += ending
        body.append(f"return invoke(op, {values}{', out' if out else ''})")
        return f"def {op.name}({', '.join(parts) if parameters is None else parameters}):\n" + "".join(f"    {line}\n" for line in body)

    made = deferred(op.name, write, op.kernel.__doc__, "torch" if op.space == "torch" else "torch." + op.space)
    made.__wrapped__ = op.kernel        # its signature is the function's
    made.op = op
    return made


def operator_function(op, arrays=False):
    """``op`` as a method like ``__add__``: NotImplemented for what is neither tensor nor number, so that Python asks the other.

    ``arrays``: take NumPy arrays as they are, which PyTorch does for == alone.
    """
    other = op.names[op.tensor_at[1]]
    lines = [f"if {other}.__class__ is ndarray and {other}.dtype in BY_NUMPY: {other} = wrap({other})"] if arrays else []
    lines += [f"if not isinstance({other}, OPERANDS) and not hasattr({other}, '__torch_function__'):", "    return NotImplemented"]
    return public_function(op, lines)


def inplace_function(op, operator=False):
    """The ``name_`` twin of an operator. The plain case (equal dtypes, nothing to record) writes straight into the tensor.

    ``operator``: for ``__iadd__`` and its like, which answer NotImplemented to what is neither tensor nor number.
    """
    long_way = call.inplace_function(op)
    if not short_way_exists(op) or op.view or op.extras:
        return long_way
    name = op.name + "_"
    return deferred(name, lambda scope: _inplace_text(op, scope, name, long_way, operator), long_way.__doc__, "torch")


def _inplace_text(op, scope, name, long_way, operator):
    parts, defaults, out = signature(op)
    if out:
        parts.remove("out=None")
        if parts[-1] == "*":
            parts.pop()
    scope.update(defaults, op=op, kernel=op.kernel, ufunc=op.ufunc, name=name, long_way=long_way)
    names = [op.names[i] for i in op.tensor_at]
    plain = [(i, p.name) for i, p in enumerate(op.params) if p.kind == "plain"]
    target = names[0]
    whole = op.integers and op.ufunc is not None and len(names) <= 2
    tests = ["(d is f32 or d is f64 or d is i64 or d is b8)" if whole else "(d is f32 or d is f64)", "0 not in a0.strides",
             f"({target}._rg is False or not state.grad)",
             f"({target}._extra is None or not {target}._extra.inference)"]
    if op.check is not None:
        tests += [f"{n}.__class__ in NUMBERS" for _, n in plain]
    inner = [f"a0 = {target}._a", "d = a0.dtype", f"if {' and '.join(tests)}:"]
    arrays = ["a0"]
    for i, n in enumerate(names[1:], 1):
        arrays.append(f"a{i}")
        lines = [f"a{i} = {n}._a", f"if a{i}.dtype is not d or {n}._rg and state.grad: raise ValueError",
                 f"if (a0.base is not None or a{i}.base is not None) and overlaps(a0, a{i}): raise ValueError"]
        if op.kinds[i] == "operand":
            number = f"a{i} = {n}"
            if len(names) == 2:
                number = f"a{i} = (scalars32 if d is f32 else scalars64).get({n})\n        if a{i} is None: a{i} = scalar_array({n}, d)"
            if whole:
                lines = [f"if d is i64 and {n}.__class__ is int: a{i} = {n}",
                         f"elif (d is i64 or d is b8) and {n}.__class__ in NUMBERS: raise ValueError",
                         f"elif {n}.__class__ in NUMBERS:", *("    " + x.strip() for x in number.split("\n")), "else:",
                         *("    " + x for x in lines)]
            else:
                lines = [f"if {n}.__class__ in NUMBERS:", *("    " + x.strip() for x in number.split("\n")), "else:",
                         *("    " + x for x in lines)]
        inner += ["    " + x for x in lines]
    by_name = dict(zip(names, arrays))
    arguments = ", ".join([by_name.get(n, n) for n in op.names[:op.keyword_from]]
                          + [f"{n}={by_name.get(n, n)}" for n in op.names[op.keyword_from:]])
    general = ["token = hush()", "try:", f"    r = kernel({arguments})", "finally:", "    unhush(token)",
               "if r.shape != a0.shape or r.dtype is not d: raise ValueError", "a0[...] = r"]
    if op.ufunc is None:
        inner += ["    " + x for x in general]
    elif not plain:
        inner.append(f"    ufunc({', '.join(arrays)}, a0)")
    else:
        inner += [f"    if {' and '.join(f'{n} is default{i}' for i, n in plain)}: ufunc({', '.join(arrays)}, a0)", "    else:"]
        inner += ["        " + x for x in general]
    inner += ["    frame = getframe(1)", "    where = name, (frame.f_code, frame.f_lasti)", f"    cell = {target}._ver",
              f"    if cell is None: {target}._ver = [1, where]", "    else:", "        cell[0] += 1",
              "        cell.append(where)", "        if len(cell) > 16: del cell[1:-8]", f"    return {target}"]
    # A recording sees only what is recorded, which goes the long way in any case.
    body = ["if modes.plain or modes.watched:", "    try:", *("        " + x for x in inner), "    except UNUSUAL:",
            "        pass      # the long way knows what to say"]
    if operator:
        body += [f"if not isinstance({names[1]}, OPERANDS) and not hasattr({names[1]}, '__torch_function__'):",
                 "    return NotImplemented"]
    values = ", ".join([*op.names[:op.keyword_from], *(f"{n}={n}" for n in op.names[op.keyword_from:])])
    body.append(f"return long_way({values})")
    return f"def {name}({', '.join(parts)}):\n" + "".join(f"    {line}\n" for line in body)


_FOLDER = __file__.rpartition("generate.py")[0]     # so that places in generated code count as ours


def short_way_exists(op):
    return op.fast and not op.multiple and 1 <= len(op.kinds) <= 3 and op.kinds[0] in ("tensor", "operand") \
        and all(k in ("tensor", "operand") for k in op.kinds) and not callable(op.promote) \
        and (op.check is None or all(_has_default(p) for p in op.params if p.kind == "plain"))


_SCALARS32, _SCALARS64 = {}, {}


def scalar_array(value, dtype):
    """A number as a 0-d array, which NumPy takes in half the time of a Python number; remembered while there are few.

    Zero is made anew: 0.0 and -0.0 are one key.
    """
    token = hush()
    try:
        array = np.array(value, dtype)
    finally:
        unhush(token)
    array.flags.writeable = False
    if value:
        table = _SCALARS32 if dtype is _F32 else _SCALARS64
        if len(table) >= 1024:
            table.clear()
        table[value] = array
    return array


_F32 = np.dtype(np.float32)
_SCOPE.update(scalars32=_SCALARS32, scalars64=_SCALARS64, scalar_array=scalar_array)


def short_way(op, scope, out):
    """Lines for the plain case."""
    names = [op.names[i] for i in op.tensor_at]
    condition = "modes.plain" + (" and out is None" if out else "")
    plain = [(i, p.name) for i, p in enumerate(op.params) if p.kind == "plain"]
    if op.grad_name.__class__ is not str:           # which wants to see further parameters
        condition += "".join(f" and {n} is default{i}" for i, n in plain)
    elif op.ufunc is not None or op.check is not None:      # a check has nothing to say against numbers
        condition += "".join(f" and ({n} is default{i} or {n}.__class__ in NUMBERS)" for i, n in plain)
    scope["whole_kernel"] = op.kernel
    lines = [f"if {condition}:", "    try:"]
    inner = []
    head = next((i for i in range(1, len(names)) if op.kinds[i] == "operand"), len(names))     # what follows may be numbers
    numbers = len(names) - head
    inner.append(f"a0 = {names[0]}._a")
    inner.append("d = a0.dtype")
    test = "d is f32 or d is f64" + (" or d is i64 or d is b8" if op.integers else "")
    if op.promote is None and len(names) == 1:
        inner += main_case(op, scope, names, ["a0"])
    elif numbers == 1 and head == 1:
        inner.append(f"kind = {names[1]}.__class__")
        inner.append("if kind is float or kind is int:")
        inner.append("    if d is f32 or d is f64:")
        inner.append(f"        s = (scalars32 if d is f32 else scalars64).get({names[1]})")
        inner.append(f"        if s is None: s = scalar_array({names[1]}, d)")
        if op.integers:
            inner += ["    elif d is i64 and kind is int:", f"        s = {names[1]}", "    else: d = None"]
        else:
            inner.append("    else: d = None")
        inner.append("    if d is not None:")
        inner += ["        " + x for x in main_case(op, scope, names, ["a0", "s"], number=1)]
        inner.append("else:")
        inner.append(f"    a1 = {names[1]}._a")
        inner.append(f"    if d is a1.dtype and ({test}):")
        inner += ["        " + x for x in main_case(op, scope, names, ["a0", "a1"])]
    else:
        if numbers:
            inner += [f"a{i} = {names[i]}._a" for i in range(1, head)]
            same = [f"d is a{i}.dtype" for i in range(1, head)]
            given = [f"{n}.__class__ in NUMBERS" for n in names[head:]]
            inner.append(f"if {' and '.join([*given, *same, '(d is f32 or d is f64)'])}:")
            arrays = [f"a{i}" for i in range(head)] + names[head:]
            inner += ["    " + x for x in main_case(op, scope, names, arrays, number=numbers)]
        same = [f"d is a{i}.dtype" for i in range(1, len(names))]
        inner += [f"a{i} = {names[i]}._a" for i in range(1, len(names))]
        inner.append(f"if {' and '.join([*same, f'({test})'])}:")
        inner += ["    " + x for x in main_case(op, scope, names, [f"a{i}" for i in range(len(names))])]
    lines += ["        " + x for x in inner]
    lines += ["    except UNUSUAL:", "        pass      # the long way knows what to say"]
    return lines


def main_case(op, scope, names, arrays, number=0):
    """Compute, wrap, record, return; the last ``number`` operands are numbers (or None)."""
    by_name = dict(zip(names, arrays))
    positional = [by_name.get(n, n) for n in op.names[:op.keyword_from]]
    keywords = [f"{n}={by_name.get(n, n)}" for n in op.names[op.keyword_from:]]
    arguments = ", ".join(positional + keywords)
    lines = []
    if op.view:
        lines.append(f"if {names[0]}._extra is not None: raise AttributeError     # perhaps an inference tensor")
    plain = [(i, p.name) for i, p in enumerate(op.params) if p.kind == "plain"]
    if op.ufunc is not None and plain:      # which the C function knows nothing of
        lines += [f"if {' and '.join(f'{n} is default{i}' for i, n in plain)}: r = kernel({', '.join(arrays)})", "else:",
                  "    if d is not f32 and d is not f64: raise ValueError", "    token = hush()",
                  f"    try: r = whole_kernel({arguments})", "    finally: unhush(token)"]
    elif op.ufunc is not None:
        lines.append(f"r = kernel({', '.join(arrays)})")
    elif op.view or op.silent:
        lines.append(f"r = kernel({arguments})")
    else:
        lines += ["token = hush()", "try:", f"    r = kernel({arguments})", "finally:", "    unhush(token)"]
    if op.extras:
        lines.append("r, extras = r")
    lines.append("if r.__class__ is not ndarray: r = asarray(r)")
    lines += ["t = new(Tensor)", "t._a = r", "t._edge = None", "t._grad = None", "t._extra = None"]
    if op.view:
        base = names[0]
        lines += [
            f"root = {base}._base",
            f"if root is None: root = {base}",
            "t._base = root",
            "cell = root._ver",
            "if cell is None: cell = root._ver = [0]",
            "t._ver = cell", "t._view_version = cell[0]", "t._rg = UNSURE",
            f"t._view_meta = {base}._view_meta if {base} is not root else None if state.grad else NO_GRAD",
        ]
    else:
        lines += ["t._rg = False", "t._base = None", "t._ver = None"]
    if op.differentiable and (op.rules or op.joint):
        tensors = names[:len(names) - number]
        lines.append(f"if ({' or '.join(n + '._rg' for n in tensors)}) and state.grad:")
        lines += ["    " + x for x in recording(op, scope, names, arrays, number)]
    elif op.differentiable:
        tensors = names[:len(names) - number]
        lines.append(f"if ({' or '.join(n + '._rg' for n in tensors)}) and state.grad: return invoke(op, "
                     f"({''.join(n + ', ' for n in op.names)}))")
    lines.append("return t")
    return lines


def recording(op, scope, names, arrays, number):
    """Lines that make the node; one branch for each choice of inputs that need gradients."""
    tensors = names[:len(names) - number]
    lines = []
    for i, n in enumerate(tensors):
        # A plain tensor's own edge; views and odd ones ask.
        lines.append(f"e{i} = (({n}._edge or {n}) if {n}._base is None else edge_of({n})) if {n}._rg else None")
    full = [False] * len(names)
    masks = []
    if len(tensors) == 1:
        masks = [(True, *full[1:])]
        tests = ["e0 is not None"]
    else:
        count = 1 << len(tensors)
        tests = []
        for bits in range(count - 1, 0, -1):
            mask = tuple(bool(bits >> i & 1) for i in range(len(tensors))) + (False,) * (len(names) - len(tensors))
            masks.append(mask)
            tests.append(" and ".join(f"e{i} is {'not ' if m else ''}None" for i, m in enumerate(mask[:len(tensors)])))
    for at, (mask, test) in enumerate(zip(masks, tests)):
        plan = op.plan(tuple(mask), sample_values(op, number))
        scope[f"plan{'n' if number else ''}{at}"] = plan
        lines.append(f"{'if' if at == 0 else 'elif'} {test}:")
        branch = branch_lines(op, plan, names, arrays, number)
        edges = ", ".join(f"e{i}" if i < len(tensors) else "None" for i in range(len(names))) + ","
        branch += ["node = new(Node)", f"node.plan = plan{'n' if number else ''}{at}", f"node.edges = ({edges})"]
        branch += ["node.saved = saved", "node.guard = guard"]
        lines += ["    " + x for x in branch]
    lines.append("else:")
    lines.append("    return t")
    lines += ["node.shape = r.shape", "node.dtype = r.dtype", "node.watch = None",
              "frame = getframe(1)", "node.code = frame.f_code", "node.at = frame.f_lasti",
              "node.seq = next_sequence()", "t._edge = node", "t._rg = True"]
    return lines


def sample_values(op, number):
    """Values such as the plain case has, for an operator whose node's name depends on them."""
    numbers = [op.names[i] for i in op.tensor_at[len(op.tensor_at) - number:]] if number else []
    return [p.default if p.kind == "plain" else 1.0 if p.name in numbers else _A_TENSOR for p in op.params]


_A_TENSOR = wrap(np.zeros(()))


def branch_lines(op, plan, names, arrays, number):
    """What one plan saves and guards."""
    lines, entries, guard = [], [], []
    by_name = dict(zip(names, arrays))
    for name, (_kind, (source, at)) in zip(plan.saves, plan.sources):
        if source == "input":
            entries.append(by_name[name])
            if number and name in names[-number:]:
                guard.append("NEVER, 0")
            else:
                i = names.index(name)
                lines.append(f"c{i} = {name}._ver or {name}._cell()")
                guard.append(f"c{i}, c{i}[0]")
        elif source in ("out", "outs"):
            entries.append("r" if source == "out" else "[r]")
            lines.append("c = t._ver = [0]") if not op.view else lines.append("c = t._ver")
            guard.append("c, c[0]")
        elif source == "extra":
            entries.append(f"extras[{name!r}]")
        elif source == "plain":
            entries.append(name)
        elif source == "shape":
            a = by_name[op.names[at]]
            entries.append("()" if number and op.names[at] in names[-number:] else f"{a}.shape")
        else:
            a = by_name[op.names[at]]
            entries.append(f"BY_NUMPY[{'a0' if number and op.names[at] in names[-number:] else a}.dtype]")
    if plan.guarded and not guard:
        raise AssertionError(op.name)
    lines.append(f"saved = ({''.join(e + ', ' for e in entries)})")
    lines.append(f"guard = ({', '.join(guard)},)" if guard else "guard = None")
    return lines


_SCOPE["NEVER"] = [0]
_SCOPE["BY_NUMPY"] = call.BY_NUMPY
