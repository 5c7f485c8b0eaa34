"""The command line: ``rushlight run SCRIPT [ARGS]``, and the commands that read what such a run recorded.

The arguments of ``run`` are read by hand, because everything after the program's name belongs to the program,
options included. Exit status: the program's own; 1 when it ended in an exception; 2 when there was nothing to
run. What observing needs is loaded when a command asks for it: a plain run starts as fast as it can.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy

import rushlight

from . import version
from .compat import alias, program

__all__ = ["main"]

_USAGE = """\
usage: rushlight run SCRIPT [ARGS ...]       a PyTorch program, as it is
       rushlight run -m MODULE [ARGS ...]    a module, as with python -m
       rushlight run -c CODE [ARGS ...]      a line of code
       rushlight run - [ARGS ...]            a program on standard input
       rushlight report [FILE]               a page of what a run recorded; --text: in the terminal
       rushlight compare A B                 where two runs first part
       rushlight runs [FILE]                 the runs of a file
       rushlight --version
       rushlight --help

Within the program `import torch` gives rushlight: PyTorch's tensors, autograd, nn and optim on the CPU,
written in Python on NumPy. Nothing is installed or changed outside the process. All arguments after the
program go to it. Options of `run` stand before the program:

  --observe[=FILE]   record every gradient of the run into FILE (observe.db), say what goes wrong, sum up at the end
  --every N          of each N-th step only
  --values           figures of the tensors themselves as well
  --stop             end the program at the first NaN or infinity
  --run NAME         what the run is called in the file
  --engine torch     with the real PyTorch, which is installed apart; the program is observed all the same

For example:  rushlight run examples/digits.py
              rushlight run --observe examples/digits.py  &&  rushlight report
"""


class _Usage(Exception):
    """The command line makes no sense."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The ``rushlight`` command.

    Args:
        arguments: the words after the command's name; by default those of ``sys.argv``.

    Returns:
        The exit status, where the program itself did not end the process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _command(words)
    except _Usage as error:
        print(f"rushlight: {error}\nTry `rushlight --help`.", file=sys.stderr)
    except program.NoProgram as error:
        print(f"rushlight: {error}", error.help, sep="\n", file=sys.stderr)
    return 2


def _command(words: list[str]) -> int:
    if not words:
        raise _Usage("no command; to run a program: rushlight run SCRIPT")
    command, *rest = words
    if command in ("-h", "--help", "help"):
        print(_USAGE, end="")
    elif command in ("-V", "--version"):
        followed = version.__version__.partition("+")[0]
        print(f"rushlight {rushlight.__version__} (as PyTorch {followed}, on NumPy {numpy.__version__})")
    elif command == "run":
        return _run(rest)
    elif command in ("report", "compare", "runs"):
        status: int = importlib.import_module("rushlight.observe.commands").main(command, rest)
        return status
    elif command.endswith(".py"):
        raise _Usage(f"no command {command!r}; to run a program: rushlight run {command}")
    else:
        raise _Usage(f"no command {command!r}; there are: run, report, compare, runs")
    return 0


class _Options:
    """What stands between ``run`` and the program."""

    def __init__(self) -> None:
        self.engine = "rushlight"
        self.file: str | None = None
        self.observing: dict[str, Any] = {}

    def take(self, words: list[str]) -> list[str]:
        """Read the options; returns the words from the program on."""
        rest = list(words)
        while rest and rest[0].startswith("--") and rest[0] != "--":
            name, equals, value = rest.pop(0).partition("=")
            if name == "--observe":
                if equals and not value:
                    raise _Usage("run: --observe= needs the name of a file after it")
                self.file = value or "observe.db"
            elif name in ("--values", "--stop") and not equals:
                self.observing[name[2:]] = True
            elif name in ("--engine", "--every", "--run"):
                if not equals and not rest:
                    raise _Usage(f"run: {name} needs a value after it")
                self._set(name, value if equals else rest.pop(0))
            elif name == "--help":
                return ["--help"]
            else:
                raise _Usage(f"run: no option {name}; options of the program come after its name")
        if self.observing and self.file is None:
            raise _Usage(f"run: --{next(iter(self.observing))} belongs to --observe")
        return rest

    def _set(self, name: str, value: str) -> None:
        if name == "--engine":
            if value not in ("rushlight", "torch"):
                raise _Usage(f"run: no engine {value!r}; there are: rushlight, torch")
            self.engine = value
        elif name == "--every":
            if not value.isdecimal() or int(value) < 1:
                raise _Usage(f"run: --every {value!r} is no whole number from 1 on")
            self.observing["every"] = int(value)
        else:
            self.observing["run"] = value

    def check(self) -> None:
        if self.engine == "torch" and importlib.util.find_spec("torch") is None:
            raise _Usage("run: --engine torch needs PyTorch, which is not installed: pip install torch")

    def session(self) -> contextlib.AbstractContextManager[Any]:
        """What is put around the program."""
        if self.file is None:
            return contextlib.nullcontext()
        observing: Any = importlib.import_module("rushlight.observe.session")
        try:
            made: contextlib.AbstractContextManager[Any] = observing.Session(self.file, engine=self.engine, **self.observing)
        except observing.NoRunFile as error:
            raise _Usage(f"run: {error}") from None
        return made


def _run(words: list[str]) -> int:
    options = _Options()
    rest = options.take(words)
    if not rest:
        raise _Usage("run: which program? rushlight run SCRIPT [ARGS ...]")
    first, *arguments = rest
    if first in ("-h", "--help"):
        print(_USAGE, end="")
        return 0
    options.check()
    if options.engine == "rushlight":
        alias.install()
    if first.startswith("-m") or first.startswith("-c"):
        value = first[2:] or (arguments.pop(0) if arguments else _missing_value(first))
        made = program.from_module(value) if first.startswith("-m") else program.from_code(value)
    elif first == "-":
        made = program.from_stdin()
    elif first.startswith("-") and first != "--":
        raise _Usage(f"run: no option {first}; options of the program come after its name")
    else:
        if first == "--":
            if not arguments:
                raise _Usage("run: which program? rushlight run SCRIPT [ARGS ...]")
            first, *arguments = arguments
        made = program.from_file(first)
    program.run(made, arguments, options.session())
    return 0


def _missing_value(option: str) -> NoReturn:
    raise _Usage(f"run: {option} needs {'the name of a module' if option == '-m' else 'code'} after it")
