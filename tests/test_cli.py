"""`rushlight run` against Python itself: a program must not be able to tell who started it.

The programs of the first half use no torch, and are run twice, by `python` and by `rushlight run`: output,
error output and exit status have to be the same, to the letter.
"""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import tomllib

import pytest

import rushlight

PACKAGE = pathlib.Path(rushlight.__file__).resolve().parent
PYPROJECT = pathlib.Path(__file__).resolve().parent.parent / "pyproject.toml"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "NO_COLOR": "1"}


def heed_interrupts():
    """Undo what a background job of a shell inherits: SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(words, folder, text=None):
    """Run Python with these words in that folder; what it said, and how it ended."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        env=ENVIRONMENT,
        preexec_fn=heed_interrupts,
    )
    return done.stdout, done.stderr, done.returncode


def rushlight_run(words, folder, text=None):
    return start(["-m", "rushlight", "run", *words], folder, text)


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content))


SHOW = """
    import sys
    print(__name__, sys.argv, sys.path[0], globals().get("__file__"), __package__, __doc__)
    print(getattr(__spec__, "name", None), sys.modules["__main__"].__dict__ is globals(), __builtins__)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["show.py"],
        ["show.py", "--epochs", "3", "-h", "", "a b", "--", "-m"],
        ["below/show.py", "x"],
        ["link.py"],
        ["-m", "show", "x", "-c"],
        ["-mshow"],
        ["-m", "folder", "x"],
        ["-m", "folder.inner"],
        ["-c", textwrap.dedent(SHOW), "x", "-v"],
        ["-", "x", "y"],
    ],
    ids=" ".join,
)
def test_program_finds_the_same_circumstances(tmp_path, words):
    write(tmp_path, {n: SHOW for n in ("show.py", "below/show.py", "folder/__main__.py", "folder/inner.py")})
    write(tmp_path, {"folder/__init__.py": "print('package', __name__)\n"})
    (tmp_path / "link.py").symlink_to(tmp_path / "below" / "show.py")
    text = textwrap.dedent(SHOW)
    expected = start(words, tmp_path, text)
    assert expected[2] == 0, expected
    assert rushlight_run(words, tmp_path, text) == expected


@pytest.mark.parametrize(
    "body",
    [
        "import sys; print('out'); sys.exit(3)",
        "raise SystemExit",
        "raise SystemExit('bye')",
        "import os; os._exit(7)",
        "1 / 0",
        "def f(): return [] + 1\ndef g():\n    f()\ng()",
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise KeyError('x') from error",
        "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
        "import broken",
        "import no_such_module_anywhere",
        "import sys; sys.no_such_name",
        "import sys\ndef hook(kind, error, trace):\n    print(kind.__name__, trace.tb_frame.f_code.co_name)\n"
        "sys.excepthook = hook\n1 / 0",
        "import atexit\natexit.register(lambda: print('last', __name__, value))\nvalue = 5\n1 / 0",
        "import threading\nthreading.Timer(0.05, lambda: print('thread', value)).start()\nvalue = 6",
        "import warnings\nwarnings.warn('careful')",
        "import asyncio\nasync def f(): raise ValueError('inside')\nasyncio.run(f())",
        "x: int = 1\nprint(__annotations__)",
        "import __main__; print(__main__.__name__, __main__.value if hasattr(__main__, 'value') else None)",
        "",
        "# -*- coding: latin-1 -*-\nprint('plain')",
    ],
)
def test_program_ends_as_in_python(tmp_path, body):
    write(tmp_path, {"broken.py": "def f(:\n    pass\n"})
    (tmp_path / "program.py").write_text(body + "\n")
    assert rushlight_run(["program.py"], tmp_path) == start(["program.py"], tmp_path)


def test_interrupt_ends_as_in_python(tmp_path):
    write(
        tmp_path,
        {"program.py": "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n"},
    )
    expected = start(["program.py"], tmp_path)
    assert rushlight_run(["program.py"], tmp_path) == expected
    assert expected[2] == -signal.SIGINT


def test_classes_of_the_program_can_be_pickled(tmp_path):
    write(
        tmp_path,
        {
            "program.py": """
                import copy, pickle
                from dataclasses import dataclass

                @dataclass
                class Settings:
                    rate: float

                text = pickle.dumps(Settings(0.5))
                print(pickle.loads(text), b"__main__" in text, copy.deepcopy(Settings(1.0)))
            """
        },
    )
    expected = start(["program.py"], tmp_path)
    assert rushlight_run(["program.py"], tmp_path) == expected
    assert "Settings(rate=0.5) True" in expected[0]


CHILDREN = """
    import multiprocessing, sys
    import torch

    class Thing:
        def __init__(self, value):
            self.value = value

    def work(thing):
        import torch.nn.functional as F
        import rushlight
        same = torch is rushlight and F is rushlight.nn.functional
        return type(thing).__module__, thing.value, same, torch.__version__

    if __name__ == "__main__":
        with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
            print(pool.map(work, [Thing(4)]))
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("how", ["script", "module"])
def test_children_have_the_alias(tmp_path, method, how):
    write(tmp_path, {"program.py": CHILDREN})
    words = ["program.py"] if how == "script" else ["-m", "program"]
    out, err, status = rushlight_run([*words, method], tmp_path)
    assert (err, status) == ("", 0)
    assert out == "[('__mp_main__', 4, True, '2.13.0+rushlight')]\n"


