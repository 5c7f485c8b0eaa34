"""Reading and writing by indices and masks, where the generic tests do not look: what is refused, repeated
indices, in-place writes,
forms of arguments, half types."""
import json
import pathlib
import warnings

import numpy as np
import pytest
from tests.ops.refusals import CASES, outcome

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
RECORDED = json.loads((GOLDEN / "refusals" / "index_and_product.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_refusals_are_pytorchs_to_the_letter(torch, case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(torch, case) == RECORDED[case]


# ---------------------------------------------------------------- where and masks

def test_where_takes_numbers_and_a_lone_condition(torch):
    c = torch.tensor([[True, False], [False, True]])
    assert torch.where(c, 1, 2).dtype is torch.int64
    assert torch.where(c, 1.0, 2).dtype is torch.float32
    rows, columns = torch.where(c)
    assert rows.tolist() == [0, 1] and columns.tolist() == [0, 1]
    x = torch.zeros(2, 2, dtype=torch.float64)
    assert x.where(c, torch.tensor(1)).dtype is torch.float64


def test_the_branch_not_taken_still_multiplies(torch):
    # 0 * inf: PyTorch's NaN, kept for parity.
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    torch.where(x > 0, x.sqrt(), 0.0).sum().backward()
    assert np.isnan(x.grad[0].item()) and x.grad[1].item() == 0.5


def test_masked_fill_in_place_reaches_through_views(torch):
    x = torch.zeros(2, 3)
    x[:, 1:].masked_fill_(torch.tensor([[True, False], [False, True]]), 7.0)
    assert x.tolist() == [[0, 7, 0], [0, 0, 7]]
    before = x._version
    x.masked_fill_(x > 0, 1)
    assert x._version == before + 1 and x.sum().item() == 2


def test_nonzero_as_tuple(torch):
    x = torch.tensor([[0, 7], [8, 0]])
    assert [t.tolist() for t in torch.nonzero(x, as_tuple=True)] == [[0, 1], [1, 0]]
    assert torch.nonzero(torch.tensor(3.0)).shape == (1, 0)
    assert [t.tolist() for t in torch.tensor(3.0).nonzero(as_tuple=True)] == [[0]]


# ---------------------------------------------------------------- repeated indices

def test_contributions_of_repeated_indices_add(torch):
    i = torch.tensor([0, 2, 2, 2, 0])
    for read in (lambda x: x.gather(0, i), lambda x: x.index_select(0, i), lambda x: x.take(i),
                 lambda x: x[i],
                 lambda x: torch.take_along_dim(x, i, 0)):
        x = torch.ones(3, requires_grad=True)
        read(x).backward(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]))
        assert x.grad.tolist() == [6, 0, 9]


