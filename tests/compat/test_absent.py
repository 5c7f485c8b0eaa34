"""Absent names: the sentence that people search for, then what rushlight has instead."""

import importlib
import re

import pytest

import rushlight
from rushlight.compat import absent


def message(call, kind):
    with pytest.raises(kind) as info:
        call()
    return str(info.value).split("\n")


@pytest.mark.parametrize(
    "space", ["", ".nn", ".nn.functional", ".autograd", ".optim", ".utils", ".cuda", ".backends"]
)
def test_every_module_says_what_it_lacks(space):
    module = importlib.import_module("rushlight" + space)
    lines = message(lambda: module.no_such_name, AttributeError)
    assert lines[0] == f"module 'rushlight{space}' has no attribute 'no_such_name'"
    assert lines[1].startswith(f"rushlight lacks torch{space}.no_such_name")


@pytest.mark.parametrize("space", ["", ".nn", ".nn.functional", ".autograd", ".optim"])
def test_from_import_says_it_too(space):
    def statement():
        exec(f"from rushlight{space} import no_such_name")

    lines = message(statement, ImportError)
    assert lines[0].startswith(f"cannot import name 'no_such_name' from 'rushlight{space}' (")
    assert lines[1].startswith(f"rushlight lacks torch{space}.no_such_name")


@pytest.mark.parametrize(
    ("full", "part"),
    [
        ("torch.checkpoint", "torch.utils.checkpoint.checkpoint(f, x)"),
        ("torch.autograd.save_for_backward", "ctx.save_for_backward(y)"),
        ("torch.autograd.save_for_backward", "y.retain_grad()"),
        ("torch.jit.script", "TorchScript"),
        ("torch.onnx.export", "no exporter"),
        ("torch.cuda.nvtx", "torch.cuda.is_available()"),
        ("torch.nn.parallel.DistributedDataParallel", "use the module itself"),
    ],
)
def test_corners_cover_what_is_below_them(full, part):
    line = absent.hint(full)
    assert line.startswith(f"rushlight lacks {full}: ") and part in line


def test_the_nearest_names():
    names = ["Linear", "ReLU", "Softmax", "_Loss"]
    assert (
        absent.hint("torch.nn.Lineer", names) == "rushlight lacks torch.nn.Lineer; nearest: torch.nn.Linear"
    )
    assert absent.hint("torch.nn.Zzzzz", names).startswith(
        "rushlight lacks torch.nn.Zzzzz, and has nothing by a similar name"
    )
    assert "_Loss" not in absent.hint("torch.nn.Loss", names)


def test_the_same_name_elsewhere_comes_first():
    assert hasattr(rushlight.nn.functional, "cross_entropy") and not hasattr(rushlight, "cross_entropy")
    assert (
        "nearest: torch.nn.functional.cross_entropy"
        in message(lambda: rushlight.cross_entropy, AttributeError)[1]
    )
    assert "nearest: torch.Tensor.retain_grad" in absent.hint("torch.nn.retain_grad")


def test_advice_names_only_what_exists():
    advice = [*absent.CORNERS.values(), *absent.COMPANIONS.values()]
    named = {name for line in advice for name in re.findall(r"\btorch((?:\.[A-Za-z_]\w*)+)", line)}
    assert len(named) > 15
    for name in sorted(named):
        owner = rushlight
        for part in name[1:].split("."):
            assert hasattr(owner, part), f"torch{name}"
            owner = getattr(owner, part)
    assert hasattr(rushlight.Tensor, "retain_grad") and hasattr(rushlight.Tensor, "backward")


def test_hasattr_and_getattr_with_a_default_stay_quiet():
    assert not hasattr(rushlight, "no_such_name")
    assert getattr(rushlight.nn, "no_such_name", 5) == 5
    assert not hasattr(rushlight, "__no_such_name__")


def test_dunder_names_get_no_advice():
    assert message(lambda: rushlight.__no_such_name__, AttributeError) == [
        "module 'rushlight' has no attribute '__no_such_name__'"
    ]