def test_other_processes_are_left_alone(tmp_path):
    code = "import sys, subprocess; print(subprocess.run([sys.executable, '-c', sys.argv[1]]).returncode)"
    question = "import importlib.util, sys; sys.exit('rushlight' in str(importlib.util.find_spec('torch')))"
    out, err, status = rushlight_run(["-c", code, question], tmp_path)
    assert (out, err, status) == ("0\n", "", 0)


# ---------------------------------------------------------------- torch inside a program


def test_a_program_gets_rushlight_as_torch(tmp_path):
    write(
        tmp_path,
        {
            "program.py": """
                import torch
                import torch.nn as nn
                import torch.nn.functional
                from torch import optim
                from torch.nn import functional as F
                from torch.autograd import Function
                import rushlight

                assert torch is rushlight and nn is rushlight.nn
                assert F is torch.nn.functional is rushlight.nn.functional
                assert Function is rushlight.autograd.Function and optim is rushlight.optim
                x = torch.tensor([1.0, 2.0], requires_grad=True)
                (x * x).sum().backward()
                print(x.grad, torch.__version__, torch.cuda.is_available())
            """
        },
    )
    assert rushlight_run(["program.py"], tmp_path) == ("tensor([2., 4.]) 2.13.0+rushlight False\n", "", 0)


def test_an_absent_name_shows_the_line_of_the_program_and_nothing_of_ours(tmp_path):
    write(
        tmp_path,
        {"program.py": "import torch\n\ndef build():\n    return torch.nn.Lineear(1, 2)\n\nbuild()\n"},
    )
    out, err, status = rushlight_run(["program.py"], tmp_path)
    path = tmp_path / "program.py"
    assert (out, status) == ("", 1)
    lines = [line for line in err.splitlines() if set(line.strip()) - set("^~")]
    assert lines[:5] == [
        "Traceback (most recent call last):",
        f'  File "{path}", line 6, in <module>',
        "    build()",
        f'  File "{path}", line 4, in build',
        "    return torch.nn.Lineear(1, 2)",
    ]
    assert lines[5].startswith("AttributeError: module 'torch.nn' has no attribute 'Lineear'")
    assert lines[6].startswith("rushlight lacks torch.nn.Lineear; nearest: torch.nn.Linear")


def test_an_absent_module_shows_the_line_of_the_program(tmp_path):
    out, err, status = rushlight_run(["-c", "import torch.no_such_thing"], tmp_path)
    assert (out, status) == ("", 1)
    assert "rushlight/" not in err.replace(str(tmp_path), "")
    assert (
        "ModuleNotFoundError: No module named 'torch.no_such_thing'\nrushlight lacks torch.no_such_thing"
        in err
    )


# ---------------------------------------------------------------- what is no program


def refused(words, folder, first, rest=""):
    for command in (["-m", "rushlight", *words],):
        out, err, status = start(command, folder)
        assert out == "" and status == 2
        line, _, others = err.partition("\n")
        assert line == first
        assert others.strip() and rest in others
        assert "Traceback" not in err


def test_missing_file(tmp_path):
    refused(
        ["run", "none.py"],
        tmp_path,
        "rushlight: can't open file 'none.py': [Errno 2] No such file or directory",
        "-m MODULE",
    )


