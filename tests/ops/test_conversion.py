"""Into and out of tensors: Python data, NumPy, DLPack, numbers, dtypes.

Most of it is a long list of expressions with PyTorch's recorded answers (``tests/golden/tensors``); the
fixture ``torch`` runs it on PyTorch itself too, where that is installed.
"""

import pytest
from tests.golden.tensors.check import cases, check


@pytest.mark.parametrize("expression", cases("conversion"))
def test_answers_as_recorded(torch, expression):
    check("conversion", expression, torch)


def test_memory_is_shared_with_numpy_both_ways(torch):
    import numpy as np

    a = np.zeros((2, 3))
    t = torch.from_numpy(a)
    a[0, 0] = 1
    t[1, 1] = 2
    assert t[0, 0] == 1 and a[1, 1] == 2
    part = torch.from_numpy(a[1:, ::2])
    assert part.storage_offset() == 0 and part.stride() == (3, 2)
    part.fill_(7)
    assert a[1].tolist() == [7, 2, 7]
    assert t.numpy().base is not None
    b = torch.zeros(3)
    b.numpy()[1] = 4
    assert b.tolist() == [0, 4, 0]


def test_an_array_that_cannot_be_written_warns(torch, fresh_process):
    out = fresh_process("""
import numpy as np, warnings
a = np.zeros(2); a.flags.writeable = False
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.from_numpy(a)
print(str(caught[0].message)[:33])
""")
    assert out.strip() == "The given NumPy array is not writ"


def test_casting_complex_to_real_warns(torch, fresh_process):
    out = fresh_process("""
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(torch.tensor([1 + 2j]).float())
print(str(caught[0].message)[:61])
""")
    assert out.splitlines() == [
        "tensor([1.])",
        "Casting complex values to real discards the imaginary part",
    ] or out.splitlines()[1].startswith("Casting complex values to real discards the imaginary part")


def test_dlpack_both_ways(torch):
    import numpy as np

    a = np.arange(3)
    t = torch.from_dlpack(a)
    a[0] = 9
    assert t.tolist() == [9, 1, 2]
    b = np.from_dlpack(torch.arange(3))
    assert b.tolist() == [0, 1, 2]


def test_long_lists(torch):
    rows = [[float(i * j) for j in range(50)] for i in range(50)]
    assert torch.tensor(rows).double().tolist() == rows
    whole = [[i * j for j in range(50)] for i in range(50)]
    assert torch.tensor(whole).tolist() == whole


def test_numbers_out_of_tensors_are_pythons_own(torch):
    assert type(torch.tensor(1).item()) is int and type(torch.tensor(1.0).item()) is float
    assert type(torch.tensor(True).item()) is bool and type(torch.tensor(1j).item()) is complex
    assert type(torch.tensor(1.0).bfloat16().item()) is float
    assert [type(v) for v in torch.tensor([1.0, 2.0]).half().tolist()] == [float, float]
