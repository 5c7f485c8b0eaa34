"""Datasets: what they give, and how they refuse."""

import pytest


def test_tensor_dataset(torch, data, fails):
    x, y = torch.arange(6.0).reshape(3, 2), torch.tensor([7, 8, 9])
    pairs = data.TensorDataset(x, y)
    assert len(pairs) == 3
    assert type(pairs[1]) is tuple
    assert [part.tolist() for part in pairs[-1]] == [[4.0, 5.0], 9]
    assert [part.tolist() for part in pairs[1:]] == [[[2.0, 3.0], [4.0, 5.0]], [8, 9]]
    with fails(AssertionError, "Size mismatch between tensors"):
        data.TensorDataset(x, y[:2])


def test_a_dataset_without_samples(data, fails):
    class Empty(data.Dataset):
        pass

    with fails(NotImplementedError, "Subclasses of Dataset should implement __getitem__."):
        Empty()[0]
    with pytest.raises(TypeError):
        len(Empty())
    assert data.Dataset[int].__origin__ is data.Dataset


def test_stack_dataset(data, fails):
    class Fast(list):
        def __getitems__(self, indices):
            return [self[i] for i in indices[: self.__dict__.get("most", 99)]]

    pairs = data.StackDataset("abc", Fast([1, 2, 3]))
    assert (len(pairs), pairs[1], pairs.__getitems__([2, 0])) == (3, ("b", 2), [("c", 3), ("a", 1)])
    named = data.StackDataset(letter="abc", number=Fast([1, 2, 3]))
    assert named[0] == {"letter": "a", "number": 1}
    assert named.__getitems__([1]) == [{"letter": "b", "number": 2}]
    short = Fast([1, 2, 3])
    short.most = 1
    with fails(ValueError, "Nested dataset's output size mismatch. Expected 2, got 1"):
        data.StackDataset(short).__getitems__([0, 1])
    with fails(ValueError, "Size mismatch between datasets"):
        data.StackDataset("abc", "ab")
    with fails(ValueError, "At least one dataset should be passed"):
        data.StackDataset()
    with fails(ValueError, "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output"):
        data.StackDataset("abc", x="abc")


def test_concat_dataset(data, fails):
    joined = data.ConcatDataset([range(3), range(0), range(10, 12)])
    assert [joined[i] for i in range(5)] == [0, 1, 2, 10, 11] == [joined[i] for i in range(-5, 0)]
    assert joined.cumulative_sizes == [3, 3, 5]
    with pytest.warns(FutureWarning, match="`cummulative_sizes` attribute is renamed"):
        assert joined.cummulative_sizes == [3, 3, 5]
    with fails(ValueError, "absolute value of index should not exceed dataset length"):
        joined[-6]
    with pytest.raises(IndexError):
        joined[5]
    with fails(AssertionError, "datasets should not be an empty iterable"):
        data.ConcatDataset([])
    with fails(AssertionError, "ConcatDataset does not support IterableDataset"):
        data.ConcatDataset([stream(data)])


def stream(data, n=1):
    """An IterableDataset of n numbers."""

    class Count(data.IterableDataset):
        def __iter__(self):
            return iter(range(n))

        def __len__(self):
            return n

    return Count()


def test_adding(torch, data):
    one = data.TensorDataset(torch.arange(2))
    both = one + one
    assert type(both) is data.ConcatDataset and len(both) == 4
    assert type(stream(data) + stream(data)) is data.ChainDataset


def test_chain_dataset(data, fails):
    chain = data.ChainDataset([stream(data, 2), stream(data, 0), stream(data, 3)])
    assert (list(chain), len(chain)) == ([0, 1, 0, 1, 2], 5)
    wrong = data.ChainDataset([stream(data), range(3)])
    with fails(AssertionError, "ChainDataset only supports IterableDataset"):
        list(wrong)
    with fails(AssertionError, "ChainDataset only supports IterableDataset"):
        len(wrong)


def test_subset(torch, data, fails):
    part = data.Subset("abcdef", [4, 0, 1])
    assert (len(part), list(part), part.__getitems__([2, 0])) == (3, ["e", "a", "b"], ["b", "e"])
    assert part[-1] == "b"
    inner = data.TensorDataset(torch.arange(6) * 10)
    assert data.Subset(inner, [5, 3])[[0, 1]][0].tolist() == [50, 30]

    class Half(data.Subset):
        def __getitem__(self, idx):
            return 0

    with fails(NotImplementedError, "Half overrides __getitem__ but not __getitems__. When subclassing Subset"):
        Half("abc", [0])


def test_random_split(torch, data, fails):
    parts = data.random_split(range(10), [0.75, 0.25], torch.Generator().manual_seed(42))
    assert [list(part) for part in parts] == [[2, 6, 1, 8, 4, 5, 0, 9], [3, 7]]
    assert [len(p) for p in data.random_split(range(10), [1 / 3, 1 / 3, 1 / 3])] == [4, 3, 3]
    assert [len(p) for p in data.random_split(range(1), [1])] == [1]
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0. This might result in an empty dataset."):
        data.random_split(range(2), [0.9, 0.1])
    with fails(ValueError, "Sum of input lengths does not equal the length of the input dataset!"):
        data.random_split(range(10), [3, 8])
    with fails(ValueError, "Fraction at index 0 is not between 0 and 1"):
        data.random_split(range(10), [1.5, -0.5])
