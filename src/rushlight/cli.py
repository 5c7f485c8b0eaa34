"""The command line: ``rushlight run SCRIPT [ARGS]``.

Arguments are read by hand, because everything after the program's name belongs to the program, options
included. Exit status: the program's own; 1 when it ended in an exception; 2 when there was nothing to run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import numpy

import rushlight

from . import version
from .compat import program

__all__ = ["main"]

_USAGE = """\
usage: rushlight run SCRIPT [ARGS ...]       a PyTorch program, as it is
       rushlight run -m MODULE [ARGS ...]    a module, as with python -m
       rushlight run -c CODE [ARGS ...]      a line of code
       rushlight run - [ARGS ...]            a program on standard input
       rushlight --version
       rushlight --help

Within the program `import torch` gives rushlight: PyTorch's tensors, autograd, nn and optim on the CPU,
written in Python on NumPy. Nothing is installed or changed outside the process. All arguments after the
program go to it.

For example:  rushlight run examples/digits.py
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
    elif command.endswith(".py"):
        raise _Usage(f"no command {command!r}; to run a program: rushlight run {command}")
    else:
        raise _Usage(f"no command {command!r}; there is: run")
    return 0


def _run(words: list[str]) -> int:
    if not words:
        raise _Usage("run: which program? rushlight run SCRIPT [ARGS ...]")
    first, *rest = words
    if first in ("-h", "--help"):
        print(_USAGE, end="")
        return 0
    if first.startswith("-m") or first.startswith("-c"):
        value = first[2:] or (rest.pop(0) if rest else _missing_value(first))
        made = program.from_module(value) if first.startswith("-m") else program.from_code(value)
    elif first == "-":
        made = program.from_stdin()
    elif first == "--":
        return _run_file(rest)
    elif first.startswith("-"):
        raise _Usage(f"run: no option {first}; options of the program come after its name")
    else:
        return _run_file(words)
    program.run(made, rest)
    return 0


def _run_file(words: list[str]) -> int:
    if not words:
        raise _Usage("run: which program? rushlight run SCRIPT [ARGS ...]")
    program.run(program.from_file(words[0]), words[1:])
    return 0


def _missing_value(option: str) -> NoReturn:
    raise _Usage(f"run: {option} needs {'the name of a module' if option == '-m' else 'code'} after it")