def test_missing_file_that_lacks_its_suffix(tmp_path):
    write(tmp_path, {"train.py": "print(1)\n"})
    refused(
        ["run", "train"],
        tmp_path,
        "rushlight: can't open file 'train': [Errno 2] No such file or directory",
        "'train.py'",
    )


def test_folder(tmp_path):
    write(tmp_path, {"code/train.py": "print(1)\n"})
    message = "rushlight: can't open file 'code': [Errno 21] Is a directory"
    refused(["run", "code"], tmp_path, message, os.path.join("code", "train.py"))


@pytest.mark.parametrize(
    "content", [b"\x7fELF\x02\x01\x01\0\0\0", b"\x89PNG\r\n\x1a\n\0\0", b"x = '\xff\xfe'\n"]
)
def test_binary_file(tmp_path, content):
    (tmp_path / "image.py").write_bytes(content)
    out, err, status = start(["-m", "rushlight", "run", "image.py"], tmp_path)
    assert (out, status) == ("", 2)
    assert err.startswith("rushlight: 'image.py' is not a Python program: ") and "Traceback" not in err


def test_syntax_error(tmp_path):
    write(tmp_path, {"bad.py": "import torch\nif True:\n    x = (1,\n    y = 2\n"})
    refused(
        ["run", "bad.py"],
        tmp_path,
        "rushlight: bad.py, line 3: SyntaxError: '(' was never closed",
        "    x = (1,\n        ^",
    )


def test_indentation_error(tmp_path):
    write(tmp_path, {"bad.py": "if True:\nx = 1\n"})
    why = "expected an indented block after 'if' statement on line 1"
    refused(["run", "bad.py"], tmp_path, f"rushlight: bad.py, line 2: IndentationError: {why}", "x = 1")


def test_notebook(tmp_path):
    write(tmp_path, {"lesson.ipynb": '{"cells": []}'})
    refused(
        ["run", "lesson.ipynb"],
        tmp_path,
        "rushlight: 'lesson.ipynb' is a notebook, not a Python program",
        "script",
    )


def test_missing_module(tmp_path):
    write(tmp_path, {"package/__init__.py": ""})
    refused(
        ["run", "-m", "no_such_module"], tmp_path, "rushlight: No module named no_such_module", "python -m"
    )
    refused(["run", "-m", "package"], tmp_path, "rushlight: No module named package.__main__", "python -m")
    refused(["run", "-m", "package.none"], tmp_path, "rushlight: No module named package.none", "python -m")


def test_bad_code(tmp_path):
    refused(["run", "-c", "1 +"], tmp_path, "rushlight: -c, line 1: SyntaxError: invalid syntax", "1 +")


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ([], "rushlight: no command; to run a program: rushlight run SCRIPT"),
        (["run"], "rushlight: run: which program? rushlight run SCRIPT [ARGS ...]"),
        (["run", "--"], "rushlight: run: which program? rushlight run SCRIPT [ARGS ...]"),
        (
            ["run", "--fast", "x.py"],
            "rushlight: run: no option --fast; options of the program come after its name",
        ),
        (["run", "-m"], "rushlight: run: -m needs the name of a module after it"),
        (["run", "-c"], "rushlight: run: -c needs code after it"),
        (["train.py"], "rushlight: no command 'train.py'; to run a program: rushlight run train.py"),
        (["fly"], "rushlight: no command 'fly'; there are: run, report, compare, runs"),
    ],
)
def test_usage(tmp_path, words, first):
    refused(words, tmp_path, first, "--help")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["run", "--help"], ["run", "-h"]])
def test_help(tmp_path, words):
    out, err, status = start(["-m", "rushlight", *words], tmp_path)
    assert (err, status) == ("", 0)
    assert out.startswith("usage: rushlight run SCRIPT")


def test_version(tmp_path):
    out, err, status = start(["-m", "rushlight", "--version"], tmp_path)
    assert (err, status) == ("", 0)
    assert out.startswith(f"rushlight {rushlight.__version__} (as PyTorch 2.13.0, on NumPy ")


def test_version_is_the_one_of_the_package():
    assert rushlight.__version__ == tomllib.loads(PYPROJECT.read_text())["project"]["version"]
