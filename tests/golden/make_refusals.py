"""Record what PyTorch says to the calls in tests/ops/refusals.py: python tests/golden/make_refusals.py (needs
torch 2.13).
"""
import json
import pathlib
import sys
import warnings

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.ops.refusals import CASES, outcome  # noqa: E402


def main():
    warnings.simplefilter("ignore")
    recorded = {case: outcome(torch, case) for case in CASES}
    target = ROOT / "tests" / "golden" / "refusals" / "index_and_product.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(recorded, indent=0) + "\n")
    print(f"{len(recorded)} refusals")


main()
