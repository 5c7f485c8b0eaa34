"""What to keep of which gradient, and how much memory that may take."""

import fnmatch
import re

__all__ = ["Selection", "Keep", "Budget", "WHOLE", "STATISTICS", "SAMPLE", "NOTHING"]

WHOLE, STATISTICS, SAMPLE, NOTHING = "whole", "statistics", "sample", "nothing"
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


class Selection:
    """Patterns over names: a glob such as ``"encoder.*"``, a compiled expression (searched), a function of an entry, or several."""

    def __init__(self, given):
        several = given if isinstance(given, (list, tuple, set, frozenset)) else (given,)
        self.patterns = []
        for pattern in several:
            if isinstance(pattern, str):
                self.patterns.append((pattern, re.compile(fnmatch.translate(pattern)).match))
            elif isinstance(pattern, re.Pattern):
                self.patterns.append((pattern.pattern, pattern.search))
            elif callable(pattern):
                self.patterns.append((pattern, None))
            else:
                raise TypeError(
                    f"a pattern is a text with * and ?, a compiled expression or a function, not "
                    f'{type(pattern).__name__}\nFor instance "encoder.*".'
                )
        self.used = set()

    def matches(self, entry, names):
        """Whether any pattern takes the entry, which goes by ``names``."""
        for i, (pattern, test) in enumerate(self.patterns):
            if pattern(entry) if test is None else any(test(n) for n in names):
                self.used.add(i)
                return True
        return False

    def unused(self):
        """Texts of the patterns that took nothing so far."""
        return [p for i, (p, test) in enumerate(self.patterns) if i not in self.used and test is not None]


class Keep:
    """Which form is kept of which gradient: one for all, or a dict from patterns to forms, the first that matches."""

    def __init__(self, given):
        rules = given.items() if isinstance(given, dict) else [("*", given)]
        self.rules = []
        for pattern, form in rules:
            if not callable(form) and form not in (WHOLE, STATISTICS, SAMPLE, NOTHING):
                raise ValueError(
                    f"keep={form!r} is unknown\nIt is {WHOLE!r}, {STATISTICS!r}, {SAMPLE!r}, {NOTHING!r}, a function called "
                    "with name=, tensor= and grad=, or a dict from patterns to these."
                )
            self.rules.append((Selection(pattern), form))
        self.single = self.rules[0][1] if not isinstance(given, dict) else None

    def form(self, entry, names):
        """The form for an entry; statistics where no pattern matches."""
        if self.single is not None:
            return self.single
        for selection, form in self.rules:
            if selection.matches(entry, names):
                return form
        return STATISTICS

    def unused(self):
        return [] if self.single is not None else [t for s, _ in self.rules for t in s.unused() if t != "*"]


class Budget:
    """Bytes that whole gradients and samples may take, those of statistics among them; ``None`` is no limit."""

    def __init__(self, given):
        self.limit = _bytes(given)
        self.used = 0
        self.refused = 0

    def take(self, count):
        """Whether ``count`` bytes more may be kept; then they count as used."""
        if self.limit is not None and self.used + count > self.limit:
            self.refused += 1
            return False
        self.used += count
        return True

    def spare(self, count):
        """``take`` for what is not missed: a refusal is not counted."""
        if self.limit is None or self.used + count <= self.limit:
            self.used += count
            return True
        return False

    def give_back(self, count):
        self.used -= count


def _bytes(given):
    if given is None:
        return None
    if isinstance(given, str):
        found = re.fullmatch(r"\s*([\d.]+)\s*([KMG]?I?B?)\s*", given.upper())
        if found is None or found[2] not in _UNITS:
            raise ValueError(f'a budget is a number of bytes or a text such as "256MB", not {given!r}')
        return int(float(found[1]) * _UNITS[found[2]])
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise ValueError(f'a budget is a number of bytes or a text such as "256MB", not {given!r}')
    return given
