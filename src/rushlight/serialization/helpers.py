"""Small functions that ``torch.serialization`` has had for long and other libraries call."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

from .locations import default_restore_location
from .names import inward

__all__ = [
    "check_module_version_greater_or_equal",
    "mkdtemp",
    "normalize_storage_type",
    "validate_cuda_device",
    "validate_hpu_device",
]


@contextlib.contextmanager
def mkdtemp() -> Iterator[str]:
    """A folder that is gone, with all that is in it, when the block ends."""
    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def check_module_version_greater_or_equal(module: Any, req_version_tuple: tuple[Any, ...], error_if_malformed: bool = True) -> bool:
    """Whether a module's ``__version__`` is at least the given one.

    RuntimeError for a version that cannot be read, or a warning and True if ``error_if_malformed`` is False.

    Example::

        >>> import numpy
        >>> from rushlight import serialization
        >>> serialization.check_module_version_greater_or_equal(numpy, (1, 20))
        True
    """
    words = str(module.__version__).split(".")
    try:
        found = tuple(type(field)(words[i]) for i, field in enumerate(req_version_tuple))
    except (IndexError, ValueError) as error:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared with "
            f"tuple {req_version_tuple}"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(message + ", but continuing assuming that requirement is met", stacklevel=2)
        return True
    return bool(found >= req_version_tuple)


def normalize_storage_type(storage_type: Any) -> Any:
    """The class of ``torch`` that has the name of this class of storages."""
    return inward("torch", storage_type.__name__)


def _validate(location: Any, kind: str) -> NoReturn:
    if kind == "cuda" and not re.fullmatch(r"cuda(:\d+)?", str(location)):
        raise ValueError(f"Expected a cuda device, but got: {location}\nWrite cuda:0.")
    default_restore_location(None, kind)
    raise RuntimeError(f"a tagger of one's own took {location}\nThere is no such device.")


def validate_cuda_device(location: Any) -> NoReturn:
    """Raise what PyTorch raises without a GPU."""
    _validate(location, "cuda")


def validate_hpu_device(location: Any) -> NoReturn:
    """Raise what PyTorch raises without an HPU."""
    _validate(location, "hpu")
