"""A version string that compares by release: what ``torch.__version__`` has to be.

Plain strings put "2.13.0" before "2.2", and programs do compare ``torch.__version__`` with strings and with
tuples. The order here is that of PEP 440 restricted to what such programs write: a release, perhaps a
pre-release, a post or a development number, perhaps a local label. What cannot be read as a version compares
as the plain string it is.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["TorchVersion"]

_FORM = re.compile(
    r"v?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[._-]?(?P<stage>a|alpha|b|beta|c|rc|pre|preview)[._-]?(?P<stage_number>\d*))?"
    r"(?:[._-]?(?P<post>post|rev|r)[._-]?(?P<post_number>\d*)|-(?P<bare_post>\d+))?"
    r"(?:[._-]?(?P<dev>dev)[._-]?(?P<dev_number>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[._-][a-z0-9]+)*))?",
    re.IGNORECASE,
)
_STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_FINAL_STAGE = 3


def _key(value: object) -> tuple[Any, ...] | None:
    """The sort key of a version (text, numbers in a sequence, a Version object), or None for all else."""
    if isinstance(value, (tuple, list)):
        value = ".".join(str(part) for part in value)
    match = _FORM.fullmatch(str(value).strip())
    if match is None:
        return None
    release = [int(part) for part in match["release"].split(".")]
    while release and release[-1] == 0:  # 2.13 and 2.13.0 are one release
        release.pop()
    has_post = match["post"] is not None or match["bare_post"] is not None
    stage = _STAGES[match["stage"].lower()] if match["stage"] else _FINAL_STAGE
    if match["dev"] and not match["stage"] and not has_post:
        stage = -1  # 2.14.dev1 comes before 2.14a1
    post = int(match["post_number"] or match["bare_post"] or 0) if has_post else -1
    dev = (0, int(match["dev_number"] or 0)) if match["dev"] else (1, 0)
    # Within a local label numbers order above words, and no label at all comes first.
    local = re.split(r"[._-]", match["local"].lower()) if match["local"] else []
    parts = tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in local)
    return (tuple(release), stage, int(match["stage_number"] or 0), post, dev, parts)


class TorchVersion(str):
    """A ``str`` whose comparisons are those of versions.

    >>> from rushlight.compat import TorchVersion
    >>> here = TorchVersion("2.13.0+rushlight")
    >>> here >= "2.2", here >= (1, 10), here < "2.13.1", here == "2.13.0"
    (True, True, True, False)
    """

    __slots__ = ()

    def _against(self, other: object) -> tuple[Any, Any]:
        mine, theirs = _key(str(self)), _key(other)
        return (mine, theirs) if mine is not None and theirs is not None else (str(self), str(other))

    def __lt__(self, other: object) -> bool:
        mine, theirs = self._against(other)
        return bool(mine < theirs)

    def __le__(self, other: object) -> bool:
        mine, theirs = self._against(other)
        return bool(mine <= theirs)

    def __gt__(self, other: object) -> bool:
        mine, theirs = self._against(other)
        return bool(mine > theirs)

    def __ge__(self, other: object) -> bool:
        mine, theirs = self._against(other)
        return bool(mine >= theirs)

    def __eq__(self, other: object) -> bool:
        mine, theirs = self._against(other)
        return bool(mine == theirs)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)
