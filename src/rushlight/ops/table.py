"""The table of operators: what exists, under which names. ``publish`` is where a declaration becomes public."""
from types import FunctionType

from ..tensor import Tensor
from . import call, generate

__all__ = ["OPS", "COMPOSITES", "namespaces", "publish", "publish_composite", "publish_late", "alias", "settle_homes"]

_ROOT = __name__.partition(".")[0]

OPS: dict = {}            # name -> Op
COMPOSITES: dict = {}     # name -> function
# Public functions by namespace; `rushlight/__init__.py` and `nn/functional.py` take theirs from here.
# Those of corners that load when they are asked for (``fft``, ``special``, ``signal.windows``) are complete once their page is loaded.
namespaces: dict = {"torch": {}, "nn.functional": {}, "special": {}, "linalg": {}, "fft": {}, "signal.windows": {}, "masked": {}}


# In-place operators that are functions too, as in PyTorch (the others are methods only).
IN_PLACE_FUNCTIONS = frozenset(
    """abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil clamp clamp_max clamp_min clip
    conj_physical cos cosh deg2rad erf erfc exp2 exp expm1 fix floor frac gcd i0 index_put lcm ldexp log10 log1p log2 log logit nan_to_num
    neg negative rad2deg reciprocal round rsqrt sigmoid sin sinc sinh sqrt square tan tanh trunc xlogy""".split())


def publish(op):
    """Hang an op's functions in its namespace and on Tensor."""
    OPS[op.name] = op
    public = op.public
    if op.function:
        namespaces[op.space][op.name] = public
    if op.method:
        setattr(Tensor, op.name, public)
    if op.inplace:
        twin = generate.inplace_function(op)
        op.inplace_public = twin
        if op.method:
            setattr(Tensor, op.name + "_", twin)
        if op.function and (op.inplace == "function" or op.name in IN_PLACE_FUNCTIONS):
            namespaces[op.space][op.name + "_"] = twin


def publish_composite(name, function, *, method, inplace, space, as_function=True):
    COMPOSITES[name] = function
    wrapped = call.overridable(function, name)
    wrapped.composite = True
    if as_function:
        namespaces[space][name] = wrapped
    if method:
        setattr(Tensor, name, wrapped)
    if inplace:
        twin = call.inplace_composite(function, name)
        setattr(Tensor, name + "_", twin)
    return wrapped


def publish_late(space, name, function):
    """Put a function on the page of a corner that loads when it is asked for; unless it has a home already, that is its home."""
    namespaces[space][name] = function
    if not function.__module__.startswith(_ROOT) or function.__module__.startswith(_ROOT + ".ops"):
        function.__module__, function.__qualname__ = f"{_ROOT}.{space}", name


def alias(new, old, *, space="torch", method=True):
    """Another public name for an existing operator or composite, its in-place twin included."""
    found = namespaces[space].get(old)
    if found is None:
        found = getattr(Tensor, old)
    else:
        namespaces[space][new] = found
    if method and hasattr(Tensor, old):
        setattr(Tensor, new, getattr(Tensor, old))
        if hasattr(Tensor, old + "_") and not new.startswith("__"):
            setattr(Tensor, new + "_", getattr(Tensor, old + "_"))
            if new in IN_PLACE_FUNCTIONS:
                namespaces[space][new + "_"] = getattr(Tensor, old + "_")


def settle_homes():
    """Let each public function say where it can be found by its name, which is what pickle writes down.

    That is rushlight's place, not ``torch``'s: it holds with the alias and without, and beside the real PyTorch. To be called
    when all families are declared.
    """
    done = set()
    for space, functions in (("", namespaces["torch"]), (".nn.functional", namespaces["nn.functional"])):
        for name, function in functions.items():
            if name == getattr(function, "__name__", None) and isinstance(function, FunctionType) and id(function) not in done:
                function.__module__, function.__qualname__ = _ROOT + space, name
                done.add(id(function))
    done.update(id(function) for space in ("special", "linalg") for function in namespaces[space].values())
    for name, function in vars(Tensor).items():
        if isinstance(function, FunctionType) and id(function) not in done and function.__name__ == name \
                and function.__module__ != _ROOT + ".tensor":
            function.__module__, function.__qualname__ = _ROOT, f"Tensor.{name}"
