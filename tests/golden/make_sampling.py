"""Record digests of PyTorch's random numbers: python tests/golden/make_sampling.py (needs torch 2.13)."""
import json
import pathlib
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.ops.sampling_cases import record  # noqa: E402

made = {str(seed): record(torch, seed) for seed in (0, 2 ** 40 + 7)}
(ROOT / "tests" / "golden" / "sampling" / "digests.json").write_text(json.dumps(made, indent=0))
print(sum(map(len, made.values())), "digests")
