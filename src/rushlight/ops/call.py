"""The long way of a call: every operator, every argument, every mode.

``invoke`` is what the short way (``generate``) falls back to and what defines an operator's behaviour: overrides, argument
types, promotion, the kernel, wrapping, recording. Tests run operators both ways and compare.
"""
import functools
import inspect
import traceback
import warnings

import numpy as np

from .. import dtypes
from ..autograd import modes, saved, views
from ..autograd.anomaly import refuse_forward
from ..autograd.blame import running_module
from ..autograd.node import Out, make
from ..dtypes import BY_NUMPY
from ..kernels.quiet import hush, unhush
from ..tensor import _PACKAGE, Tensor, _disabled_torch_function_impl, user_place, wrap
from .seen import call_twin, twin_of

__all__ = ["invoke", "inplace_function", "both_form", "broadcast_shapes", "return_type", "overridable"]

NUMBER = (bool, int, float, complex, np.number, np.bool_)
_ndarray = np.ndarray


# ---------------------------------------------------------------- overrides

def _override_candidates(values):
    for v in values:
        if isinstance(v, (list, tuple)):
            yield from _override_candidates(v)
        elif type(v) is not Tensor and hasattr(type(v), "__torch_function__") \
                and type(v).__torch_function__ is not _disabled_torch_function_impl:
            yield v


def try_override(function, values, args, kwargs):
    """(True, result) if a mode or a subclass among ``values`` takes the call over, else (False, None)."""
    if modes.watched:
        return False, None      # nothing rare is in use but recordings
    state = modes.state
    stack = state.function_modes
    if stack:
        mode = stack[-1]
        state.function_modes = stack[:-1]
        try:
            kinds = {type(v) for v in _override_candidates(values)}
            return True, mode.__torch_function__(function, tuple(kinds), args, kwargs)
        finally:
            state.function_modes = stack
    if state.no_torch_function:
        return False, None
    found = []
    for v in _override_candidates(values):
        if type(v) not in [type(f) for f in found]:
            at = next((i for i, f in enumerate(found) if issubclass(type(v), type(f))), len(found))
            found.insert(at, v)
    if not found:
        return False, None
    kinds = tuple(type(v) for v in found)
    for v in found:
        result = type(v).__torch_function__(function, kinds, args, kwargs)
        if result is not NotImplemented:
            return True, result
    raise TypeError(f"no implementation found for 'torch.{function.__name__}' on types that implement __torch_function__: "
                    f"{list(kinds)}\nReturn something other than NotImplemented from one of them.")


def overridable(function, name):
    """A composite that asks modes and subclasses first, when there are any."""
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if not modes.plain:
            taken, result = try_override(wrapped, (*args, *kwargs.values()), args, kwargs)
            if taken:
                return result
        return function(*args, **kwargs)
    wrapped.__name__ = name
    return wrapped


# ---------------------------------------------------------------- arguments

def check_tensor(op, i, v):
    param = op.params[i]
    if not isinstance(v, Tensor):
        wanted = "tuple of Tensors" if param.kind == "list" else "Tensor"
        raise TypeError(f"{op.name}(): argument '{param.name}' (position {i + 1}) must be {wanted}, not {type(v).__name__}"
                        + _argument_help(v))


def _argument_help(v):
    if isinstance(v, _ndarray):
        return "\nConvert it with torch.from_numpy or torch.as_tensor."
    if isinstance(v, NUMBER):
        return "\nWrap it with torch.tensor."
    return "\nPass a Tensor."


def arrays_of(op, values):
    """The values with arrays in place of tensors, and the list of tensors among them (by parameter)."""
    arrays = list(values)
    for i, kind in zip(op.tensor_at, op.kinds):
        v = values[i]
        if isinstance(v, Tensor):
            if kind == "list":
                raise TypeError(f"{op.name}(): argument '{op.names[i]}' (position {i + 1}) must be tuple of Tensors, not "
                                "Tensor\nPut the tensors in a list.")
            arrays[i] = v._a
        elif kind == "list":
            if not isinstance(v, (list, tuple)):
                check_tensor(op, i, v)
            for j, t in enumerate(v):
                if not isinstance(t, Tensor):
                    raise TypeError(f"expected Tensor as element {j} in argument {i}, but got {type(t).__name__}"
                                    + _argument_help(t))
            arrays[i] = [t._a for t in v]
        elif v is None and (kind == "optional" or op.params[i].default is None):
            pass
        elif kind == "operand" and isinstance(v, NUMBER):
            pass
        else:
            check_tensor(op, i, v)
    return arrays


