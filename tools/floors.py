"""Measure conformance with PyTorch and hold it against the floors in floors.toml.

    python tools/floors.py ../shared            # everything
    python tools/floors.py ../shared --only cases

Runs the scripts that lie in the folder (``conformance/opinfo.py``, ``cases/run_all.py``) with the present
interpreter, shows what they print, and ends with one line for each floor. Exit status 1 when a number is
below its floor.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ABSENT = re.compile(r"AttributeError: module 'rushlight[^']*' has no attribute|raised AttributeError")
FLOORS = pathlib.Path(__file__).with_name("floors.toml")


def opinfo(folder: pathlib.Path) -> dict[str, float]:
    """Entries that pass every check, and the share of failing checks among entries that exist."""
    with tempfile.TemporaryDirectory() as place:
        output = pathlib.Path(place, "records.json")
        script = folder / "conformance" / "opinfo.py"
        command = [
            sys.executable,
            str(script),
            "--engine",
            "rushlight",
            "--json",
            str(output),
            "--failures",
            "400",
        ]
        subprocess.run(command, check=True)
        records = json.loads(output.read_text())
    whole: dict[str, bool] = collections.defaultdict(lambda: True)
    for record in records:
        whole[record["entry"]] &= record["state"] == "pass"
    # An entry that the database reaches through a function of its own fails where a name is absent; it does not exist.
    states = collections.Counter(
        "missing" if ABSENT.match(record["why"]) else record["state"] for record in records
    )
    existing = states["pass"] + states["fail"]
    print(
        f"operators: {sum(whole.values())} of {len(whole)} entries pass every check; checks: {dict(states)}"
    )
    return {"entries": sum(whole.values()), "failing_share": states["fail"] / max(existing, 1)}


def cases(folder: pathlib.Path) -> dict[str, float]:
    """How many of the scripts pass."""
    done = subprocess.run(
        [sys.executable, str(folder / "cases" / "run_all.py"), "--engine", "rushlight", "--timeout", "60"],
        stdout=subprocess.PIPE,
        text=True,
    )
    print(done.stdout)
    match = re.search(r"^(\d+) of \d+ pass", done.stdout, re.MULTILINE)
    if match is None:
        sys.exit("the cases did not say how many pass")
    return {"passing": int(match[1])}


def modules(folder: pathlib.Path) -> dict[str, float]:
    """How many checks of modules and of optimizers pass."""
    done = subprocess.run(
        [sys.executable, str(folder / "conformance" / "modules.py")], stdout=subprocess.PIPE, text=True, check=True
    )
    print(done.stdout)
    found = dict(re.findall(r"^(module|optimizer)\s+(\d+) of \d+ pass", done.stdout, re.MULTILINE))
    return {"modules": int(found["module"]), "optimizers": int(found["optimizer"])}


def names(folder: pathlib.Path) -> dict[str, float]:
    """How many of PyTorch's public names exist."""
    done = subprocess.run(
        [sys.executable, str(folder / "conformance" / "names.py")], stdout=subprocess.PIPE, text=True, check=True
    )
    print(done.stdout)
    match = re.search(r"^all\s+(\d+) of", done.stdout, re.MULTILINE)
    if match is None:
        sys.exit("the names did not add up")
    return {"existing": int(match[1])}


def verdict(name: str, measured: float, floor: float) -> bool:
    """Print one line; whether the number is good enough. A share is a ceiling, all else is a floor."""
    is_share = name.endswith("share")
    good = measured <= floor if is_share else measured >= floor
    shown = f"{measured:.2%} (at most {floor:.2%})" if is_share else f"{measured:g} (at least {floor:g})"
    print(f"{'ok  ' if good else 'FAIL'} {name}: {shown}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure conformance and hold it against the floors.")
    parser.add_argument("folder", type=pathlib.Path, help="where conformance/ and cases/ lie")
    parser.add_argument("--only", choices=["opinfo", "cases", "modules", "names"])
    options = parser.parse_args()
    floors = tomllib.loads(FLOORS.read_text())
    measured = {
        name: measure(options.folder)
        for name, measure in (("cases", cases), ("names", names), ("modules", modules), ("opinfo", opinfo))
        if options.only in (None, name)
    }
    print("\nFloors:")
    results = [
        verdict(f"{name} {key}", value, floors[name][key])
        for name, numbers in measured.items()
        for key, value in numbers.items()
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
