"""Samplers: lengths, arguments, errors. Their orders are compared in test_orders.py."""

import collections

import pytest


def test_lengths(data):
    assert len(data.SequentialSampler(range(5))) == 5
    assert len(data.RandomSampler(range(5))) == 5
    assert len(data.RandomSampler(range(5), num_samples=12)) == 12
    assert len(data.SubsetRandomSampler([4, 2])) == 2
    assert len(data.WeightedRandomSampler([1, 2], 7)) == 7
    assert len(data.BatchSampler(range(7), 3, False)) == 3
    assert len(data.BatchSampler(range(7), 3, True)) == 2
    assert [len(data.DistributedSampler(range(7), 3, 0, drop_last=drop)) for drop in (False, True)] == [3, 2]
    with pytest.raises(TypeError):
        len(data.BatchSampler(iter(range(7)), 3, True))
    with pytest.raises(TypeError):
        len(data.Sampler())


def test_what_they_give(data):
    assert list(data.SequentialSampler("abc")) == [0, 1, 2]
    assert list(data.BatchSampler(range(7), 3, False)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(data.BatchSampler(range(7), 3, True)) == [[0, 1, 2], [3, 4, 5]]
    assert list(data.BatchSampler([], 3, False)) == []
    counts = collections.Counter(data.RandomSampler(range(4), num_samples=12))
    assert counts == {0: 3, 1: 3, 2: 3, 3: 3}
    assert set(data.WeightedRandomSampler([0.0, 1.0, 0.0], 20)) == {1}
    assert sorted(data.WeightedRandomSampler([1.0, 1.0, 1.0], 3, replacement=False)) == [0, 1, 2]
    with pytest.raises(NotImplementedError):
        iter(data.Sampler())


def test_a_growing_dataset(data):
    grown = [1, 2]
    sampler = data.RandomSampler(grown)
    grown.append(3)
    assert len(sampler) == 3 and sorted(sampler) == [0, 1, 2]


def test_distributed_parts(data):
    for size, replicas in ((10, 3), (2, 5), (9, 3), (1, 1)):
        parts = [list(data.DistributedSampler(range(size), replicas, r)) for r in range(replicas)]
        assert {i for part in parts for i in part} == set(range(size))
        assert len({len(part) for part in parts}) == 1
    sampler = data.DistributedSampler(range(50), 2, 0)
    first = list(sampler)
    assert first == list(sampler)
    sampler.set_epoch(1)
    assert first != list(sampler)


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "2"])
def test_refused_numbers(data, fails, value):
    text = f"should be a positive integer value, but got num_samples={value}"
    if value is not True:  # which counts as 1 there
        with fails(ValueError, f"num_samples {text}"):
            data.RandomSampler(range(3), num_samples=value)
    with fails(ValueError, f"num_samples {text}"):
        data.WeightedRandomSampler([1, 2], value)
    with fails(ValueError, f"batch_size should be a positive integer value, but got batch_size={value}"):
        data.BatchSampler(range(3), value, False)


def test_refusals(data, fails):
    with fails(ValueError, "num_samples should be a positive integer value, but got num_samples=0"):
        data.RandomSampler([])
    with fails(TypeError, "replacement should be a boolean value, but got replacement=1"):
        data.RandomSampler(range(3), replacement=1)
    with fails(ValueError, "replacement should be a boolean value, but got replacement=1"):
        data.WeightedRandomSampler([1, 2], 2, replacement=1)
    with fails(ValueError, "weights should be a 1d sequence but given weights have shape (1, 2)"):
        data.WeightedRandomSampler([[1, 2]], 2)
    with fails(ValueError, "drop_last should be a boolean value, but got drop_last=1"):
        data.BatchSampler(range(3), 2, 1)
    with fails(ValueError, "Invalid rank 3, rank should be in the interval [0, 2]"):
        data.DistributedSampler(range(3), 3, 3)


def test_no_process_group(rushdata, fails):
    with fails(RuntimeError, "Requires distributed package to be available"):
        rushdata.DistributedSampler(range(3), rank=0)