def combined_dtype(op, values, arrays):
    """PyTorch's result type of the tensors and numbers among the arguments."""
    dims, zero, numbers = [], [], []
    for i, kind in zip(op.tensor_at, op.kinds):
        a = arrays[i]
        for x in (a if kind == "list" else (a,)):
            if x is None:
                continue
            if isinstance(x, _ndarray):
                (dims if x.ndim else zero).append(BY_NUMPY[x.dtype])
            else:
                numbers.append(dtypes.category_of_number(x))
    if not dims and not zero:
        check_tensor(op, op.tensor_at[0], values[op.tensor_at[0]])
    return dtypes.combine(dims, zero, numbers)


def promote(op, values, arrays, into=None):
    """Cast the arrays as the operator asks; returns (result dtype or None, whether computed in float32 for a half type).

    ``into``: the NumPy dtype of the tensor that an in-place operator writes.
    """
    rule = op.promote
    if rule is None:
        return None, False
    common = combined_dtype(op, values, arrays)
    result = common
    if callable(rule):
        result = rule(common)
    elif rule == "float" and common.category < dtypes.FLOATING:
        result = dtypes.get_default_dtype()
    if into is not None and rule != "compare":
        check_castable(result.numpy, into)
    if op.refuse is not None and ("bifc"[result.category] in op.refuse[1] or result.low_precision and "h" in op.refuse[1]):
        raise NotImplementedError(f'"{op.refuse[0]}" not implemented for \'{result.scalar_name}\''
                                  "\nConvert the tensor first, for instance with .float().")
    compute, low = result, False
    if result.low_precision and op.opmath:
        compute, low = dtypes.float32, True
    numpy = compute.numpy
    for i, kind in zip(op.tensor_at, op.kinds):
        if kind == "list":
            arrays[i] = [x if x.dtype == numpy else x.astype(numpy) for x in arrays[i]]
        elif arrays[i] is not None:
            x = arrays[i]
            if low and isinstance(x, _ndarray) and x.dtype.kind in "iu":     # which may be infinite in the half type
                x = x.astype(result.numpy)
            arrays[i] = cast(x, numpy)
    return (None if rule == "compare" else result), low


def cast(x, numpy):
    """An array (or number) as an array of the NumPy dtype; integers wrap around as in C."""
    if isinstance(x, _ndarray):
        return x if x.dtype == numpy else x.astype(numpy)
    if numpy.kind in "iu" and isinstance(x, int) and not isinstance(x, bool):
        bits = 8 * numpy.itemsize
        x &= (1 << bits) - 1
        if numpy.kind == "i" and x >> (bits - 1):
            x -= 1 << bits
    return np.asarray(x, numpy)


def broadcast_shapes(a, b):
    """The common shape of two; RuntimeError with PyTorch's sentence where there is none."""
    if a == b:
        return a
    n = max(len(a), len(b))
    pa, pb = (1,) * (n - len(a)) + tuple(a), (1,) * (n - len(b)) + tuple(b)
    out = []
    for i, x, y in zip(range(n - 1, -1, -1), reversed(pa), reversed(pb)):
        if x != y and x != 1 and y != 1:
            raise RuntimeError(f"The size of tensor a ({x}) must match the size of tensor b ({y}) at non-singleton dimension "
                               f"{i}\nThe shapes are {list(a)} and {list(b)}.")
        out.append(y if x == 1 else x)
    return tuple(reversed(out))


def check_broadcast(arrays):
    shape = None
    for x in arrays:
        if isinstance(x, _ndarray):
            shape = x.shape if shape is None else broadcast_shapes(shape, x.shape)
    return shape


# ---------------------------------------------------------------- computing

def compute(op, values, into=None):
    """(results as a list of arrays, extras, the arrays the kernel saw)."""
    token = hush()
    try:
        return _compute(op, values, into)
    finally:
        unhush(token)


