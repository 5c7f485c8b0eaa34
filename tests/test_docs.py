"""The documents are true: programs print what is shown, files that are named exist, lists are the table's.

A block of Python that begins with ``# name.py`` is a program; the block of text after it is what
``rushlight run name.py`` prints, with ``...`` for what is left out. A block of ``rushlight`` commands, followed by a
block of text, is run in a folder that holds the programs of the document, after the blocks before it. Examples
with ``>>>`` are run by test_doctests.
"""

import doctest
import importlib.util
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "examples" / "README.md",
]
PROGRAM = re.compile(r"^```python\n(# (\w+\.py)\n.*?)^```\n+```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```sh\n(rushlight .*?)^```\n+```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
WITH_COMMANDS = [d for d in DOCUMENTS if COMMANDS.search(d.read_text())]
PROGRAMS = [(d.name, *found) for d in DOCUMENTS for found in PROGRAM.findall(d.read_text())]


@pytest.mark.parametrize("document, code, name, shown", PROGRAMS, ids=[p[2] for p in PROGRAMS])
def test_programs_print_what_is_shown(document, code, name, shown, tmp_path, rushlight):
    (tmp_path / name).write_text(code)
    sources = pathlib.Path(rushlight.__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "run", name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(sources), "PYTHONWARNINGS": "default"},
    )
    printed = re.sub(rf"\S*\b{re.escape(name)}", name, done.stdout + done.stderr)
    compare = doctest.OutputChecker().check_output
    assert compare(shown, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), printed


@pytest.mark.parametrize("document", WITH_COMMANDS, ids=lambda d: d.name)
def test_commands_print_what_is_shown(document, tmp_path, rushlight):
    text = document.read_text()
    for code, name, _ in PROGRAM.findall(text):
        (tmp_path / name).write_text(code)
    sources = pathlib.Path(rushlight.__file__).resolve().parent.parent
    compare = doctest.OutputChecker().check_output
    for block, shown in COMMANDS.findall(text):
        printed = ""
        for line in block.splitlines():
            done = subprocess.run(
                [sys.executable, "-m", *shlex.split(line)],
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
                env={**os.environ, "PYTHONPATH": str(sources), "COLUMNS": "120"},
            )
            printed += done.stdout
        assert compare(shown, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), printed


def test_there_are_programs():
    assert {p[2] for p in PROGRAMS} >= {"tour.py", "errors.py", "train.py"}
    assert [d.name for d in WITH_COMMANDS] == ["observing.md"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document):
    text = document.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        if path.startswith("http"):
            continue
        there = (document.parent / path).resolve() if path else document
        assert there.exists(), f"{document.name} links to {target}"
        if heading:
            titles = re.findall(r"^#+ (.*)$", there.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}
            assert heading in slugs, f"{document.name} links to {target}"


def test_named_files_exist():
    """``tools/x.py``, ``autograd/engine.py`` and the like, wherever a document names them."""
    folders = [ROOT, ROOT / "src" / "rushlight"]
    missing = []
    for document in DOCUMENTS:
        for name in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|toml|md|pyi))\b", document.read_text()):
            if not any((folder / name).exists() for folder in [*folders, document.parent]):
                missing.append(f"{document.name}: {name}")
    assert missing == []


def test_the_walked_through_operator_is_the_one_in_the_tree():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    declared = re.search(r"^```python\n(@op.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
    assert declared in (ROOT / "src" / "rushlight" / "ops" / "pointwise.py").read_text()
    options = (ROOT / "src" / "rushlight" / "ops" / "declare.py").read_text()
    for name in (
        "promote",
        "ufunc",
        "method",
        "inplace",
        "derivatives",
        "OptionalArray",
        "Arrays",
        "Operand",
        "composite",
    ):
        assert name in text and name in options


def test_names_in_the_architecture_page_exist():
    """Functions and classes that the page names in backquotes are somewhere in the sources."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    sources = "\n".join(p.read_text() for p in sorted((ROOT / "src" / "rushlight").rglob("*.py")))
    names = {
        n.partition("(")[0].rpartition(".")[2] for n in re.findall(r"`([A-Za-z_][\w.]*(?:\([^`]*\))?)`", text)
    }
    absent = [n for n in sorted(names) if not re.search(rf"\b{n}\b", sources)]
    assert absent == [n for n in ("CONTRIBUTING",) if n in absent]


def test_list_of_operators_is_what_the_table_says():
    spec = importlib.util.spec_from_file_location("list_operators", ROOT / "tools" / "list_operators.py")
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    assert module.TARGET.read_text() == module.page(), (
        "run `python tools/list_operators.py` and commit what it writes"
    )


def test_first_screen_has_the_two_commands():
    first = "\n".join((ROOT / "README.md").read_text().splitlines()[:45])
    commands = re.findall(r"^```sh\n(.*?)\n```", first, re.MULTILINE | re.DOTALL)
    assert commands == [
        "pip install . && rushlight run examples/digits.py",
        "pip install '.[test]' && python -m pytest -q",
    ]


def test_changelog_knows_the_version(rushlight):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == rushlight.__version__
    assert re.search(
        rf"^## {re.escape(rushlight.__version__)}\b", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    assert project["requires-python"] == ">=3.11"
