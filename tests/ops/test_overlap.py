"""Writing element by element into memory that is read at other places; whole numbers and gradients; numbers that do
not fit."""

import pytest

OVERLAP = "^unsupported operation: some elements of the input tensor and the written-to tensor refer to a single"


def _set(x, index, value):
    x[index] = value


@pytest.mark.parametrize("write", [
    lambda t, x: _set(x, slice(1, None), x[:-1]),
    lambda t, x: x[1:].add_(x[:-1]),
    lambda t, x: x[1:].copy_(x[:-1]),
    lambda t, x: x.copy_(x.t()),
    lambda t, x: x.add_(x.t()),
    lambda t, x: x.div_(x[0]),
    lambda t, x: x.lerp_(x[0], 0.5),
    lambda t, x: x[1:].addcmul_(x[:-1], x[:-1]),
    lambda t, x: t.add(x[1:], x[:-1], out=x[1:]),
    lambda t, x: t.exp(x[1:], out=x[:-1]),
])
def test_partial_overlap_is_refused(torch, write):
    x = torch.arange(9.0).view(3, 3)
    with pytest.raises(RuntimeError, match=OVERLAP):
        write(torch, x)
    assert x.flatten().tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("write, expected", [
    (lambda t, x: x.add_(x), [0, 2, 4, 6]),
    (lambda t, x: x.add_(x.view(2, 2)), [0, 2, 4, 6]),
    (lambda t, x: x.mul_(x[0] + 1), [0, 2, 2, 6]),
    (lambda t, x: x[0].add_(x[1]), [2, 4, 2, 3]),
    (lambda t, x: _set(x, 0, x[:, 0]), [0, 2, 2, 3]),
    (lambda t, x: t.mul(x, 2, out=x), [0, 2, 4, 6]),
])
def test_the_same_elements_or_others_are_fine(torch, write, expected):
    x = torch.arange(4.0).view(2, 2)
    write(torch, x)
    assert x.flatten().tolist() == expected


def test_whole_numbers_never_require_grad(torch):
    source = torch.ones(1, requires_grad=True) * 2
    labels = torch.zeros(4, dtype=torch.int64)
    labels[0] = source[0]
    flags = torch.zeros(1, dtype=torch.bool).copy_(source)
    assert labels.tolist() == [2, 0, 0, 0] and flags.tolist() == [True]
    assert not labels.requires_grad and not flags.requires_grad and flags.grad_fn is None
    assert not source.view(torch.int32).requires_grad and not source.view(torch.float32).requires_grad


@pytest.mark.parametrize("dtype, value, c_name", [
    ("int64", float("inf"), "int64_t"), ("int64", float("nan"), "int64_t"), ("uint8", 300, "uint8_t"),
    ("int32", 2**40, "int"), ("float32", 1e300, "float"), ("float32", 1j, "float"),
])
def test_numbers_that_do_not_fit(torch, dtype, value, c_name):
    for index in (0, slice(None), [0]):
        x = torch.zeros(3, dtype=getattr(torch, dtype))
        with pytest.raises(RuntimeError, match=f"^value cannot be converted to type .*{c_name}.* without overflow"):
            x[index] = value
        assert x.tolist() == [0, 0, 0]


def test_index_put_takes_one_dtype_and_a_mask_casts(torch):
    x = torch.zeros(3, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="^Index put requires the source and destination dtypes match, got Long for the dest"):
        x[torch.tensor([1])] = torch.tensor(1.5)
    x[x == 0] = torch.tensor(1.5)
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize("clash", [
    lambda t: t.ones(3, 2) + t.ones(2, 3),
    lambda t: t.ones(3, 2).add_(t.ones(2, 3)),
    lambda t: t.ones(3, 2).lerp(t.ones(2, 3), 0.5),
    lambda t: t.where(t.ones(3, 2) > 0, t.ones(2, 3), t.ones(2, 3)),
    lambda t: t.broadcast_tensors(t.ones(3, 2), t.ones(2, 3)),
])
def test_the_last_dimension_that_clashes_is_named(torch, clash):
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(2\) must match the size of tensor b \(3\) at non-singleton "
                                           "dimension 1"):
        clash(torch)


def test_expand_names_the_last_dimension_too(torch):
    with pytest.raises(RuntimeError, match=r"^The expanded size of the tensor \(2\) must match the existing size \(3\) at non-s"
                                           "ingleton dimension 1"):
        torch.ones(4, 3).expand(2, 2)