def _compute(op, values, into):
    arrays = arrays_of(op, values)
    if op.check is not None:
        op.check(*arrays)
    result_dtype, low = promote(op, values, arrays, into)
    if op.promote is not None and len(op.tensor_at) > 1 and "list" not in op.kinds:
        check_broadcast([arrays[i] for i in op.tensor_at])
    keyword = op.keyword_from
    if keyword == len(arrays):
        made = op.kernel(*arrays)
    else:
        made = op.kernel(*arrays[:keyword], **dict(zip(op.names[keyword:], arrays[keyword:])))
    extras = None
    if op.extras:
        made, extras = made
    results = list(made) if op.multiple else [made]
    for i, r in enumerate(results):
        if r.__class__ is not _ndarray:
            r = results[i] = np.asarray(r)
        if low and r.dtype == np.float32:
            results[i] = r.astype(result_dtype.numpy)
    return results, extras, arrays


def needs_grad(op, values):
    """One bool per tensor parameter: does it lead to something that requires grad?"""
    mask = []
    for i, kind in zip(op.tensor_at, op.kinds):
        v = values[i]
        if kind == "list":
            mask.append(any(views.edge_of(t) is not None for t in v))
        else:
            mask.append(isinstance(v, Tensor) and bool(v._rg) and views.edge_of(v) is not None)
    return tuple(mask)


def invoke(op, values, out=None):
    """Call an operator with its values in the order of its parameters."""
    if not modes.plain:
        if modes.watched and out is None:
            observer = modes.state.observer
            if observer is not None and not observer.inside:
                twin = twin_of(op)
                if twin is not None:
                    return call_twin(twin, op, values, observer)
        if not modes.watched:
            given = (*values, out) if out is not None else values
            taken, result = try_override(op.public, given, *_as_call(op, values, out))
            if taken:
                return result
    results, extras, arrays = compute(op, values)
    if out is not None:
        return write_out(op, values, results, out)
    tensors = [wrap(r) for r in results]
    state = modes.state
    if op.view:
        for t in tensors:
            _attach(t, values[op.tensor_at[0]], op, state)
    if state.inference:
        for t in tensors:
            if t._base is None:          # a view of an ordinary tensor stays one
                t._rare().inference = True
    elif state.grad and op.differentiable:
        mask = needs_grad(op, values)
        if True in mask:
            record(op, mask, values, arrays, results, extras, tensors)
    if state.observer is not None:
        state.observer.computed(op, values, tensors)
    if state.anomaly_forward:
        refuse_forward(op, values, tensors, user_place(), running_module())
    return pack_results(op, tensors)


def _as_call(op, values, out):
    kwargs = {n: v for n, v in zip(op.names[op.keyword_from:], values[op.keyword_from:])
              if v is not op.params[op.names.index(n)].default}
    args = list(values[:op.keyword_from])
    while args and len(args) > 1 and args[-1] is op.params[len(args) - 1].default:
        args.pop()
    if out is not None:
        kwargs["out"] = out
    return tuple(args), kwargs


def pack_results(op, tensors):
    if not op.multiple:
        return tensors[0]
    return op.returns(tensors) if op.returns is not None else tuple(tensors)


def _attach(t, base, op, state):
    if not np.may_share_memory(t._a, base._a) and t._a.size:
        return
    if base.is_inference():
        t._rare().inference = True
        return
    views.attach_view(t, base)
    t._rg = views.UNSURE
    if op.multiple and state.grad:
        t._view_meta = views.MULTI
    elif state.inference:
        t._view_meta = views.INFERENCE
    elif not state.grad:
        t._view_meta = views.NO_GRAD
    elif base._base is not None and base._view_meta is not None:
        t._view_meta = base._view_meta


# ---------------------------------------------------------------- recording

def _is_differentiable(array):
    return array.dtype.kind in "fc" or BY_NUMPY[array.dtype].category >= dtypes.FLOATING


