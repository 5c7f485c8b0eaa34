"""The ``*_copy`` functions: what a view would show, in memory of its own."""
from ..autograd import modes
from ..tensor import Tensor
from . import call
from ._factory import overriding, publish
from .copying import clone, detach
from .reshaping import t
from .shape import _method_permute, expand, squeeze, transpose, unsqueeze
from .splitting import diagonal, narrow, select, split, split_with_sizes, unbind, unfold
from .strided import as_strided


def _own(result):
    return tuple(map(_own, result)) if isinstance(result, tuple) else clone.public(result).contiguous()


def _into(out, made, name):
    """Write one result or several into ``out``."""
    outs, results = (out, made) if isinstance(made, tuple) else ((out,), (made,))
    if modes.state.grad and any(x.requires_grad for x in (*outs, *results)):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                           "differentiation, but one of the "
                           "arguments requires grad.\nCall it without out=, or under torch.no_grad().")
    for o, r in zip(outs, results):
        call.put_out(o, r._a, name)
    return out


def _declare_copy(name, look):
    def copy(input, *args, out=None, **kwargs):
        if not modes.plain:
            taken, result = overriding(copy, (input,), (input, *args), kwargs)
            if taken:
                return result
        made = _own(look(input, *args, **kwargs))
        return made if out is None else _into(out, made, name)
    copy.__doc__ = f"``{name[:-5]}`` as a copy: with memory of its own, through which gradients flow."
    publish(copy, name=name)


_VIEWS = {
    "view": Tensor.view, "expand": expand, "permute": _method_permute, "squeeze": squeeze,
    "unsqueeze": unsqueeze.public, "transpose": transpose.public, "t": t.public, "diagonal": diagonal.public,
    "select": select.public, "unfold": unfold,
    "as_strided": as_strided, "unbind": unbind, "split": split, "split_with_sizes": split_with_sizes,
    "alias": lambda x: x, "detach": detach,
}
for _name, _look in _VIEWS.items():
    _declare_copy(_name + "_copy", _look)


@publish(method=True)
def narrow_copy(input, dim, start, length, *, out=None):
    """``narrow`` as a copy."""
    if input._a.ndim and isinstance(dim, int) and dim >= input._a.ndim:
        raise RuntimeError("Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got "
                           "false.\n"
                           f"The tensor has {input._a.ndim} dimensions.")
    if isinstance(length, int) and length < 0 and input._a.ndim:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size "
                           f"({input._a.shape[dim]}).")
    made = _own(narrow(input, dim, start, length))
    return made if out is None else _into(out, made, "narrow_copy")

