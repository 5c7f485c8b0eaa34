"""The alias within one process: the same modules under a second name, and no trace when it is taken back."""

import importlib
import importlib.util
import pathlib
import subprocess
import sys

import pytest

import rushlight
from rushlight import compat

SOURCES = pathlib.Path(rushlight.__file__).resolve().parent.parent


@pytest.fixture
def fresh():
    """`fresh(code)` runs code in a new interpreter; what it printed and how it ended."""

    def run(code):
        head = f"import sys; sys.path.insert(0, {str(SOURCES)!r})\n"
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", head + code], capture_output=True, text=True, timeout=120
        )

    return run


def printed(done):
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_modules_are_the_very_same(fresh):
    code = """
import pkgutil, importlib, rushlight, rushlight.compat
rushlight.compat.install()
import torch
assert torch is rushlight
seen = 0
for info in pkgutil.walk_packages(rushlight.__path__, "rushlight."):
    name = info.name.removeprefix("rushlight.")
    if name.startswith(("compat", "__main__", "cli", "observe.engines.torch")) or callable(getattr(rushlight, name, None)):
        continue
    above, _, last = info.name.rpartition(".")
    if callable(vars(importlib.import_module(above)).get(last)):
        continue      # a function of that name stands there, as in PyTorch (nn.utils.spectral_norm)
    mine = importlib.import_module(info.name)
    spec = mine.__spec__
    aliased = importlib.import_module("torch." + name)
    assert aliased is mine and mine.__spec__ is spec and spec.name == info.name, name
    seen += 1
print(seen > 10)
"""
    assert printed(fresh(code)) == ["True"]


def test_import_statements_in_all_their_forms(fresh):
    code = """
import rushlight.compat
rushlight.compat.install()
import torch.nn.functional
import torch.nn as nn, torch.optim as optim, torch.cuda, torch.backends.cudnn as cudnn
from torch import nn as nn2, Tensor, tensor, no_grad
from torch.nn import functional as F, Linear, Module
from torch.nn.functional import relu
from torch.nn.parameter import Parameter
from torch.autograd import Function, grad
from torch.version import cuda
import rushlight
assert torch is rushlight and nn is nn2 is rushlight.nn and F is rushlight.nn.functional
assert Parameter is rushlight.nn.Parameter and Tensor is rushlight.Tensor and relu is F.relu
assert cuda is None and not torch.cuda.is_available() and not cudnn.is_available()
assert callable(torch.tensor) and torch.tensor is tensor
print(torch.__name__)
"""
    assert printed(fresh(code)) == ["rushlight"]


def test_nothing_happens_unasked(fresh):
    code = "import sys, rushlight\nprint('torch' in sys.modules, rushlight.compat.installed())" + (
        "\nprint(rushlight.__version__)"
    )
    done = fresh("import rushlight.compat\n" + code)
    assert printed(done) == ["False False", rushlight.__version__]


def test_importing_rushlight_does_not_need_the_alias_modules(fresh):
    code = (
        "import rushlight, sys; "
        "print([n in sys.modules for n in ('rushlight.compat.program', 'multiprocessing')])"
    )
    assert printed(fresh(code)) == ["[False, False]"]


def test_installing_twice_and_taking_back(fresh):
    code = """
import sys, rushlight, rushlight.compat as compat
before, own = list(sys.meta_path), rushlight.__version__
compat.install(); compat.install()
assert len(sys.meta_path) == len(before) + 1 and compat.installed()
import torch.nn
assert torch.__version__ == "2.13.0+rushlight" and isinstance(torch.__version__, str)
compat.uninstall(); compat.uninstall()
assert sys.meta_path == before and not compat.installed() and rushlight.__version__ == own
print([n for n in sys.modules if n.partition(".")[0] == "torch"])
"""
    assert printed(fresh(code)) == ["[]"]


def test_a_torch_that_was_there_before_is_an_error(fresh):
    code = """
import sys, types
sys.modules["torch"] = types.ModuleType("torch")
sys.modules["torch"].__file__ = "/somewhere/torch/__init__.py"
import rushlight, rushlight.compat
own = rushlight.__version__
try:
    rushlight.compat.install()
except RuntimeError as error:
    print(error)
print(rushlight.compat.installed(), rushlight.__version__ == own)
"""
    lines = printed(fresh(code))
    assert lines[0] == "torch is already imported, from /somewhere/torch/__init__.py"
    assert "rushlight run" in lines[1] and lines[2] == "False True"


def test_real_torch_that_was_imported_before_is_an_error(fresh):
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    done = fresh(
        "import warnings\nwith warnings.catch_warnings():\n"
        "    warnings.simplefilter('ignore')\n    import torch\n"
        "import rushlight.compat\nrushlight.compat.install()"
    )
    assert done.returncode == 1 and "RuntimeError: torch is already imported, from " in done.stderr


def test_a_question_is_answered_and_an_import_explained(fresh):
    code = """
import importlib.util as u, rushlight, rushlight.compat
rushlight.compat.install()
import torch
print(u.find_spec("torch.no_such"), u.find_spec("torch.nn") is not None, u.find_spec("torch") is not None)
for text in (
    "import torch.no_such", "import torch.nn.no_such", "from torch.nn.no_such import x",
    "import torch.tensor",
):
    try:
        exec(text)
    except ModuleNotFoundError as error:
        print(error.name, "|", str(error).replace(chr(10), " | "))
print(callable(torch.tensor))
"""
    lines = printed(fresh(code))
    assert lines[0] == "None True True"
    assert lines[1].startswith(
        "torch.no_such | No module named 'torch.no_such' | rushlight lacks torch.no_such"
    )
    assert lines[2].startswith(
        "torch.nn.no_such | No module named 'torch.nn.no_such' | rushlight lacks torch.nn.no_such"
    )
    assert lines[3] == lines[2]
    assert lines[4] == (
        "torch.tensor | No module named 'torch.tensor' | "
        "torch.tensor is no module: write `from torch import tensor`"
    )
    assert lines[5] == "True"


def test_companions_that_are_not_installed_are_explained(fresh):
    code = """
import importlib.util as u, rushlight.compat
rushlight.compat.install()
if u.find_spec("torchtext") is None:
    try:
        import torchtext
    except ModuleNotFoundError as error:
        print(str(error).splitlines())
else:
    print(["No module named 'torchtext'", rushlight.compat.absent.COMPANIONS["torchtext"]])
"""
    assert printed(fresh(code)) == [
        str(["No module named 'torchtext'", compat.absent.COMPANIONS["torchtext"]])
    ]


def test_pickles_cross_the_two_names(fresh):
    code = """
import pickle, rushlight, rushlight.compat
module = rushlight.nn.Linear(2, 1)
text = pickle.dumps(module)
rushlight.compat.install()
import torch
again = pickle.loads(text)
assert type(again) is torch.nn.Linear and torch.equal(again.weight, module.weight)
assert pickle.dumps(torch.nn.Linear) == pickle.dumps(rushlight.nn.Linear)
print("same")
"""
    assert printed(fresh(code)) == ["same"]


def test_this_process_was_not_touched():
    assert not compat.installed()
    assert sys.modules.get("torch") is not rushlight