def record(op, mask, values, arrays, results, extras, tensors, inplace=False, original=None):
    """Make the node of a call and give it to the result tensors."""
    plan = op.plan(mask, values, results[0].dtype.kind != "c")
    edges = []
    for i, kind in zip(op.tensor_at, op.kinds):
        v = values[i]
        if kind == "list":
            edges.extend(views.edge_of(t) for t in v)
        else:
            edges.append(views.edge_of(v) if isinstance(v, Tensor) else None)
    entries, guard, stand = [], [], []
    for kind, (source, at) in plan.sources:
        tensor = None
        if source == "input":
            v = values[at]
            entry = arrays[at]
            if isinstance(v, Tensor):
                if inplace and at == 0:
                    entry, tensor = original, wrap(original)
                    guard += [[0], 0]
                else:
                    # A half type is computed in float32, but what is kept is the input itself.
                    if isinstance(entry, _ndarray) and entry.dtype != v._a.dtype and BY_NUMPY[v._a.dtype].low_precision \
                            and results[0].dtype == v._a.dtype:
                        entry = v._a
                    tensor = v
                    cell = v._cell()
                    # An in-place operator has counted its own write already; what it saved of the same memory is older.
                    guard += [cell, cell[0] - (inplace and cell is values[0]._ver)]
            elif isinstance(v, (list, tuple)):
                tensor = list(v)
                cells = [t._cell() for t in v]
                guard += [_Joint(cells), sum(c[0] for c in cells)]
            else:
                guard += [[0], 0]
                if isinstance(entry, _ndarray) and BY_NUMPY[results[0].dtype].low_precision:
                    entry = entry.astype(results[0].dtype)
        elif source == "out":
            entry, tensor = results[at], tensors[at]
            cell = tensor._cell()
            guard += [cell, cell[0]]
        elif source == "outs":
            entry, tensor = list(results), list(tensors)
            cells = [t._cell() for t in tensors]
            guard += [_Joint(cells), sum(c[0] for c in cells)]
        elif source == "extra":
            entry = extras[at]
            tensor = entry if not isinstance(entry, _ndarray) else wrap(entry)
        elif source == "plain":
            entry = values[at]
        else:
            entry = _describe(source, arrays[at])
        entries.append(entry)
        stand.append(tensor if kind != saved.PLAIN and isinstance(tensor, Tensor) else None)
    if op.multiple:
        shape, dtype = [r.shape for r in results], [r.dtype for r in results]
    else:
        shape, dtype = results[0].shape, results[0].dtype
    state = modes.state
    kept = tuple(entries)
    where = user_place()
    node = make(plan, tuple(edges), kept, tuple(guard) if guard else None, shape, dtype, where)
    if any(s is not None for s in stand):
        if state.saved_hooks_error is not None:
            raise RuntimeError(state.saved_hooks_error)
        if state.saved_hooks:
            node.saved = saved.pack(plan, kept, stand)
            node.guard = None
    if state.anomaly:
        note_anomaly(node)
    if inplace:
        return node
    for i, t in enumerate(tensors):
        if _is_differentiable(t._a):
            t._rg = True
            t._edge = Out(node, i) if op.multiple else node
        elif t._rg is True:
            t._rg = False
    return node


def note_anomaly(node):
    """Under anomaly mode a node remembers the stack that built it, without our frames, and the node whose rule did, if any."""
    frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
    node.metadata["traceback_"] = traceback.format_list(frames)
    node.metadata["parent_"] = modes.state.running
    module = running_module()
    if module is not None:
        node.metadata["module_"] = module


class _Joint:
    """The version counters of several tensors seen as one."""

    __slots__ = ("cells",)

    def __init__(self, cells):
        self.cells = cells

    def __getitem__(self, i):
        if i == 0:
            return sum(c[0] for c in self.cells)
        writers = [w for c in self.cells for w in c[1:]]
        return writers[i] if isinstance(i, slice) else writers[-1] if writers else None

    def __len__(self):
        return 2 if any(len(c) > 1 for c in self.cells) else 1


def _describe(what, x):
    if isinstance(x, (list, tuple)):
        return [_describe(what, y) for y in x]
    if x is None:
        return None
    if what == "shape":
        return np.shape(x)
    return BY_NUMPY[np.asarray(x).dtype]


# ---------------------------------------------------------------- in place and out=

def inplace_function(op):
    """The ``name_`` twin of an operator."""
    name = op.name + "_"

    def twin(*args, **kwargs):
        values = bind(op, name, args, kwargs)
        if not modes.plain:
            taken, result = try_override(twin, values, args, kwargs)
            if taken:
                return result
        return invoke_inplace(op, values, name)
    twin.__name__ = twin.__qualname__ = name
    twin.__module__ = "torch"
    twin.__doc__ = f"In-place version of ``{op.name}``: the result is written into the first argument, which is returned."
    return twin


