"""Record what PyTorch answers to the expressions of `reductions/expressions.txt`. Needs torch:

    python tests/golden/make_reductions.py

It writes `reductions/outcomes.json`: PyTorch's version and one outcome per expression.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

FOLDER = Path(__file__).parent / "reductions"
sys.path.insert(0, str(FOLDER))

from reductions_recipe import expressions, outcome  # noqa: E402

if __name__ == "__main__":
    outcomes = {e: outcome(e, torch) for e in expressions()}
    made = {"torch": torch.__version__.split("+")[0], "outcomes": outcomes}
    (FOLDER / "outcomes.json").write_text(json.dumps(made, indent=0, ensure_ascii=False) + "\n")
