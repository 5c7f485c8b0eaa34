"""Write docs/operators.md, the list of what exists, from the table of operators.

python tools/list_operators.py            # writes the file
python tools/list_operators.py --check    # writes nothing; exit status 1 if the file would change
"""

from __future__ import annotations

import argparse
import inspect
import pathlib
import sys
import textwrap
from collections.abc import Iterable

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "operators.md"
sys.path.insert(0, str(ROOT / "src"))

import rushlight  # noqa: E402
from rushlight import fft, linalg, masked, nn, optim, special  # noqa: E402
from rushlight.ops import asked, table  # noqa: E402
from rushlight.signal import windows  # noqa: E402

WIDTH = 118


def section(title: str, names: Iterable[str], note: str = "") -> str:
    """A heading, a remark and names in order."""
    listed = sorted(names, key=str.lower)
    words = ", ".join(f"`{n}`" for n in listed)
    text = textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"## {title}\n\n{note}{len(listed)} names.\n\n{text}\n"


def page() -> str:
    """The text of docs/operators.md."""
    for family in {*asked.FUNCTIONS.values()}:
        asked.load(family)
    spaces = table.namespaces
    functions = {n for n, f in spaces["torch"].items() if inspect.isfunction(f) and not n.startswith("_")}
    members = {n: inspect.getattr_static(rushlight.Tensor, n) for n in dir(rushlight.Tensor)}
    methods = {n for n, f in members.items() if inspect.isfunction(f) and not n.startswith("_")}
    properties = {n for n, f in members.items() if isinstance(f, property) and not n.startswith("_")}
    functional = {n for n in nn.functional.__all__ if not n.startswith("_")}
    parts = [
        "# What exists\n\nWritten by `tools/list_operators.py` from the table of operators; do not edit. "
        "Names are PyTorch's, and so is what\nthey do. A name with a final `_` writes in place.\n",
        section("Functions: `torch`", functions),
        section("Methods of Tensor", methods),
        section("Properties of Tensor", properties),
        section("Functions: `torch.nn.functional`", functional),
        section("Functions: `torch.fft`", [n for n in fft.__all__ if n != "Tensor"]),
        section("Functions: `torch.linalg`", [n for n in linalg.__all__ if inspect.isfunction(getattr(linalg, n))]),
        section("Functions: `torch.special`", special.__all__),
        section("Functions: `torch.masked`", masked.__all__),
        section("Functions: `torch.signal.windows`", windows.__all__),
        section("Modules", nn.modules.__all__, "In `torch.nn`. "),
        section("Optimizers", optim.__all__, "In `torch.optim`. "),
    ]
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write docs/operators.md from the table of operators.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; status 1 if the file would change"
    )
    check = parser.parse_args().check
    text = page()
    if TARGET.exists() and TARGET.read_text() == text:
        return 0
    if not check:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(text)
    print(f"{TARGET.relative_to(ROOT)} {'is not what the table says' if check else 'written'}")
    return int(check)


if __name__ == "__main__":
    sys.exit(main())
