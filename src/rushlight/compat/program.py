"""Running a program as Python would, with ``torch`` standing for rushlight.

A program must not be able to tell that somebody else started it. So this file does what ``python script.py``
does, step for step: a fresh ``__main__`` module that stays for good (pickles and spawned children look
classes up in it, exit handlers and threads outlive the last line), ``sys.argv``, ``sys.path[0]``,
``__file__`` and ``__spec__`` as for a script, for ``-m``, for ``-c`` and for standard input.

What ends the program is left to the interpreter: SystemExit, KeyboardInterrupt and every other exception pass
through, so that the exit status, flushing and exit handlers are Python's own. Only the traceback is tidied on
its way out: an excepthook in front of the program's takes away the frames of ours that stand above the
program's first.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import os
import sys
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any

__all__ = ["NoProgram", "Program", "from_code", "from_file", "from_module", "from_stdin", "run"]

_PACKAGE = __name__.partition(".")[0]


class NoProgram(Exception):
    """What was named cannot be run. The message is one line; ``help`` holds the lines that say what to do."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.help = help


class Program:
    """Compiled code and the circumstances in which it expects to run.

    Args:
        code: the compiled program.
        argv0: what it finds as ``sys.argv[0]``.
        folder: what it finds as ``sys.path[0]``.
        attributes: attributes of its ``__main__`` module.
    """

    def __init__(self, code: CodeType, argv0: str, folder: str, **attributes: Any) -> None:
        self.code, self.argv0, self.folder, self.attributes = code, argv0, folder, attributes


# ---------------------------------------------------------------- the four kinds


def from_file(path: str) -> Program:
    """The program in a source file."""
    full = os.path.abspath(path)
    try:
        with open(full, "rb") as stream:
            source = stream.read()
    except OSError as error:
        raise NoProgram(
            f"can't open file {path!r}: [Errno {error.errno}] {error.strerror}", _help_for(path)
        ) from None
    if full.endswith(".ipynb"):
        raise NoProgram(
            f"{path!r} is a notebook, not a Python program",
            "Save its code as a script first, with jupyter nbconvert --to script or the export menu.",
        )
    code = _compiled(source, full, path)
    folder = os.path.dirname(os.path.realpath(full))
    loader = SourceFileLoader("__main__", full)
    return Program(
        code, path, folder, __file__=full, __cached__=None, __loader__=loader, __spec__=None, __package__=None
    )


def from_code(text: str) -> Program:
    """The program given as text, as with ``python -c``."""
    return Program(_compiled(text.encode(), "<string>", "-c"), "-c", "", __spec__=None, __package__=None)


def from_stdin() -> Program:
    """The program on standard input, as with ``python -``."""
    code = _compiled(sys.stdin.buffer.read(), "<stdin>", "<stdin>")
    return Program(code, "-", "", __file__="<stdin>", __cached__=None, __spec__=None, __package__=None)


def from_module(name: str) -> Program:
    """The program that is an importable module, or a package with a ``__main__``, as with ``python -m``.

    A package's ``__init__`` runs while the module is looked for, and may import torch: the alias comes before.
    """
    _put_first_on_path(os.getcwd())  # it may lie there
    spec = _module_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        name += ".__main__"
        spec = _module_spec(name)
    if spec is None or spec.loader is None:
        raise NoProgram(
            f"No module named {name}", "Give the name as for `python -m`: package.module, without .py."
        )
    try:
        code = spec.loader.get_code(name)
    except SyntaxError as error:
        raise _no_syntax(error, name) from None
    if code is None:
        raise NoProgram(f"No code object available for {name}", "Only modules written in Python can be run.")
    return Program(
        code,
        spec.origin or name,
        os.getcwd(),
        __file__=spec.origin,
        __cached__=spec.cached,
        __loader__=spec.loader,
        __spec__=spec,
        __package__=spec.parent,
    )


