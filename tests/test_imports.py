"""The order of the package: imports stand at the top and point one way, files are short, no machine is named.

The layers stand below in the order in which they may be imported: a module imports from its own layer or from
those above it in the list. No two modules import one another, directly or on a detour. The first offender is
named.
"""

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "rushlight"

# A name covers the modules below it; the longest name wins. "" is the public page itself.
LAYERS = [
    ["compat.absent", "version", "device", "dtypes", "layout", "printing"],
    ["kernels"],
    ["autograd.modes", "autograd.node", "autograd.views"],
    ["tensor"],
    ["autograd", "random", "settings"],
    ["types"],
    ["ops"],
    ["nn"],
    ["fft", "linalg", "special", "signal", "masked", "distributions"],
    ["optim", "utils", "func", "return_types", "storage", "amp", "serialization", "observe"],
    ["cuda", "backends", "accelerator", "mps", "xpu", "distributed", "jit", "compiler"],
    ["overrides", "testing", ""],
    ["compat"],
    ["cli", "__main__"],
]

# What the order does not allow and is right all the same, with the reason.
EXCEPTIONS = {
    ("compat", "compat.alias"): "under TYPE_CHECKING: compat loads its modules when they are asked for",
    ("compat", "compat.torch_version"): "under TYPE_CHECKING, as above",
}

# Where modules are loaded while the program runs, with the reason.
LATE = {
    "": "nn, optim and other corners load when they are first asked for, so that import is quick",
    "autograd": "its core is imported by tensor, and everything else in it imports tensor",
    "utils": "checkpoint and data load when they are first asked for",
    "compat": "every module imports compat.absent for its error texts and needs nothing else of it",
    "compat.alias": "it answers `import torch...` with rushlight's modules: importing is its work",
    "cuda": "cuda.amp needs amp, which few programs load",
    "observe.table": "rich and pandas are extras, imported when they are used",
    "observe.report.page": "plotly is an extra, imported when it is used",
    "observe.report.terminal": "rich is an extra, imported when it is used",
    "observe.report.tensorboard": "so is TensorBoard's library",
    "observe.engines": "one adapter per engine, the one that is asked for",
    "compat.program": "it runs a module by name",
    "cli": "a plain run starts without what observing needs",
    "ops.asked": "families that few programs need are declared when one of their names is first asked for",
    "serialization.safetensors": "the library is an extra, imported when it is used",
    "serialization.names": "a file names the module of what it holds, and only such names are loaded",
}


def module_name(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(p): p for p in sorted(PACKAGE.rglob("*.py"))}


def tree_of(name):
    return ast.parse(MODULES[name].read_text())


def imported(name, tree):
    """(line, module of this package) for each import."""
    package = name.split(".") if MODULES[name].name == "__init__.py" else name.split(".")[:-1]
    package = [p for p in package if p]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            words = node.module.split(".") if node.module else []
            if node.level:
                base = package[: len(package) - node.level + 1] + words
            elif words and words[0] == "rushlight":
                base = words[1:]
            else:
                continue
            for alias in node.names:
                full = ".".join([*base, alias.name])
                yield node.lineno, full if full in MODULES else ".".join(base)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                first, _, rest = alias.name.partition(".")
                if first == "rushlight":
                    yield node.lineno, rest


def layer(name):
    """The number of a module's layer."""
    while True:
        for i, names in enumerate(LAYERS):
            if name in names:
                return i
        if not name:
            return None
        name = name.rpartition(".")[0]
        if not name:
            return None


def place(name, line):
    return f"{MODULES[name].relative_to(ROOT).as_posix()}:{line}"


def test_every_module_has_a_layer():
    assert [n for n in MODULES if layer(n) is None] == []


def test_imports_stand_at_the_top():
    for name in MODULES:
        tree = tree_of(name)
        first = min(
            (n.lineno for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))), default=10**9
        )
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                inside = node.col_offset and not at_top_level(tree, node)
                assert node.lineno < first and not inside, f"{place(name, node.lineno)} imports below the top"