def bind(op, name, args, kwargs):
    """Positional and keyword arguments as values in the order of the parameters; TypeError as PyTorch."""
    if len(args) > op.keyword_from:
        raise TypeError(f"{name}() takes {op.keyword_from} positional arguments but {len(args)} were given")
    values = list(args) + [p.default for p in op.params[len(args):]]
    for key, v in kwargs.items():
        if key in _KEYWORD_ALIASES and key not in op.names:
            key = _KEYWORD_ALIASES[key]
        if key not in op.names:
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'\nIt takes {', '.join(op.names)}.")
        at = op.names.index(key)
        if at < len(args):
            raise TypeError(f"{name}() got multiple values for argument '{key}'")
        values[at] = v
    missing = [p.name for p, v in zip(op.params, values) if v is EMPTY]
    if missing:
        raise TypeError(f"{name}() missing {len(missing)} required positional arguments: "
                        + ", ".join(f'"{m}"' for m in missing))
    return values


EMPTY = inspect.Parameter.empty
_KEYWORD_ALIASES = {"axis": "dim", "keepdims": "keepdim", "self": "input"}


def invoke_inplace(op, values, name):
    """Compute an operator and write the result into its first argument."""
    target = values[0]
    if not isinstance(target, Tensor):
        check_tensor(op, 0, target)
    state = modes.state
    mask = needs_grad(op, values) if state.grad and op.differentiable else ()
    recorded = True in mask and target._a.dtype.kind not in "iub"       # whole numbers have no gradient
    if recorded or state.grad and op.differentiable and target.requires_grad:
        views.check_writable(target)
    if target.is_inference() and not state.inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
                           "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more "
                           "details.")
    array = target._a
    if op.promote is not None or op.ufunc is not None:          # element by element
        check_partial_overlap(array, values[1:])
    results, extras, arrays = compute(op, values, array.dtype)
    result = results[0]
    if result.shape != array.shape:
        raise RuntimeError(f"output with shape {list(array.shape)} doesn't match the broadcast shape {list(result.shape)}"
                           "\nAn in-place operator cannot grow its tensor.")
    check_castable(result.dtype, array.dtype)
    check_overlap(array)
    plan = op.plan(mask, values, result.dtype.kind != "c") if recorded else None
    original = array.copy() if recorded and op.names[0] in plan.saves else None
    write(array, result)
    if state.anomaly_forward:
        refuse_forward(op, values[1:], [target], user_place(), running_module())
    target._bump((name, user_place(), op.grad_name if recorded and isinstance(op.grad_name, str) else None))
    if recorded:
        node = record(op, mask, values, arrays, [array], extras, [target], inplace=True, original=original)
        views.rebase(target, node)
    return target


def check_overlap(array):
    """Refuse to write through a view in which one element of memory stands for several."""
    if 0 in array.strides and array.size and any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape)):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single memory "
                           "location. Please clone() the tensor before performing the operation.")


def overlaps(a, b):
    """Whether two arrays share some of their memory, but are not the same elements in the same order.

    As PyTorch sees it: only where each fills its stretch of memory without gaps; else it does not ask.
    """
    if a is b or a.base is None and b.base is None or not a.size or not b.size:
        return False
    start, end = np.lib.array_utils.byte_bounds(a)
    other, other_end = np.lib.array_utils.byte_bounds(b)
    if start >= other_end or other >= end or end - start != a.nbytes or other_end - other != b.nbytes:
        return False
    return start != other or end != other_end or a.strides != b.strides


def check_partial_overlap(array, others):
    """PyTorch's refusal to write element by element into what is being read at other places."""
    for x in others:
        if isinstance(x, Tensor) and overlaps(array, x._a):
            raise RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
                               "memory location. Please clone() the tensor before performing the operation.")


def write(array, result):
    """Copy ``result`` into ``array``, whatever their dtypes."""
    if array.dtype == result.dtype:
        np.copyto(array, result)
        return
    token = hush()
    try:
        np.copyto(array, result, casting="unsafe")
    finally:
        unhush(token)