def _module_spec(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise  # the package is there, and what it imports is not
        return None
    except (ValueError, AttributeError):  # an empty name, or a parent that is no package
        return None


def _compiled(source: bytes, filename: str, shown: str) -> CodeType:
    try:
        return compile(source, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        if error.lineno is None or b"\0" in source or "unicode error" in (error.msg or ""):
            raise NoProgram(f"{shown!r} is not a Python program: {error.msg}", _help_for(shown)) from None
        raise _no_syntax(error, shown) from None
    except ValueError as error:  # Python 3.11's answer to null bytes
        raise NoProgram(f"{shown!r} is not a Python program: {error}", _help_for(shown)) from None


def _no_syntax(error: SyntaxError, shown: str) -> NoProgram:
    kind = type(error).__name__
    lines = []
    if error.text:
        text = error.text.rstrip("\n")
        stripped = text.lstrip()
        lines.append("    " + stripped)
        column = (error.offset or 1) - 1 - (len(text) - len(stripped))
        if column >= 0:
            end = error.end_offset if error.end_lineno == error.lineno and error.end_offset else 0
            lines.append("    " + " " * column + "^" * max(1, end - (error.offset or 1)))
    return NoProgram(f"{shown}, line {error.lineno}: {kind}: {error.msg}", "\n".join(lines))


def _help_for(path: str) -> str:
    if os.path.isdir(path):
        inside = [n for n in ("__main__.py", "main.py", "train.py") if os.path.isfile(os.path.join(path, n))]
        return f"It is a folder; run a file in it{': ' + os.path.join(path, inside[0]) if inside else '.'}"
    if not os.path.exists(path) and os.path.exists(path + ".py"):
        return f"There is {path + '.py'!r}: did you mean that?"
    return (
        "Give the path of a Python source file; -m MODULE, -c CODE and - (standard input) work as in Python."
    )


# ---------------------------------------------------------------- running


def run(program: Program, arguments: list[str], around: contextlib.AbstractContextManager[Any] | None = None) -> None:
    """Run the program in this process, as ``__main__``, inside of ``around``.

    Whatever ends it early (SystemExit, KeyboardInterrupt, any exception) passes through to the interpreter.
    """
    main = ModuleType("__main__")
    vars(main).update(program.attributes, __builtins__=builtins)
    if "__file__" not in program.attributes:
        vars(main).pop("__file__", None)
    sys.modules["__main__"] = main
    sys.argv[:] = [program.argv0, *arguments]
    _put_first_on_path(program.folder)
    try:
        with around or contextlib.nullcontext():
            exec(program.code, vars(main))
    except BaseException:
        _hide_own_frames(vars(main))
        raise


def _put_first_on_path(folder: str) -> None:
    """Set the program's folder in the place of the one that Python put there for our own start."""
    if not sys.flags.safe_path:  # python -P puts none there
        sys.path[0:1] = [folder]


def _hide_own_frames(namespace: dict[str, Any]) -> None:
    """Let the traceback of the exception that is on its way out begin at the program's first frame."""
    show = sys.excepthook

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Any:
        tidy = _tidied(error, trace, namespace)
        return show(kind, error.with_traceback(tidy), tidy)

    sys.excepthook = excepthook


def _tidied(
    error: BaseException, trace: TracebackType | None, namespace: dict[str, Any]
) -> TracebackType | None:
    first = trace
    while first is not None and first.tb_frame.f_globals is not namespace:
        first = first.tb_next
    first = first or trace
    if isinstance(error, (ImportError, AttributeError)) and first is not None:
        frames = [first]
        while frames[-1].tb_next is not None:
            frames.append(frames[-1].tb_next)
        if frames[-1].tb_frame.f_code.co_name in (
            "__getattr__",
            "find_spec",
        ):  # where an absent name was reported
            while len(frames) > 1 and _is_own(frames[-1]):
                frames.pop()
            frames[-1].tb_next = None
    return first


def _is_own(step: TracebackType) -> bool:
    name = str(step.tb_frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] == _PACKAGE or name.startswith("importlib._bootstrap")
