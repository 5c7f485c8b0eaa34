"""default_collate and default_convert: every kind of element, compared by type, dtype and value.

The expectations stand here, so PyTorch, where it is installed, is held to them as well.
"""

import collections
import collections.abc
import importlib
import types

import numpy as np
import pytest

Point = collections.namedtuple("Point", ["x", "y"])


class FrozenMap(collections.abc.Mapping):
    """An immutable mapping that is built from a dict."""

    def __init__(self, inner):
        self.inner = dict(inner)

    def __getitem__(self, key):
        return self.inner[key]

    def __iter__(self):
        return iter(self.inner)

    def __len__(self):
        return len(self.inner)


class Strict(FrozenMap):
    """One that cannot be built from a dict alone."""

    def __init__(self, inner, more):
        super().__init__(inner)


class Row(collections.abc.Sequence):
    """An immutable sequence."""

    def __init__(self, values):
        self.values = tuple(values)

    def __getitem__(self, i):
        return self.values[i]

    def __len__(self):
        return len(self.values)


class Tagged(list):
    """A list that carries something."""

    tag = None


def described(torch, value):
    """Types, dtypes and values, all in plain Python."""
    if isinstance(value, torch.Tensor):
        return [str(value.dtype).removeprefix("torch."), value.tolist()]
    if isinstance(value, collections.abc.Mapping):
        return [type(value).__name__, {k: described(torch, value[k]) for k in value}]
    if isinstance(value, (list, tuple, Row)):
        return [type(value).__name__, *[described(torch, v) for v in value]]
    return value


def collated(torch, data, batch):
    return described(torch, data.default_collate(batch))


def test_numbers(torch, data):
    for batch, expected in [
        ([1, 2], ["int64", [1, 2]]),
        ([True, False], ["bool", [True, False]]),
        ([1, 2.5], ["float32", [1.0, 2.5]]),
        ([0.1, 2], ["float64", [0.1, 2.0]]),
        ([1j, 2j], None),
        ([np.float64(0.1), np.float64(2)], ["float64", [0.1, 2.0]]),
        ([np.float32(0.5)], ["float32", [0.5]]),
        ([np.int8(3), np.int8(4)], ["int8", [3, 4]]),
        ([np.bool_(True)], ["bool", [True]]),
        ([np.uint16(7)], ["uint16", [7]]),
        ((1, 2), ["int64", [1, 2]]),
    ]:
        if expected is None:
            with pytest.raises(TypeError):
                data.default_collate(batch)
        else:
            assert collated(torch, data, batch) == expected


def test_tensors(torch, data, fails):
    x = torch.arange(6.0).reshape(2, 3)
    for batch in ([x[0], x[1]], [x[0, 0], x[0, 1]], [x, x + 1], [x.t(), x.t()], [x], [x[:0], x[:0]]):
        made = data.default_collate(batch)
        assert made.tolist() == torch.stack(batch).tolist() and made.is_contiguous()
        assert made.shape == (len(batch), *batch[0].shape) and made.dtype == x.dtype
    for kind in (torch.bfloat16, torch.int8, torch.complex64, torch.bool):
        assert data.default_collate([x.to(kind), x.to(kind)]).dtype == kind
    assert data.default_collate([x, x.to(torch.float64)]).dtype == torch.float64
    with fails(RuntimeError, "stack expects each tensor to be equal size, but got [3] at entry 0 and [2] at entry 1"):
        data.default_collate([x[0], x[0, :2]])


def test_the_batch_is_a_copy(torch, data):
    x = torch.zeros(3)
    data.default_collate([x])[0, 0] = 5
    assert x.tolist() == [0, 0, 0]


def test_gradients_go_through(torch, data):
    x = torch.ones(3, requires_grad=True)
    data.default_collate([x, x * 2]).sum().backward()
    assert x.grad.tolist() == [3, 3, 3]
    with torch.no_grad():
        assert not data.default_collate([x, x]).requires_grad


def test_arrays(torch, data, fails):
    assert collated(torch, data, [np.array([1, 2]), np.array([3, 4])]) == ["int64", [[1, 2], [3, 4]]]
    assert collated(torch, data, [np.float32(np.ones(())), np.float32(2)]) == ["float32", [1.0, 2.0]]
    assert collated(torch, data, [np.array(1.5), np.array(2.5)]) == ["float64", [1.5, 2.5]]
    for strange in (np.array(["a"]), np.array([b"a"]), np.array([None])):
        with fails(
            TypeError,
            f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {strange.dtype}",
        ):
            data.default_collate([strange])


def test_strings(torch, data):
    assert collated(torch, data, ["a", "b"]) == ["list", "a", "b"]
    assert collated(torch, data, [b"a", b"b"]) == ["list", b"a", b"b"]
    assert collated(torch, data, [("a", 1), ("b", 2)]) == ["list", ["tuple", "a", "b"], ["int64", [1, 2]]]
    assert collated(torch, data, [np.str_("a")]) == ["list", "a"]