def check_castable(given, wanted):
    if given == wanted:
        return
    given, wanted = BY_NUMPY[given], BY_NUMPY[wanted]
    if not dtypes.can_cast(given, wanted):
        raise RuntimeError(f"result type {given.scalar_name} can't be cast to the desired output type {wanted.scalar_name}"
                           "\nUse the out-of-place operator, or convert first.")


def write_out(op, values, results, out):
    """Put results into the tensors given as ``out=`` and return those."""
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    for o in outs:
        if not isinstance(o, Tensor):
            raise TypeError(f"{op.name}(): argument 'out' must be Tensor, not {type(o).__name__}\nPass a Tensor to write into.")
    if modes.state.grad and (any(o.requires_grad for o in outs) or True in needs_grad(op, values)):
        raise RuntimeError(f"{op.name}(): functions with out=... arguments don't support automatic differentiation, but one "
                           "of the arguments requires grad.\nCall it without out=, or under torch.no_grad().")
    if op.out is not True:
        for o, r in zip(outs, results):
            if o._a.dtype != r.dtype:
                raise RuntimeError(op.out(BY_NUMPY[r.dtype], o.dtype) + "\nGive a tensor of the result's dtype.")
    if op.promote is not None or op.ufunc is not None:
        for o in outs:
            check_partial_overlap(o._a, values)
    for o, r in zip(outs, results):
        put_out(o, r, op.name)
    return pack_results(op, outs)


def put_out(o, result, name):
    """Resize ``o`` to the result's shape (warning if it held elements) and copy."""
    check_castable(result.dtype, o._a.dtype)
    if o._a.shape != result.shape:
        if o._a.size:
            warnings.warn(f"An output with one or more elements was resized since it had shape {list(o._a.shape)}, which does "
                          f"not match the required output shape {list(result.shape)}. This behavior is deprecated, and in a "
                          "future PyTorch release outputs will not be resized unless they have zero elements. You can "
                          "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                          UserWarning, stacklevel=6)
        o._a = np.empty(result.shape, o._a.dtype)
    write(o._a, result)
    o._bump((name + "(out=)", user_place()))


def inplace_composite(function, name):
    """The in-place twin of a composite: compute, then copy into the first argument."""
    def twin(input, *args, **kwargs):
        result = function(input, *args, **kwargs)
        if result._a.shape != input._a.shape:
            raise RuntimeError(f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(result.shape)}"
                               "\nAn in-place operator cannot grow its tensor.")
        check_castable(result._a.dtype, input._a.dtype)
        return input.copy_(result)
    twin.__name__ = twin.__qualname__ = name + "_"
    twin.__doc__ = f"In-place version of ``{name}``."
    return twin


# ---------------------------------------------------------------- forms

def both_form(op):
    """An operator for rules: arrays in, array out; or Tensors in, Tensor out."""
    kernel, extras = op.kernel, op.extras

    def form(*args, **kwargs):
        for a in args:
            kind = a.__class__
            if kind is _ndarray or kind is int:
                continue
            if isinstance(a, Tensor) or kind is list and a and isinstance(a[0], Tensor):
                return op.public(*args, **kwargs)
        if kwargs:
            for a in kwargs.values():
                if isinstance(a, Tensor):
                    return op.public(*args, **kwargs)
        made = kernel(*args, **kwargs)
        return made[0] if extras else made
    form.__name__ = op.name
    return form


_RETURN_TYPES = {}


def return_type(name, fields):
    """The class of a named tuple of results, printed as PyTorch prints ``torch.return_types``."""
    key = name, tuple(fields)
    if key not in _RETURN_TYPES:
        def __new__(cls, values):
            return tuple.__new__(cls, values)

        def __repr__(self):
            return f"torch.return_types.{name}(\n" + ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self)) + ")"

        def __reduce__(self):
            return _rebuild_return_type, (name, tuple(fields), tuple(self))
        body = {"__new__": __new__, "__repr__": __repr__, "__slots__": (), "__module__": "torch.return_types",
                "_fields": tuple(fields), "n_fields": len(fields), "n_sequence_fields": len(fields), "__reduce__": __reduce__}
        for i, f in enumerate(fields):
            body[f] = property(lambda self, i=i: tuple.__getitem__(self, i))
        _RETURN_TYPES[key] = type(name, (tuple,), body)
    return _RETURN_TYPES[key]


def _rebuild_return_type(name, fields, values):
    return return_type(name, fields)(values)

