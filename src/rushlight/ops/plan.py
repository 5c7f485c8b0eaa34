"""From an operator's rules to what a node saves and runs, for one choice of inputs that need gradients."""
import inspect

import numpy as np

from ..autograd import saved as keeping
from ..autograd.blame import freed
from ..autograd.node import Node
from ..autograd.saved import EXTRA, FREED_ERROR, PLAIN, RESULT, changed_error, open_saved
from ..tensor import _PACKAGE

__all__ = ["Plan"]

_NODE_CLASSES = {}


def node_class(name):
    """The class of nodes called ``name``: PyTorch's ``type(t.grad_fn).__name__`` tells the operator."""
    found = _NODE_CLASSES.get(name)
    if found is None:
        found = _NODE_CLASSES[name] = type(name, (Node,), {"__slots__": (), "__module__": "torch.autograd.graph"})
    return found


class Plan:
    """How a call of ``op`` is recorded when the tensor parameters in ``mask`` need gradients.

    ``saves``: names in the order in which values are kept; ``kinds``: what each is (see ``autograd.saved``); ``guarded``: those
    whose version is checked; ``backward(g, saved)``: a gradient or None for each edge.
    """

    __slots__ = ("op", "mask", "grad_name", "outputs", "saves", "kinds", "guarded", "whole_node", "simple", "frees", "backward",
                 "to_compile", "node_class", "sources")

    def __init__(self, op, mask, grad_name, real=True):
        self.op, self.mask = op, mask
        self.grad_name = grad_name
        self.outputs = True if op.multiple else None
        self.whole_node = False
        self.simple = not op.multiple      # the engine may run it in line
        tensor_names = [op.names[i] for i in op.tensor_at]
        missing = op.joint is None and any(n and name not in op.rules for n, name in zip(mask, tensor_names))
        if missing:
            self.grad_name = "NotImplemented"
        self.node_class = node_class(self.grad_name)
        names = self._rule_names(tensor_names, mask) if not missing else []
        self.saves = tuple(names)
        self.sources = tuple(self._source(n, tensor_names) for n in names)
        self.kinds = tuple(kind for kind, _ in self.sources)
        self.guarded = tuple(n for n, k in zip(names, self.kinds) if k >= 0 or k == RESULT)
        self.frees = any(k != PLAIN for k in self.kinds)
        self.to_compile = missing, real

    def __getattr__(self, name):
        """``backward``, compiled when a pass first asks for it: import makes plans that many programs never run."""
        if name != "backward":
            raise AttributeError(f"'Plan' object has no attribute {name!r}")
        op, (missing, real) = self.op, self.to_compile
        made = _not_implemented(op) if missing else self._compile([op.names[i] for i in op.tensor_at], self.mask)
        self.backward = _conjugated(made) if op.holomorphic and not real else made
        return self.backward

    def _rule_names(self, tensor_names, mask):
        op = self.op
        rules = [op.joint] if op.joint is not None else [op.rules[n] for n, need in zip(tensor_names, mask) if need]
        names = []
        for rule in rules:
            for name in inspect.signature(rule).parameters:
                if not _is_gradient(name) and name != "needs" and name not in names:
                    names.append(name)
        return names

    def _source(self, name, tensor_names):
        """(kind, how to find it when recording) of a saved name."""
        op = self.op
        if name in tensor_names:
            return tensor_names.index(name), ("input", op.names.index(name))
        if name in op.names:
            return PLAIN, ("plain", op.names.index(name))
        if name in op.extras:
            return EXTRA, ("extra", name)
        if name in ("out", "outs"):
            return RESULT, ("outs", None) if name == "outs" else ("out", 0)
        if name.startswith("out") and name[3:].isdigit():
            return RESULT, ("out", int(name[3:]))
        for suffix in ("shape", "dtype"):
            base = name[:-len(suffix) - 1]
            if name.endswith("_" + suffix) and base in tensor_names:
                return PLAIN, (suffix, op.names.index(base))
        raise TypeError(f"op({op.name}): a rule asks for '{name}', which is no input, result or extra")

    def _compile(self, tensor_names, mask):
        """The function (g, saved) -> tuple that runs the rules of the needed inputs."""
        op = self.op
        scope, lines = {"op": op, "mask": mask}, []
        if self.saves:
            lines.append(f"({', '.join(self.saves)},) = saved")
        if op.joint is not None:
            scope["joint"] = op.joint
            arguments = _arguments(op.joint)
            lines.append(f"results = joint({arguments})")
            if "list" in op.kinds:
                parts = ", ".join(("*" if k == "list" else "") + f"(results[{i}] or ())" if k == "list" else f"results[{i}]"
                                  for i, k in enumerate(op.kinds))
                lines.append(f"return ({parts},)")
            else:
                lines.append("return results")
        else:
            parts = []
            for i, (name, need, kind) in enumerate(zip(tensor_names, mask, op.kinds)):
                if not need:
                    parts.append("None")
                    continue
                scope[f"rule{i}"] = op.rules[name]
                text = f"rule{i}({_arguments(op.rules[name])})"
                parts.append("*" + text if kind == "list" else text)
            if "list" in op.kinds and not mask[op.kinds.index("list")]:
                raise TypeError(f"op({op.name}): a list needs gradients or is the last parameter")
            lines.append(f"return ({', '.join(parts)},)")
        source = "def backward(g, saved):\n" + "".join(f"    {line}\n" for line in lines)
        scope["mask"] = mask
        exec(compile(source, f"{_PACKAGE}ops/generated/rule of {op.name}", "exec"), scope)
        return scope["backward"]

    def free(self, node):
        """Let go of what was saved."""
        node.saved = None
        node.guard = None

    # ---------------------------------------------------------- what users see of it

    def _public(self, name):
        if name in ("out", "out0"):
            return "result" if not self.op.multiple else "result0"
        if name.startswith("out") and name[3:].isdigit():
            return "result" + name[3:]
        first = self.op.names[0] if self.op.names else None
        if name == first:
            return self.op.self_name
        if name.endswith("_shape"):
            base = name[:-6]
            return f"{self.op.self_name if base == first else base}_sym_sizes"
        return name

    def saved_names(self):
        return [self._public(n) for n in self.saves]

    def _public_names(self):
        """Everything that some rule of the operator would save."""
        op = self.op
        rules = [op.joint] if op.joint is not None else op.rules.values()
        return {self._public(n) for rule in rules for n in inspect.signature(rule).parameters
                if not _is_gradient(n) and n != "needs"}

    def saved_attribute(self, node, name, raw=False):
        """``grad_fn._saved_<name>``: a saved tensor with its history, or a saved argument."""
        names = self.saved_names()
        if name not in names and name in self._public_names():
            return None                # kept only when another input needs a gradient
        if name not in names:
            raise AttributeError(f"'{self.grad_name}' object has no attribute '_saved_{name}'"
                                 + (f"\nIt saves {', '.join(names)}." if names else "\nIt saves nothing."))
        if node.saved is None:
            if raw:
                return RawSaved(node, names.index(name))
            raise freed(FREED_ERROR, node)
        at = names.index(name)
        if name in [self._public(n) for n in self.guarded] and not raw and node.guard is not None:
            position = [self._public(n) for n in self.guarded].index(name)
            if node.guard[2 * position][0] != node.guard[2 * position + 1]:
                raise changed_error(node, position)
        entry = (node.saved if isinstance(node.saved, tuple) else node.saved.entries)[at]
        if raw:
            return RawSaved(node, at)
        if self.kinds[at] == PLAIN:
            return entry
        if isinstance(entry, np.ndarray) and entry.ndim == 0 and not entry.flags.writeable:
            return entry.item()        # a Python number among the operands
        return open_saved(node, True)[at]


