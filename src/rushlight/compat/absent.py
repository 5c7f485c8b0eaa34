"""Names that PyTorch has and rushlight lacks: an error that says so, and what is nearest.

A module of rushlight ends its ``__getattr__`` with ``raise absent.missing(__name__, name)``. The message
begins with the sentence Python and PyTorch would say, and goes on with a line that helps. The line comes from
:data:`CORNERS`, written by hand, where PyTorch keeps something that cannot be found by likeness
(``torch.jit``), or is often looked for in the wrong place (``torch.checkpoint``); else from the names that
exist, first the same name elsewhere (``torch.softplus`` is ``torch.nn.functional.softplus``), then names
spelled alike.

An entry of the table is only read while its name is absent, so that building the thing needs no change here.

``from torch import jit`` is special. Python swallows the AttributeError and reports an ImportError of its
own, without our line; so :func:`missing` looks whether the instruction that asked is an ``IMPORT_FROM`` and
then answers with the ImportError itself.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable
from opcode import opmap
from types import FrameType

__all__ = ["COMPANIONS", "CORNERS", "hint", "missing", "no_module"]

_ROOT = __name__.partition(".")[0]
_IMPORT_FROM = opmap["IMPORT_FROM"]

_SAVE_FOR_BACKWARD = (
    "it is a method of a Function's ctx: ctx.save_for_backward(y) inside forward(ctx, ...); "
    "to keep the gradient of an intermediate tensor, call y.retain_grad()"
)

# What PyTorch calls it -> what to do about it. A name covers all below it, and the longest name wins.
CORNERS = {
    "torch.checkpoint": (
        "the function is torch.utils.checkpoint.checkpoint(f, x): it is called, not entered with `with`"
    ),
    "torch.autograd.checkpoint": "the function is torch.utils.checkpoint.checkpoint(f, x)",
    "torch.autograd.save_for_backward": _SAVE_FOR_BACKWARD,
    "torch.save_for_backward": _SAVE_FOR_BACKWARD,
    "torch.retain_grad": "it is a method: y.retain_grad() before the backward, y.grad after it",
    "torch.autograd.retain_grad": "it is a method: y.retain_grad() before the backward, y.grad after it",
    "torch.backward": "it is loss.backward(), or torch.autograd.backward(tensors)",
    "torch.grad": "it is torch.autograd.grad(outputs, inputs)",
    "torch.Function": "it is torch.autograd.Function",
    "torch.Module": "it is torch.nn.Module",
    "torch.Parameter": "it is torch.nn.Parameter",
    "torch.autograd.Variable": (
        "a Tensor has been all that a Variable was: write torch.tensor(..., requires_grad=True)"
    ),
    "torch.compile": "there is no compiler here: leave the call out, the function runs as it is",
    "torch.jit": "there is no TorchScript here: leave the decorator out, the function runs as it is",
    "torch.fx": (
        "there is no symbolic tracing here; the recorded graph can be read from grad_fn and its "
        "next_functions"
    ),
    "torch.export": "there is no exporter here: load the state_dict into the same module in PyTorch",
    "torch.onnx": "there is no exporter here: load the state_dict into the same module in PyTorch",
    "torch._dynamo": "there is no compiler here: leave the call out, the function runs as it is",
    "torch._inductor": "there is no compiler here: leave the call out, the function runs as it is",
    "torch._C": "PyTorch's C++ core does not exist here; rushlight's own is Python on NumPy",
    "torch.ops": (
        "there is no operator registry here; the operators are functions of torch and torch.nn.functional"
    ),
    "torch.library": (
        "there is no operator registry here; an operator of one's own is a torch.autograd.Function"
    ),
    "torch.utils.cpp_extension": (
        "there are no C++ extensions here; an operator of one's own is a torch.autograd.Function"
    ),
    "torch.cuda": (
        "rushlight computes on the CPU: guard the call with torch.cuda.is_available(), which is False"
    ),
    "torch.mps": (
        "rushlight computes on the CPU: guard the call with torch.backends.mps.is_available(), which is False"
    ),
    "torch.xpu": "rushlight computes on the CPU",
    "torch.accelerator": "rushlight computes on the CPU: use torch.device('cpu')",
    "torch.distributed": "rushlight is one process on one machine: leave the process group out",
    "torch.nn.parallel": "rushlight computes on one CPU: use the module itself, or nn.DataParallel, which passes on to it",
    "torch.multiprocessing": (
        "use Python's multiprocessing; send arrays, t.numpy(), and rebuild with torch.from_numpy"
    ),
    "torch.quantization": "there is no quantization here",
    "torch.ao": "there is no quantization here",
    "torch.sparse": "there are no sparse tensors here: use dense ones",
    **{
        f"torch.masked.{name}": "there are no masked tensors here: pass mask= to the functions of torch.masked"
        for name in ("MaskedTensor", "masked_tensor", "as_masked_tensor", "is_masked_tensor", "maskedtensor")
    },
    "torch.nested": "there are no nested tensors here: pad, or keep a list",
    "torch.utils.data.datapipes": "use a Dataset or IterableDataset",
    **{
        f"torch.utils.data.{name}": "use a Dataset or IterableDataset: DataPipes are not continued by PyTorch"
        for name in ("IterDataPipe", "MapDataPipe", "DFIterDataPipe", "functional_datapipe")
    },
    "torch.autograd.forward_ad": "torch.func.jvp and torch.autograd.functional.jvp give the same products",
    **dict.fromkeys(("torch.func.vmap", "torch.vmap"), "the operators broadcast: write the batch dimension out"),
    "torch.hub": "nothing is downloaded here: load weights of your own with load_state_dict",
    "torch.profiler": "use Python's cProfile: the whole of rushlight can be seen by it",
    "torch.autograd.profiler": "use Python's cProfile: the whole of rushlight can be seen by it",
    "torch.utils.tensorboard": "write the numbers with a logger of your own",
    "torch.package": "use Python's own packaging",
}

# Libraries made for PyTorch, which would not find what they need in rushlight: their names get a line of
# their own.
COMPANIONS = {
    "torchvision": (
        "torchvision is compiled against PyTorch's C++ core; read images with Pillow or NumPy and use "
        "torch.from_numpy"
    ),
    "torchaudio": (
        "torchaudio is compiled against PyTorch's C++ core; read sound with NumPy or SciPy and use "
        "torch.from_numpy"
    ),
    "torchtext": "torchtext is compiled against PyTorch's C++ core; build the vocabulary in Python",
    "functorch": "for derivatives as functions see torch.autograd.functional: vjp, jvp, jacobian, hessian",
}

# Where a name that is absent in one place may live: looked at in this order, if loaded.
_ELSEWHERE = (
    *("", "nn", "nn.functional", "nn.init", "nn.utils"),
    *("optim", "autograd", "autograd.functional", "utils.data", "utils"),
)


def shown(space: str) -> str:
    """A module's name as the program knows it: ``torch.nn`` where the alias is used, or ``rushlight.nn``."""
    aliased = "torch" in sys.modules and sys.modules["torch"] is sys.modules.get(_ROOT)
    return _torch_name(space) if aliased else space


