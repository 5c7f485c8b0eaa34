"""The alias: a finder that answers ``import torch...`` with rushlight's own modules.

Python imports ``torch.nn`` by asking every finder on ``sys.meta_path``. Ours stands first. Its loader does
not build a module: it imports ``rushlight.nn`` and leaves that object in ``sys.modules`` under the second
name, which the import system permits ("a module may replace itself"). So ``torch.nn is rushlight.nn``, each
module keeps its own ``__spec__``, and a class pickled by one name is found by the other.

Three things are less obvious.

**Children.** A process started by multiprocessing's ``spawn`` or ``forkserver`` begins with a bare
interpreter and imports the main script again, before any code of ours. What the parent sends first is a
dictionary of preparations; we add an entry to it whose unpickling calls :func:`install`. Other programs that
the script starts are left alone.

**Absent names.** ``import torch.fx`` ends in a ModuleNotFoundError that says what rushlight has instead. But
``importlib.util.find_spec("torch.fx")`` is a question, not an import, and its answer is None. Both arrive at
``find_spec`` below, and only the frame that called tells them apart.

**Functions that are no modules.** rushlight keeps its Tensor in ``rushlight/tensor.py``, while
``torch.tensor`` is a function. Importing such a module by torch's name would bind it over the function, so it
is not found.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, cast

from .. import version
from . import absent
from .torch_version import TorchVersion

__all__ = ["install", "installed", "uninstall"]

_ROOT = __name__.partition(".")[0]
_SPAWN = "multiprocessing.spawn"


class _Adopted:
    """The loader of one aliased module: it puts rushlight's module where the import system looks for torch's.

    (The base classes of importlib.abc would add nothing here but ten milliseconds to every import.)
    """

    def __init__(self, mine: str) -> None:
        self.mine = mine

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self.mine)


class _TorchFinder:
    """Finds ``torch`` and all below it in rushlight, and says what is missing."""

    own_version = ""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> Any:
        if name == "torch" or name.startswith("torch."):
            mine = _counterpart(name)
            if mine is not None:
                is_package = mine.submodule_search_locations is not None
                return ModuleSpec(
                    name, cast(Any, _Adopted(mine.name)), origin=mine.origin, is_package=is_package
                )
            if _is_import():
                raise absent.no_module(name)
            return None
        if name == _SPAWN and name not in sys.modules:
            return _with_prepared_children(PathFinder.find_spec(name, path))
        if name in absent.COMPANIONS and _is_import() and PathFinder.find_spec(name, path) is None:
            raise absent.no_module(name)
        return None


_FINDER: Any = _TorchFinder()


def _is_import() -> bool:
    """Whether the finder was asked by an import statement (or ``import_module``) and not by ``find_spec``.

    Up from here stand find_spec of this file, the loop over the finders, and the one who wants to know.
    """
    return sys._getframe(3).f_code.co_name == "_find_and_load_unlocked"


def _counterpart(name: str) -> ModuleSpec | None:
    """Where rushlight keeps the module for a name of torch's, or None."""
    mine = _ROOT + name.removeprefix("torch")
    above, _, last = mine.rpartition(".")
    known = vars(sys.modules[above]).get(last) if above in sys.modules else None
    if known is not None and not isinstance(known, ModuleType):
        return None
    return importlib.util.find_spec(mine)


def _with_prepared_children(spec: ModuleSpec | None) -> ModuleSpec | None:
    """The spec of multiprocessing.spawn, which prepares children for the alias once it has been loaded.

    Loading it here and now would cost every program the ten milliseconds that few need.
    """
    if spec is not None and spec.loader is not None:
        load = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            load(module)
            _prepare_children(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
    return spec


class _InstallInChild:
    """A value that, unpickled, installs the alias."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (install, ())


def _prepare_children(spawn: Any) -> None:
    """Let what multiprocessing sends to a new child begin with the alias, as long as it is installed here."""
    original = spawn.get_preparation_data
    if getattr(original, "_for_torch_alias", False):
        return

    @functools.wraps(original)
    def get_preparation_data(name: str) -> dict[str, Any]:
        data: dict[str, Any] = original(name)
        if installed():
            data = {"torch_alias": _InstallInChild(), **data}
            if (
                name == "ignore"
            ):  # a fork server asks by this name, and would import the script before it has the alias
                data.pop("init_main_from_path", None)
        return data

    get_preparation_data._for_torch_alias = True  # type: ignore[attr-defined]
    spawn.get_preparation_data = get_preparation_data


def install() -> None:
    """From now on, in this process, ``import torch`` gives rushlight. Calling it again changes nothing.

    Raises:
        RuntimeError: the real PyTorch was imported before.

    >>> import rushlight, rushlight.compat
    >>> rushlight.compat.install()
    >>> import torch.nn.functional as F
    >>> F is rushlight.nn.functional
    True
    >>> rushlight.compat.uninstall()
    """
    root: Any = sys.modules[_ROOT]
    there = sys.modules.get("torch")
    if there is not None and there is not root:
        raise RuntimeError(
            f"torch is already imported, from {getattr(there, '__file__', None) or 'an unknown place'}\n"
            "rushlight cannot take its name any more: call rushlight.compat.install() before that import, "
            "or start the program with `rushlight run`."
        )
    if _FINDER in sys.meta_path:
        return
    sys.meta_path.insert(0, _FINDER)
    root.__version__, _FINDER.own_version = TorchVersion(version.__version__), root.__version__
    if _SPAWN in sys.modules:
        _prepare_children(sys.modules[_SPAWN])


def uninstall() -> None:
    """Take the alias back: later imports of ``torch`` are what they were without rushlight.

    Modules that were imported through the alias stay usable by those who hold them.
    """
    if _FINDER not in sys.meta_path:
        return
    sys.meta_path.remove(_FINDER)
    root: Any = sys.modules[_ROOT]
    root.__version__ = _FINDER.own_version
    for name in [n for n in sys.modules if n == "torch" or n.startswith("torch.")]:
        del sys.modules[name]


def installed() -> bool:
    """Whether ``import torch`` gives rushlight in this process."""
    return _FINDER in sys.meta_path
