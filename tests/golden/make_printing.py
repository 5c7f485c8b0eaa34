"""Record what PyTorch prints for every case of `printing/printing_recipe.py`. Needs torch; run from anywhere:

    python tests/golden/make_printing.py

It writes `printing/texts.json.gz`: PyTorch's version, the recipe's digest, the texts in the recipe's order.
"""
from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import torch

FOLDER = Path(__file__).parent / "printing"
sys.path.insert(0, str(FOLDER))

from printing_recipe import Case, cases, digest  # noqa: E402


class MyTensor(torch.Tensor):
    """A subclass that changes nothing."""


class MyParameter(torch.nn.Parameter):
    """A Parameter's subclass that changes nothing."""


class AFunctionWithALongName(torch.autograd.Function):
    """An identity whose grad_fn is named after it."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g


HISTORY = {
    "": lambda t: t,
    "leaf": lambda t: t.requires_grad_(),
    "clone": lambda t: t.requires_grad_().clone(),
    "mul": lambda t: t.requires_grad_() * 1,
    "function": lambda t: AFunctionWithALongName.apply(t.requires_grad_()),
}


def flagged(t: torch.Tensor) -> torch.Tensor:
    """A subclass that is a Parameter by its flag only."""
    t = t.as_subclass(MyTensor)
    t._is_param = True
    return t


WRAPPER = {
    "tensor": lambda t: t,
    "subclass": lambda t: t.as_subclass(MyTensor),
    "parameter": torch.nn.Parameter,
    "parameter subclass": MyParameter,
    "flagged subclass": flagged,
}


def text(case: Case) -> str:
    """What torch prints for a case."""
    array = np.array(case.array, order="C")
    if case.dtype == "bfloat16":
        t = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        t = torch.from_numpy(array)
    torch.set_default_dtype(getattr(torch, case.default))
    try:
        with torch._tensor_str.printoptions(**case.options):
            return repr(HISTORY[case.history](WRAPPER[case.wrapper](t)))
    finally:
        torch.set_default_dtype(torch.float32)


def main() -> None:
    """Write the recording."""
    given = cases()
    texts = [text(case) for case in given]
    record = {"torch": torch.__version__.split("+")[0], "digest": digest(given), "texts": texts}
    packed = gzip.compress(json.dumps(record, indent=0).encode(), 9, mtime=0)
    (FOLDER / "texts.json.gz").write_bytes(packed)
    print(f"{len(given)} texts, {len(packed)} bytes")


if __name__ == "__main__":
    main()
