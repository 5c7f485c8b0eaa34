"""Every example in a docstring of the package, and in the documents, does what it says.

Docstrings are read from the sources, so an example counts wherever it stands. An example brings its own
imports: what a reader copies must run.
"""

import ast
import doctest
import pathlib
import re
import sys
import warnings

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "rushlight"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PARSER = doctest.DocTestParser()


def docstrings(path):
    """(qualified name, line, docstring) of a module and of what is defined in it."""

    def walk(node, name):
        text = ast.get_docstring(node, clean=True)
        if text:
            yield name, node.body[0].lineno, text
        for child in node.body:
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                yield from walk(child, f"{name}.{child.name}")

    yield from walk(ast.parse(path.read_text()), path.relative_to(PACKAGE).as_posix())


def fenced(path):
    """(name, line, examples) of the ``>>>`` blocks of a document; a block is one session."""
    text = path.read_text()
    for block in re.finditer(r"^```(?:python|pycon)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if ">>>" in block[1]:
            line = text[: block.start()].count("\n") + 1
            yield f"{path.name}:{line}", line, block[1]


def examples():
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        found += [(path, *rest) for rest in docstrings(path)]
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]:
        found += [(path, *rest) for rest in fenced(path)]
    return [
        PARSER.get_doctest(text, {}, name, str(path), line)
        for path, name, line, text in found
        if ">>>" in text
    ]


@pytest.mark.parametrize("example", examples(), ids=lambda e: e.name)
def test_example(example, rushlight):
    if example.name == "compat/alias.py.install" and "torch" in sys.modules:
        pytest.skip("the name is taken in this process: another test compared with PyTorch")
    report = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = runner.run(example, out=report.append)
    assert result.failed == 0, "".join(report)


def test_public_classes_and_core_functions_have_examples(rushlight):
    """What a reader meets first can be copied from its own documentation."""
    first = [
        rushlight.Tensor,
        rushlight.Tensor.retain_grad,
        rushlight.tensor,
        rushlight.no_grad,
        rushlight.autograd.grad,
    ]
    first += [
        rushlight.autograd.backward,
        rushlight.manual_seed,
        rushlight.nn.Module,
        rushlight.nn.Linear,
        rushlight.optim.SGD,
    ]
    assert [f.__qualname__ for f in first if ">>>" not in (f.__doc__ or "")] == []
