"""Record what PyTorch answers to the expressions of `tensors/expressions.py`. Needs torch; run from anywhere:

    python tests/golden/make_tensors.py

It writes `tensors/answers.json`: PyTorch's version, and for each family the expressions with their answers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

FOLDER = Path(__file__).parent / "tensors"
sys.path.insert(0, str(FOLDER))

from expressions import FAMILIES, answer, expressions  # noqa: E402


def main() -> None:
    """Write the recording."""
    record = {family: {e: answer(e, torch) for e in expressions(family)} for family in FAMILIES}
    text = json.dumps({"torch": torch.__version__.split("+")[0], "answers": record}, indent=0)
    (FOLDER / "answers.json").write_text(text + "\n")
    print(sum(map(len, record.values())), "answers")


if __name__ == "__main__":
    main()
