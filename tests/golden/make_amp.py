"""Records what amp/test_autocast.py compares with: the dtype of each operator's result under autocast.

Run it where PyTorch is installed:

python tests/golden/make_amp.py
"""

import json
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent))

from tests.amp.operators import CASES, DTYPES, result_dtype

HERE = pathlib.Path(__file__).parent / "amp"

if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    table = {case: [result_dtype(torch, case, dtype) for dtype in DTYPES] for case in CASES}
    lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(row)}" for case, row in table.items())
    (HERE / "dtypes.json").write_text("{\n" + lines + "\n}\n")