@pytest.mark.parametrize("width", [1, 7])
@pytest.mark.parametrize("count", [5, 3000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64", "float16"])
def test_index_add_adds_everything(torch, width, count, dtype):
    rng = np.random.default_rng(0)
    index = rng.integers(0, 50, count)
    values = rng.integers(0, 2, (count, width)).astype(np.float64)
    expected = np.zeros((50, width))
    np.add.at(expected, index, values)
    kind = getattr(torch, dtype)
    source = torch.from_numpy(values).to(kind)
    made = torch.zeros(50, width, dtype=kind).index_add(0, torch.from_numpy(index), source)
    assert made.dtype is kind and np.array_equal(made.to(torch.complex128).numpy().real, expected)
    across = torch.zeros(width, 50, dtype=kind).index_add_(1, torch.from_numpy(index), source.t())
    assert torch.equal(across, made.t())
    flat = torch.zeros(50, width,
                       dtype=kind).scatter_add_(0, torch.from_numpy(index)[:, None].expand(count, width),
                                                source)
    assert torch.equal(flat, made)


def test_the_last_of_repeated_writes_stays(torch):
    i = torch.tensor([1, 1, 0, 1])
    values = torch.tensor([1.0, 2.0, 3.0, 4.0])
    assert torch.zeros(2).scatter(0, i, values).tolist() == [3, 4]
    assert torch.zeros(2).index_copy(0, i, values).tolist() == [3, 4]
    assert torch.zeros(2).put(i, values).tolist() == [3, 4]
    assert torch.zeros(2).index_put((i,), values).tolist() == [3, 4]


def test_a_value_that_fills_twice_counts_once(torch):
    value = torch.tensor(2.0, requires_grad=True)
    torch.zeros(3).index_fill(0, torch.tensor([1, 1, 1]), value).sum().backward()
    assert value.grad.item() == 1


# ---------------------------------------------------------------- in place

@pytest.mark.parametrize("name", ["scatter_", "scatter_add_", "index_copy_", "index_add_"])
def test_writes_in_place(torch, name):
    i, values = torch.tensor([2, 0]), torch.tensor([1.0, 2.0])
    for x in (torch.zeros(3), torch.zeros(3, 2)[:, 0], torch.zeros(6)[::2]):
        before = x._version
        assert getattr(x, name)(0, i, values) is x
        assert x.tolist() == [2, 0, 1] and x._version == before + 1


def test_a_refused_write_changes_nothing(rushlight):
    torch = rushlight                       # PyTorch writes what comes before the bad index
    x = torch.zeros(3)
    for call in (lambda: x.scatter_(0, torch.tensor([0, 3]), torch.ones(2)),
                 lambda: x.index_add_(0, torch.tensor([0, 3]), torch.ones(2)),
                 lambda: x.scatter_add_(0, torch.tensor([0, -1]), torch.ones(2)),
                 lambda: x.put_(torch.tensor([0, 5]), torch.ones(2))):
        with pytest.raises((RuntimeError, IndexError)):
            call()
        assert x.tolist() == [0, 0, 0]


def test_history_goes_through_in_place_writes(torch):
    x, source = torch.zeros(3, requires_grad=True), torch.ones(2, requires_grad=True)
    y = x * 1
    y.scatter_(0, torch.tensor([1, 2]), source)
    (y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [1, 0, 0] and source.grad.tolist() == [2, 3]
    leaf = torch.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place "
                                           "operation"):
        leaf.index_add_(0, torch.tensor([0]), torch.ones(1))


@pytest.mark.parametrize("name", ["scatter_", "scatter_add_", "index_copy_", "index_add_"])
def test_a_source_that_is_part_of_the_target_is_refused(torch, fails, name):
    x = torch.tensor([1.0, 2.0, 3.0])
    with fails(RuntimeError, "unsupported operation: some elements of the input tensor and the written-to "
                             "tensor refer to a single "
                             "memory location. Please clone() the tensor before performing the operation."):
        getattr(x, name)(0, torch.tensor([1, 2]), x[:2])
    assert x.tolist() == [1, 2, 3]


# ---------------------------------------------------------------- forms

def test_scatter_takes_a_value_and_a_reduction(torch):
    i = torch.tensor([[0, 1, 0]])
    x = torch.ones(2, 3)
    assert x.scatter(0, i, value=5).tolist() == [[5, 1, 5], [1, 5, 1]]
    assert x.scatter(0, i, 3, reduce="multiply").tolist() == [[3, 1, 3], [1, 3, 1]]
    assert x.scatter_(0, i, 3.0, reduce="add").tolist() == [[4, 1, 4], [1, 4, 1]]


def test_index_put_accepts_masks(torch):
    x = torch.zeros(2, 3)
    mask = torch.tensor([True, False, True])
    assert x.t().index_put((mask,), torch.tensor(1.0)).t().tolist() == [[1, 0, 1], [1, 0, 1]]
    assert x.index_put_((torch.tensor([0, 0]),), torch.ones(3), accumulate=True) is x
    assert x.tolist() == [[2, 2, 2], [0, 0, 0]]


def test_fill_diagonal(torch):
    x = torch.zeros(7, 3)
    x.fill_diagonal_(1, wrap=True)
    assert x.argmax(1).tolist() == [0, 1, 2, 0, 0, 1, 2] and x[3].sum().item() == 0
    y = torch.zeros(3, 4)[:, 1:].fill_diagonal_(2.0)
    assert torch.equal(y, torch.diag(torch.tensor([2.0, 2.0, 2.0])))
    assert torch.zeros(2, 2, 2).fill_diagonal_(1).sum().item() == 2


def test_nodes_are_named_as_in_pytorch(torch):
    x = torch.ones(2, 2, requires_grad=True)
    i, row = torch.zeros(2, 2, dtype=torch.long), torch.tensor([0, 1])
    names = [made.grad_fn.name() for made in (
        x.gather(0, i), x.scatter(0, i, x), x.scatter(0, i, 1.0), x.scatter_add(0, i, x),
        x.index_select(0, row),
        x.index_fill(0, row, 1.0), x.index_fill(0, row, x[0, 0]), x.take(row), x.put(row, x[0]),
        torch.where(x > 0, x, 0),
        x.masked_fill(x > 0, 1), x.masked_select(x > 0), torch.take_along_dim(x, i, 0),
        x.index_put((row,), x))]
    assert names == ["GatherBackward0", "ScatterBackward0", "ScatterBackward1", "ScatterAddBackward0",
                     "IndexSelectBackward0",
                     "IndexFillBackward0", "IndexFillBackward1", "TakeBackward0", "PutBackward0",
                     "WhereBackward0",
                     "MaskedFillBackward0", "MaskedSelectBackward0", "GatherBackward0", "IndexPutBackward0"]
