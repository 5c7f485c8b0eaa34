"""Records what optim/test_schedulers.py compares with: the learning rates (and momenta) of every scheduler over
fifty steps, to the last bit, and the states at the end.

Run it where PyTorch is installed:

python tests/golden/make_schedulers.py
"""

import gzip
import json
import pathlib
import sys
import warnings

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent))

from tests.optim.schedules import CASES, run

HERE = pathlib.Path(__file__).parent / "optim"

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    lines = ",\n".join(json.dumps({"case": case, **run(torch, case)}) for case in CASES)
    (HERE / "schedules.json.gz").write_bytes(gzip.compress(f"[\n{lines}\n]\n".encode(), mtime=0))
