"""Record what real PyTorch makes of the calls in ``tests/ops/spatial_cases.py``: ``python -m
tests.golden.make_spatial``."""
import gzip
import json
import pathlib

import torch
from tests.ops.functional_cases import outcome
from tests.ops.spatial_cases import CASES

if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent / "functional"
    folder.mkdir(exist_ok=True)
    outcome(torch, "F.conv2d(r(1, 1, 3, 3), r(1, 1, 2, 2), padding='same')")      # its warning is given once
    recorded = {case: outcome(torch, case) for case in CASES}
    # Bytes that depend on the content alone: no time stamp.
    (folder / "spatial.json.gz").write_bytes(gzip.compress(json.dumps(recorded, indent=0).encode(), mtime=0))
    print(len(recorded), "calls recorded with PyTorch", torch.__version__)
