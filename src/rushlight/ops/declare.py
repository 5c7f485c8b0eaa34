"""Declaring an operator.

    @op(promote="float", method=True, inplace=True)
    def tanh(input: Array):
        \"\"\"...\"\"\"
        return np.tanh(input)

    tanh.derivative(input=lambda g, out: g * (1 - out * out))

The decorated function is the *kernel*: arrays in, array out. Its parameters are the public signature and their annotations
say which are tensors: ``Array``, ``OptionalArray``, ``Arrays`` (a sequence), ``Operand`` (a tensor or a Python number; the
kernel is given an array). Everything else is passed through. From this come the function, the method, the in-place twin,
``out=``, the entry in the table, and the graph's node.

A *rule* is keyed by an input's name and **its parameters are what the graph saves**, and only when that input requires
grad: names of inputs and other parameters, ``out`` (or ``out0``, ``out1``...; ``outs``), ``<input>_shape``,
``<input>_dtype``, and the names that
``extras`` gives to further values the kernel returns. The first parameter is the gradient ``g``; an operator with
several results gets ``g0, g1, ...`` (None where nothing arrived). A rule runs on arrays, or on Tensors when the backward
pass is recorded, so it is written with operators and with ``both.<op>``, which answer both. It neither sums broadcast dimensions nor casts.
Where one computation yields all gradients, ``derivatives`` takes one function with ``needs`` among its parameters, which
returns a tuple.
"""
import typing
from collections.abc import Sequence

import numpy as np

from ..tensor import Tensor
from . import call, table
from .generate import public_function
from .plan import Plan

__all__ = ["Array", "OptionalArray", "Arrays", "Operand", "op", "composite", "both", "Op"]

Array = np.ndarray
OptionalArray = typing.Annotated[np.ndarray | None, "optional"]
Arrays = typing.Annotated[Sequence[np.ndarray], "list"]
Operand = typing.Annotated[np.ndarray, "operand"]

TENSOR, OPTIONAL, LIST, OPERAND, PLAIN = "tensor", "optional", "list", "operand", "plain"


class Param:
    """One parameter of an operator."""

    __slots__ = ("name", "kind", "default", "keyword_only")

    def __init__(self, name, note, default, keyword_only):
        self.name = name
        extra = getattr(note, "__metadata__", None)
        self.kind = extra[0] if extra else TENSOR if note is np.ndarray else PLAIN
        self.default = default
        self.keyword_only = keyword_only


def parameters(kernel):
    """The parameters of a kernel, read from its code: ``inspect.signature`` would take a tenth of the import."""
    code, notes = kernel.__code__, kernel.__annotations__
    names = code.co_varnames[:code.co_argcount]
    defaults = kernel.__defaults__ or ()
    given = dict(zip(names[len(names) - len(defaults):], defaults))
    found = [Param(n, notes.get(n), given.get(n, call.EMPTY), False) for n in names]
    given = kernel.__kwdefaults__ or {}
    keywords = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    return found + [Param(n, notes.get(n), given.get(n, call.EMPTY), True) for n in keywords]


class _Both:
    """Operators for use in rules: ``both.exp(x)`` takes arrays (and only computes) or Tensors (and records)."""

    def __getattr__(self, name: str) -> typing.Any:
        raise AttributeError(f"no operator is called {name!r}; a rule that asks for it cannot run")


both: typing.Any = _Both()


def _conj(x):
    """``both.conj``: nearly every product's rule asks for it, and nearly always of something real."""
    kind = x.__class__
    if kind is np.ndarray:
        return np.conjugate(x) if x.dtype.kind == "c" else x
    return x if kind is float or kind is int else x.conj() if isinstance(x, Tensor) else np.conjugate(x)


both.conj = _conj