def _torch_name(space: str) -> str:
    return "torch" + space.removeprefix(_ROOT) if (space + ".").startswith(_ROOT + ".") else space


def hint(full: str, names: Iterable[str] = ()) -> str:
    """One line about an absent name of torch's: rushlight lacks it, and the nearest thing that exists.

    Args:
        full: the name as PyTorch has it, ``torch.nn.Lineear``.
        names: what exists in its place.

    >>> from rushlight.compat.absent import hint
    >>> hint("torch.nn.Lineear", ["Linear", "ReLU"])
    'rushlight lacks torch.nn.Lineear; nearest: torch.nn.Linear'
    """
    covering = full
    while covering:
        if covering in CORNERS:
            return f"rushlight lacks {full}: {CORNERS[covering]}"
        covering = covering.rpartition(".")[0]
    space, _, name = full.rpartition(".")
    near = [f"{place}.{name}" for place in _same_name_elsewhere(space, name)]
    known = [n for n in names if not n.startswith("_")]
    near += [f"{space}.{n}" for n in difflib.get_close_matches(name, known, n=2, cutoff=0.7)]
    if near:
        return f"rushlight lacks {full}; nearest: {', '.join(near[:3])}"
    return f"rushlight lacks {full}, and has nothing by a similar name (dir({space}) lists what there is)"


def _same_name_elsewhere(space: str, name: str) -> Iterable[str]:
    for place in _ELSEWHERE:
        mine = f"{_ROOT}.{place}".rstrip(".")
        module = sys.modules.get(mine)
        other = _torch_name(mine)
        if module is not None and other != space and not name.startswith("_") and name in vars(module):
            yield other
    tensor = getattr(sys.modules.get(_ROOT), "__dict__", {}).get("Tensor")
    if tensor is not None and hasattr(tensor, name):
        yield "torch.Tensor"


def _names_of(space: str) -> list[str]:
    """What a module offers, names it would only load on request included."""
    module = sys.modules.get(space)
    return [] if module is None else sorted({*dir(module), *getattr(module, "__all__", ())})


def missing(space: str, name: str, names: Iterable[str] | None = None) -> AttributeError | ImportError:
    """The exception for ``space.name``, which does not exist; to be raised by the ``__getattr__`` of module
    ``space``.

    Args:
        space: the module's ``__name__``.
        name: what was asked for.
        names: what exists there; by default what ``dir`` of the module and its ``__all__`` say.
    """
    place = shown(space)
    wanted_by_import = _asks_by_import(sys._getframe(2))
    if wanted_by_import:
        file = getattr(sys.modules.get(space), "__file__", None)
        text = f"cannot import name {name!r} from {place!r} ({file or 'unknown location'})"
    else:
        text = f"module {place!r} has no attribute {name!r}"
    if not name.startswith("__"):
        text += "\n" + hint(f"{_torch_name(space)}.{name}", _names_of(space) if names is None else names)
    return ImportError(text, name=place) if wanted_by_import else AttributeError(text)


def no_module(name: str) -> ModuleNotFoundError:
    """The exception for ``import name``, where neither rushlight nor anything installed has such a module.

    Args:
        name: a name under ``torch``, or one of :data:`COMPANIONS`.
    """
    if name in COMPANIONS:
        line = COMPANIONS[name]
    else:
        space, _, last = name.rpartition(".")
        there = vars(sys.modules[space]).get(last) if space in sys.modules else None
        if there is not None:
            line = f"{name} is no module: write `from {space} import {last}`"
        else:
            line = hint(name, _names_of(space))
    return ModuleNotFoundError(f"No module named {name!r}\n{line}", name=name)


def _asks_by_import(frame: FrameType) -> bool:
    """Whether the frame stands at ``from ... import ...``."""
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == _IMPORT_FROM
