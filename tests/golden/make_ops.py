"""Record PyTorch's results for every operator's samples: python tests/golden/make_ops.py (needs torch 2.13)."""
import gzip
import json
import pathlib
import sys
import warnings

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.ops.sample import families, find, tensors_in  # noqa: E402


def entry(t):
    t = t.detach().resolve_conj().resolve_neg()
    dtype = str(t.dtype)[6:]
    array = np.asarray((t.float() if t.dtype is torch.bfloat16 else t).numpy()).reshape(-1)
    values = [[float(v.real), float(v.imag)] for v in array] if array.dtype.kind == "c" else array.tolist()
    return [dtype, list(t.shape), values]


def main():
    warnings.simplefilter("ignore")
    recorded = {}
    for family, ops in families().items():
        for name, samples in ops.items():
            for i, sample in enumerate(samples):
                args, kwargs = sample.make(torch)
                torch.manual_seed(0)
                result = find(torch, name)(*args, **kwargs)
                recorded[f"{family}/{name}/{i}"] = [entry(t) for t in tensors_in(result, torch.Tensor)]
    target = ROOT / "tests" / "golden" / "ops" / "values.json.gz"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(gzip.compress(json.dumps(recorded, separators=(",", ":")).encode(), mtime=0))
    print(f"{len(recorded)} samples, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