class Op:
    """A declared operator; calling it calls the public function."""

    def __init__(self, kernel, **options):
        self.kernel = kernel
        self.name = options.pop("name", None) or kernel.__name__
        self.promote = options.pop("promote", None)
        self.opmath = options.pop("opmath", True)
        self.view = options.pop("view", False)
        self.method = options.pop("method", False)
        self.function = options.pop("function", True)
        self.inplace = options.pop("inplace", False)
        self.out = options.pop("out", True)
        self.space = options.pop("space", "torch")
        self.extras = tuple(options.pop("extras", ()))
        self.returns = options.pop("returns", None)
        self.multiple = options.pop("multiple", False) or self.returns is not None
        self.differentiable = options.pop("differentiable", True)
        self.ufunc = options.pop("ufunc", None)
        self.integers = options.pop("integers", False)
        self.fast = options.pop("fast", True)
        self.silent = options.pop("silent", False)
        self.holomorphic = options.pop("holomorphic", False)
        self.promoted = options.pop("promoted", None)
        self.grad_name = options.pop("grad_name", None) or \
            "".join(p[:1].upper() + p[1:] for p in self.name.split("_")) + "Backward0"
        self.check = options.pop("check", None)
        self.refuse = options.pop("refuse", None)
        self.self_name = options.pop("self_name", "self")
        if options:
            raise TypeError(f"op({self.name}): unknown options {sorted(options)}")
        self.params = parameters(kernel)
        self.names = [p.name for p in self.params]
        self.tensor_at = [i for i, p in enumerate(self.params) if p.kind != PLAIN]
        self.kinds = [self.params[i].kind for i in self.tensor_at]
        self.keyword_from = next((i for i, p in enumerate(self.params) if p.keyword_only), len(self.params))
        self.rules = {}
        self.joint = None
        self.plans = {}
        if self.returns is not None:
            self.returns = call.return_type(self.name, self.returns)

    def __repr__(self):
        return f"<op {self.name}>"

    @property
    def doc(self):
        """The public documentation: the kernel's docstring."""
        return self.kernel.__doc__

    def __call__(self, *args, **kwargs):
        return self.public(*args, **kwargs)

    def derivative(self, **rules):
        """Give the rule of each named input; see the module's docstring."""
        for name in rules:
            if name not in [self.names[i] for i in self.tensor_at]:
                raise TypeError(f"op({self.name}) has no tensor input '{name}'")
        self.rules.update(rules)
        return self

    def derivatives(self, function):
        """Give one function that returns the gradients of all tensor inputs (None where ``needs`` says so)."""
        self.joint = function
        return function

    def plan(self, mask, values=(), real=True):
        """The plan for the inputs that need gradients: a tuple of bools, one per tensor parameter.

        ``values`` are the call's, for operators whose ``grad_name`` depends on them; ``real``: no complex numbers take part.
        """
        name = self.grad_name
        if name.__class__ is not str:
            name = name(*values)
            key = mask, name, real or not self.holomorphic
        elif self.holomorphic:
            key = mask, real
        else:
            key = mask
        found = self.plans.get(key)
        if found is None:
            found = self.plans[key] = Plan(self, mask, name, real)
        return found

    def _publish(self):
        """Make the public function and hang it where users look."""
        self.public = public_function(self)
        table.publish(self)


def op(kernel=None, **options):
    """Declare an operator; the options:

    * ``promote``: None (dtypes as they are), "arith" (PyTorch's result type), "float" (and integers become the default
      floating dtype), "compare" (inputs as in "arith", the result as the kernel gives it), or a function of the combined dtype;
    * ``opmath``: compute float16 and bfloat16 in float32 and round once (on by default; only with ``promote``);
    * ``method``, ``function``: hang it on Tensor / in ``space`` ("torch", "nn.functional"); ``inplace``: make ``name_`` too;
    * ``out``: accept ``out=``, of any dtype that the result can be cast to; or a function that gives the error for another dtype
      than the result's (see ``exact``); ``view``: the result shares its input's memory;
    * ``returns``: field names of a named tuple of results; ``multiple``: a plain tuple (the kernel returns a tuple/list);
      a rule gets None for the gradient of a result that nothing used;
    * ``extras``: names of values that the kernel returns after its result(s), for rules only: ``return result, {"mask": m}``;
    * ``differentiable``: False if no result ever requires grad (results of integer and bool dtype never do anyway);
    * ``holomorphic``: the rules are written as on paper, without conjugates; for complex numbers the plan takes conjugates around them;
    * ``silent``: the kernel is ``nameless`` (see ``kernels.quiet``): the short way need not turn NumPy's warnings off;
    * ``ufunc``: a C function that may be called directly for equal float32/float64 arrays;
    * ``integers``: the ``ufunc`` also serves int64 and bool arrays, and int64 with Python ints, as they are;
    * ``grad_name``: the node's name where it is not PyTorch's usual ``<Name>Backward0``, or a function of the call's values;
    * ``check``: a function of the arrays and numbers as given, before promotion, that raises for what PyTorch refuses;
    * ``refuse``: (PyTorch's name of the kernel, kinds that it was not written for: some of "b", "i", "f", "c", "h" for half types).
    """
    if kernel is not None:
        return op()(kernel)

    def declare(function):
        made = Op(function, **options)
        made._publish()
        if made.name != "conj":
            setattr(both, made.name, call.both_form(made))
        return made
    return declare


def composite(function=None, *, method=False, inplace=False, space="torch", name=None, function_too=True):
    """Declare a function written over operators, without a rule of its own.

    ``inplace`` makes ``name_``, which copies the result into its first argument.
    """
    if function is None:
        return lambda f: composite(f, method=method, inplace=inplace, space=space, name=name, function_too=function_too)
    table.publish_composite(name or function.__name__, function, method=method, inplace=inplace, space=space,
                            as_function=function_too)
    return function


def is_tensor(x):
    return isinstance(x, Tensor)