def at_top_level(tree, node):
    """Under TYPE_CHECKING, or in a ``try`` that asks what there is."""
    blocks = [n for n in tree.body if isinstance(n, ast.Try | ast.If)]
    return any(
        node in n.body + n.orelse
        for n in blocks
        if isinstance(n, ast.Try) or ast.unparse(n.test) == "TYPE_CHECKING"
    )


def test_imports_point_one_way():
    for name in MODULES:
        for line, target in imported(name, tree_of(name)):
            where = f"{place(name, line)} imports {target or 'rushlight'}"
            assert target in MODULES, f"{where}, which does not exist"
            if (name, target) not in EXCEPTIONS:
                assert layer(target) <= layer(name), f"{where} from a later layer"


def test_no_two_modules_import_one_another():
    edges = {n: [] for n in MODULES}
    for name in MODULES:
        edges[name] = [
            (line, t)
            for line, t in imported(name, tree_of(name))
            if t != name and (name, t) not in EXCEPTIONS
        ]
    done, path = set(), []

    def visit(name):
        path.append(name)
        for line, target in edges.get(name, ()):
            circle = " -> ".join([*path[path.index(target) :], target]) if target in path else ""
            assert not circle, f"{place(name, line)} closes the circle {circle}"
            if target not in done:
                visit(target)
        done.add(path.pop())

    for name in MODULES:
        if name not in done:
            visit(name)


def test_exceptions_are_still_needed():
    found = {(name, target) for name in MODULES for _, target in imported(name, tree_of(name))}
    assert sorted(set(EXCEPTIONS) - found) == []
    assert sorted(set(LATE) - {n for n in MODULES if loads_late(n)}) == []


def loads_late(name):
    """Lines on which a module is loaded by a call."""
    return [
        node.lineno
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.Call)
        and re.search(r"\b(import_module|__import__|find_spec)$", ast.unparse(node.func))
    ]


def test_modules_load_late_only_where_there_is_a_reason():
    for name in MODULES:
        lines = loads_late(name)
        assert not lines or name in LATE, f"{place(name, lines[0])} loads a module while the program runs"


TEXTS = [
    p
    for folder in ("src", "tests", "tools", "benchmarks", "examples", "docs")
    for p in sorted((ROOT / folder).rglob("*"))
    if p.suffix in (".py", ".pyi", ".md", ".toml", ".json", ".txt") and "__pycache__" not in p.parts
] + [p for p in sorted(ROOT.glob("*")) if p.suffix in (".md", ".toml", ".in")]


@pytest.mark.parametrize("folder", sorted({p.relative_to(ROOT).parts[0] for p in TEXTS}))
def test_no_file_names_a_machine(folder):
    """A path of somebody's machine works on no other."""
    roots = "|".join(["ho" + "me", "ro" + "ot", "Us" + "ers", "wo" + "rk", "m" + "nt"])
    pattern = re.compile(rf"(?<![\w.~:/])/({roots})/\w|\b[A-Z]:\\\w|/tm" + r"p/\w")
    for path in TEXTS:
        if path.relative_to(ROOT).parts[0] == folder:
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                assert not pattern.search(line), (
                    f"{path.relative_to(ROOT).as_posix()}:{number} names a path: {line[:120]}"
                )


def test_source_files_are_short_and_say_what_they_are():
    for path in [
        *MODULES.values(),
        *sorted((ROOT / "tests").rglob("*.py")),
        *sorted((ROOT / "tools").glob("*.py")),
    ]:
        text = path.read_text()
        lines = text.count("\n")
        assert lines < 1000, f"{path.relative_to(ROOT).as_posix()} has {lines} lines: split it by topic"
        assert not text.strip() or ast.get_docstring(ast.parse(text)), (
            f"{path.relative_to(ROOT).as_posix()} has no docstring"
        )
