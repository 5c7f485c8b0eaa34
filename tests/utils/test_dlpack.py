"""Memory shared by DLPack capsules."""

import numpy as np


def test_a_capsule_shares_memory(torch):
    x = torch.zeros(2, requires_grad=True)
    y = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
    y[0] = 3
    assert x.tolist() == [3, 0] and not y.requires_grad


def test_an_object_is_read_as_it_is(torch):
    a = np.arange(3.0)
    torch.utils.dlpack.from_dlpack(a)[1] = 7
    assert a.tolist() == [0, 7, 2]


def test_only_tensors_become_capsules(torch, fails):
    with fails(TypeError, "_to_dlpack(): argument 'data' (position 1) must be Tensor, not int"):
        torch.utils.dlpack.to_dlpack(3)
