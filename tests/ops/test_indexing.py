"""What an index may not be: the numbers in the texts are those that PyTorch counts."""

import numpy as np
import pytest

SCALAR = "too many indices for tensor of dimension 0"
OUT = "index {} is out of bounds for dimension {} with size {}".format
MASK = "The shape of the mask {} at index {} does not match the shape of the indexed tensor {} at index {}".format
REFUSED = {
    "zeros(2, 4)[:, [0, 7]]": OUT(7, 0, 4),
    "zeros(2, 4, 5)[:, [0], [9]]": OUT(9, 1, 5),
    "zeros(2, 4, 5)[[0], :, [9]]": OUT(9, 1, 5),
    "zeros(3, 4)[None, 5]": OUT(5, 1, 3),
    "zeros(3, 4)[:, None, 7]": OUT(7, 2, 4),
    "zeros(2, 3, 4)[..., 9]": OUT(9, 1, 4),
    "zeros(2, 3, 4)[0, ..., 7, 9]": OUT(7, 2, 3),
    "zeros(0, 3)[[1]]": "index is out of bounds for dimension with size 0",
    "zeros(3, 4)[0:2, [True, False]]": MASK([2], 0, [2, 4], 1),
    "zeros(3, 4)[0, [True, False]]": MASK([2], 0, [4], 0),
    "zeros(3, 4)[None, [True, False]]": MASK([2], 0, [1, 3, 4], 1),
    "zeros(3, 4, 5)[0, torch.ones(4, 6, dtype=torch.bool)]": MASK([4, 6], 1, [4, 5], 1),
    "tensor(1.)[0:]": "slice() cannot be applied to a 0-dim tensor.",
    "tensor(1.)[0]": "invalid index of a 0-dim tensor. Use `tensor.item()` in Python",
    "tensor(1.)[torch.tensor([0])]": SCALAR,
    "tensor(1.)[None, 5]": SCALAR,
    "tensor(1.)[0, 0]": SCALAR,
    "zeros(3, 2)[1, np.bool_(True)]": "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
    "(got numpy.bool)",
    "zeros(3, 2).index_select(0, torch.tensor([5]))": "index out of range in self",
}


@pytest.mark.parametrize("call", REFUSED)
def test_index_errors(call, torch, fails):
    with fails(IndexError, REFUSED[call]):
        eval("torch." + call, {"torch": torch, "np": np})


@pytest.mark.parametrize("given", [5, -1])
def test_index_select_along_the_second_dimension(given, torch, fails):
    with fails(RuntimeError, f"INDICES element is out of DATA bounds, id={given} axis_dim=2"):
        torch.ones(3, 2).index_select(1, torch.tensor([given]))


def test_bounds_of_slices_are_whole_numbers(torch, fails):
    x = torch.arange(3)
    for s in (slice(0.5, 2.5), slice("x", None), slice(None, None, 1.0), slice(np.float64(1), None)):
        with fails(TypeError, "slice indices must be integers or None or have an __index__ method"):
            x[s]
    with fails(TypeError, "only integer tensors of a single element can be converted to an index"):
        x[torch.tensor(1.0) :]
    assert x[torch.tensor(1) :].tolist() == x[np.int64(1) :].tolist() == x[True:].tolist() == [1, 2]