def test_mappings(torch, data):
    one, two = {"a": 1, "b": "x"}, {"b": "y", "a": 2}
    inside = {"a": ["int64", [1, 2]], "b": ["list", "x", "y"]}
    assert collated(torch, data, [one, two]) == ["dict", inside]
    assert list(data.default_collate([one, two])) == ["a", "b"]
    assert one == {"a": 1, "b": "x"}
    ordered = collections.OrderedDict
    assert collated(torch, data, [ordered(one), ordered(two)]) == ["OrderedDict", inside]
    default = data.default_collate([collections.defaultdict(list, one), collections.defaultdict(list, two)])
    assert default.default_factory is list and described(torch, default) == ["defaultdict", inside]
    assert collated(torch, data, [FrozenMap(one), FrozenMap(two)]) == ["FrozenMap", inside]
    assert collated(torch, data, [Strict(one, 0), Strict(two, 0)]) == ["dict", inside]
    proxies = [types.MappingProxyType(one), types.MappingProxyType(two)]
    assert collated(torch, data, proxies) == ["mappingproxy", inside]
    with pytest.raises(KeyError):
        data.default_collate([one, {"a": 1}])


def test_sequences(torch, data, fails):
    columns = [["int64", [1, 3]], ["int64", [2, 4]]]
    assert collated(torch, data, [(1, 2), (3, 4)]) == ["list", *columns]
    assert collated(torch, data, [[1, 2], [3, 4]]) == ["list", *columns]
    assert collated(torch, data, [Point(1, 2), Point(3, 4)]) == ["Point", *columns]
    assert collated(torch, data, [Row([1, 2]), Row([3, 4])]) == ["Row", *columns]
    assert collated(torch, data, [range(1, 3), range(3, 5)]) == ["list", *columns]
    tagged = Tagged([1, 2])
    tagged.tag = "kept"
    made = data.default_collate([tagged, [3, 4]])
    assert made.tag == "kept" and described(torch, made) == ["Tagged", *columns] and tagged == [1, 2]
    assert collated(torch, data, [[[1], {"a": (2,)}]]) == [
        "list",
        ["list", ["int64", [1]]],
        ["dict", {"a": ["list", ["int64", [2]]]}],
    ]
    assert collated(torch, data, [[], []]) == ["list"]
    with fails(RuntimeError, "each element in list of batch should be of equal size"):
        data.default_collate([[1, 2], [3]])


def test_without_a_rule(data, fails):
    for strange in (None, object(), {1, 2}, 1j):
        with fails(
            TypeError,
            f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(strange)}",
        ):
            data.default_collate([strange])
    with fails(TypeError, "default_collate: batch must contain"):
        data.default_collate([{"a": [None]}])
    with pytest.raises(IndexError):
        data.default_collate([])


def test_convert(torch, data):
    converted = data.default_convert
    x = torch.ones(2)
    assert converted(x) is x
    for kept in (0, 1.5, "a", b"a", None, np.str_("a")):
        assert converted(kept) is kept
    words = np.array(["a", "b"])
    assert converted(words) is words
    for given, expected in [
        (np.array([0, 1]), ["int64", [0, 1]]),
        (np.float32(2), ["float32", 2.0]),
        (Point(np.array(0), "a"), ["Point", ["int64", 0], "a"]),
        ((np.array(0), 1), ["list", ["int64", 0], 1]),
        ([np.array(0), 1], ["list", ["int64", 0], 1]),
        ({"a": np.array([1.5])}, ["dict", {"a": ["float64", [1.5]]}]),
        (FrozenMap({"a": np.array(1)}), ["FrozenMap", {"a": ["int64", 1]}]),
        (Strict({"a": np.array(1)}, 0), ["dict", {"a": ["int64", 1]}]),
        (Row([np.array(1)]), ["Row", ["int64", 1]]),
        (range(2), ["list", 0, 1]),
    ]:
        assert described(torch, converted(given)) == expected
    array = np.zeros(2)
    converted(array)[0] = 7
    assert array[0] == 7  # the tensor shares the array's memory


def test_rules_can_be_added(torch, data, monkeypatch):
    module = importlib.import_module(f"{torch.__name__}.utils.data._utils.collate")
    monkeypatch.setitem(module.default_collate_fn_map, complex, lambda batch, *, collate_fn_map: torch.tensor(batch))
    assert described(torch, data.default_collate([1j, 2j])) == ["complex64", [1j, 2j]]
    assert module.collate([[1], [2]], collate_fn_map={int: lambda b, *, collate_fn_map: sum(b)}) == [3]
    monkeypatch.setitem(module.default_collate_fn_map, torch.Tensor, lambda batch, *, collate_fn_map: "mine")
    loader = data.DataLoader(data.TensorDataset(torch.ones(4)), batch_size=2)
    assert list(loader) == [["mine"], ["mine"]]
