"""The expressions of `expressions.txt`, and how their outcome is put down on either engine."""
from __future__ import annotations

import re
import warnings
from pathlib import Path

FOLDER = Path(__file__).parent


def expressions() -> list[str]:
    """One expression a line."""
    return (FOLDER / "expressions.txt").read_text().splitlines()


def names(lib) -> dict:
    """What the expressions may speak of."""
    t = lib.tensor
    x = t([[1.0, 2], [3, 4]])
    return {
        "torch": lib, "e": lib.zeros(0), "e2": lib.zeros(2, 0), "x": x, "h": x.to(lib.float16),
        "v": t([1.0, 3, 5]), "i": t([1, 2]), "b": t([True, False]), "c": t([1 + 1j, 2]),
        "u": t([1, 2], dtype=lib.uint8), "s0": t(3.0), "nan": float("nan"), "inf": float("inf"),
    }


def outcome(expression: str, lib) -> list:
    """[the result's repr, or the error's type and leading sentence; the texts of the warnings]."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            text = repr(eval(expression, names(lib)))
        except Exception as error:
            text = f"{type(error).__name__}: {error}".split("\n")[0]
            # What PyTorch says of the arguments after this depends on its schema's text.
            text = re.sub(r"(received an invalid combination of arguments).*", r"\1", text)
    return [text, [str(w.message).split(" (Triggered")[0] for w in caught]]
