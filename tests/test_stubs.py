"""The typed face: the committed stubs are what the operators say, and a user's program passes mypy."""

import ast
import importlib.util
import pathlib
import subprocess
import sys
import textwrap
import warnings

import pytest
from tests.ops.sample import families, find

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "rushlight"
AGAIN = "run `python tools/make_stubs.py` and commit what it writes"


@pytest.fixture(scope="module")
def maker():
    """tools/make_stubs.py as a module."""
    spec = importlib.util.spec_from_file_location("make_stubs", ROOT / "tools" / "make_stubs.py")
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


def test_committed_stubs_are_what_the_operators_say(maker):
    stale = [p.relative_to(ROOT).as_posix() for p, text in maker.pages().items() if p.read_text() != text]
    assert stale == [], AGAIN


def results_in(path):
    """{function: set of its promised results} of a stub, Tensor's methods as ``Tensor.name``."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        members = node.body if isinstance(node, ast.ClassDef) and node.name == "Tensor" else [node]
        for member in members:
            if isinstance(member, ast.FunctionDef):
                name = member.name if member is node else f"Tensor.{member.name}"
                found.setdefault(name, set()).add(ast.unparse(member.returns))
    return found


def fits(promised, result, rushlight):
    """Whether a result is of one of the promised types."""
    for text in promised:
        if text == "Any":
            return True
        if text in ("Tensor", "Self"):
            good = isinstance(result, rushlight.Tensor)
        elif text.startswith(("tuple", "_")) and isinstance(result, tuple):
            good = text.startswith("tuple") or hasattr(result, "_fields")
        else:
            good = type(result).__name__.strip("_") == text.strip("_")
        if good:
            return True
    return False


@pytest.mark.parametrize("family", sorted(families()))
def test_samples_return_what_the_stubs_promise(family, rushlight):
    main = results_in(PACKAGE / "__init__.pyi")
    functional = results_in(PACKAGE / "nn" / "functional.pyi")
    methods = results_in(PACKAGE / "tensor.pyi")
    wrong = []
    for name, samples in families()[family].items():
        function = find(rushlight, name)
        space, _, last = name.rpartition(".")
        if not callable(function):
            function = getattr(rushlight.Tensor, name)  # torch.double is a dtype
        if space:
            promised = results_in((PACKAGE / space.replace(".", "/")).with_suffix(".pyi")).get(last)
        elif vars(rushlight).get(name) is function:
            promised = main.get(name)
        elif vars(rushlight.nn.functional).get(name) is function:
            promised = functional.get(name)
        else:
            promised = methods.get(f"Tensor.{name}")
        if promised is None:
            wrong.append(f"{name}: no stub")
            continue
        for sample in samples:
            args, kwargs = sample.make(rushlight, grad=False)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = function(*args, **kwargs)
            if not fits(promised, result, rushlight):
                wrong.append(f"{name}{sample!r}: {type(result).__name__}, promised {sorted(promised)}")
    assert wrong == []


GOOD = """
    import rushlight as torch
    import rushlight.nn as nn
    import rushlight.nn.functional as F


    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(3, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            hidden = F.relu(self.first(x))
            hidden.retain_grad()
            return hidden.sum(dim=1, keepdim=True)


    def train(steps: int) -> float:
        torch.manual_seed(0)
        model = Network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(8, 3)
        loss = torch.ones(2).sum()
        for _ in range(steps):
            optimizer.zero_grad()
            loss = (model(x) ** 2).mean()
            loss.backward()
            optimizer.step()
        values, indices = torch.max(x, 1)
        both = torch.cat([values, indices.to(torch.float32)], dim=0).view(2, -1)
        both += 1
        rows: int = both.size(0) + both.shape[0]
        grad: torch.Tensor | None = both.grad
        print(rows, grad, torch.arange(3).tolist(), torch.topk(x, 2).values)
        return float(loss)


    train(3)
"""
BAD = """
    import rushlight as torch

    x = torch.ones(2)
    x.no_such_method()
    torch.exp("one")
    torch.no_such_function(x)
    y: int = torch.sum(x)
"""


def check(program, tmp_path):
    """mypy's exit status and report on a program."""
    pytest.importorskip("mypy")
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(program))
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--python-version=3.11"]
    command += [f"--cache-dir={tmp_path / 'cache'}", "--config-file=", file.name]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env={"MYPYPATH": str(PACKAGE.parent)}
    )
    return done.returncode, done.stdout + done.stderr


def test_mypy_accepts_a_program(tmp_path):
    status, report = check(GOOD, tmp_path)
    assert status == 0, report


def test_mypy_finds_mistakes(tmp_path):
    status, report = check(BAD, tmp_path)
    assert status == 1
    assert [line.split(":")[1] for line in report.splitlines()[:-1] if "error" in line] == [
        "5",
        "6",
        "7",
        "8",
    ], report