class RawSaved:
    """A saved tensor before it is unpacked; hooks may be registered on it once."""

    def __init__(self, node, at):
        self._node, self._at = node, at

    def register_hooks(self, pack_hook, unpack_hook):
        """Pack the saved tensor with ``pack_hook`` now and unpack it with ``unpack_hook`` when it is needed."""
        from_saved(self._node, self._at, pack_hook, unpack_hook)


def from_saved(node, at, pack_hook, unpack_hook):
    if isinstance(node.saved, keeping.Packed) and isinstance(node.saved.entries[at], keeping.PackedTensor):
        raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair "
                           "of hooks is allowed at a time.")
    if node.saved is None:
        raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
                           "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
                           "the graph a second time or if you need to access saved variables after calling backward.")
    entries = list(node.saved.entries if isinstance(node.saved, keeping.Packed) else node.saved)
    entries[at] = keeping.pack_one(keeping.wrap(entries[at]), pack_hook, unpack_hook)
    node.saved = keeping.Packed(tuple(entries), unpack_hook)


def _is_gradient(name):
    return name in ("g", "gs") or (name[0] == "g" and name[1:].isdigit())


def _arguments(rule):
    parts = []
    for name in inspect.signature(rule).parameters:
        if name == "needs":
            parts.append("needs=mask")
        elif name in ("g", "gs"):
            parts.append("g")
        elif _is_gradient(name):
            parts.append(f"g[{name[1:]}]")
        else:
            parts.append(name)
    return ", ".join(parts)


def _conjugated(rules):
    """For complex numbers: PyTorch's gradient of a holomorphic function is ``g * conj(slope)``, which is the conjugate of what the
    rules, written without conjugates, give for ``conj(g)``.
    """
    def backward(g, saved):
        return tuple(r if r is None else r.conj() for r in rules(g.conj(), saved))
    return backward


def _not_implemented(op):
    def backward(g, saved):
        raise RuntimeError(f"derivative for aten::{op.name} is not implemented"
                                  "\nCompute it from operators that have one, or detach its input.")
    return backward


