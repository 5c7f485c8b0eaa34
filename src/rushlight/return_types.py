"""The named tuples that operators return: ``torch.return_types``.

Example::

    >>> import rushlight as torch
    >>> isinstance(torch.linalg.qr(torch.eye(2)), torch.return_types.linalg_qr)
    True
"""

from typing import Any

from rushlight.compat import absent as _absent
from rushlight.ops import asked as _asked
from rushlight.ops.call import _RETURN_TYPES


def _known() -> dict[str, Any]:
    return {made.__name__: made for made in _RETURN_TYPES.values()}


def __dir__() -> list[str]:
    _asked.load("linalg")
    return sorted(_known())


def __getattr__(name: str) -> Any:
    found = _known().get(name)
    if found is None and not name.startswith("__"):
        _asked.load("linalg")       # which has many more
        found = _known().get(name)
    if found is None:
        raise _absent.missing(__name__, name, sorted(_known()))
    return found
