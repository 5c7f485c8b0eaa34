"""DataLoader without workers: batches, arguments and how they exclude one another, attributes, lengths, warnings."""

import itertools
import os
import warnings

import numpy as np
import pytest


def stream(data, n=5, length=None):
    class Count(data.IterableDataset):
        def __iter__(self):
            return iter(range(n))

        def __repr__(self):
            return "Count()"

    if length is not None:
        Count.__len__ = lambda self: length
    return Count()


def listed(loader):
    return [batch.tolist() if hasattr(batch, "tolist") else batch for batch in loader]


def test_batches(data):
    assert listed(data.DataLoader(range(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert listed(data.DataLoader(range(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert listed(data.DataLoader(range(2))) == [[0], [1]]
    assert listed(data.DataLoader(range(3), batch_size=None)) == [0, 1, 2]
    assert listed(data.DataLoader(range(5), sampler=[4, 1])) == [[4], [1]]
    assert listed(data.DataLoader(range(5), batch_sampler=[[4, 1], [0]])) == [[4, 1], [0]]
    assert listed(data.DataLoader(range(5), batch_size=2, collate_fn=sum)) == [1, 5, 4]
    assert listed(data.DataLoader([], batch_size=2)) == []
    assert listed(data.DataLoader({"a": 1}, sampler=["a"])) == [[1]]


def test_streams(data):
    assert listed(data.DataLoader(stream(data), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert listed(data.DataLoader(stream(data), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert listed(data.DataLoader(stream(data), batch_size=None)) == [0, 1, 2, 3, 4]
    loader = data.DataLoader(stream(data), batch_size=2)
    assert listed(loader) == listed(loader)
    ended = iter(data.DataLoader(stream(data, 1)))
    assert [len(list(ended)), len(list(ended))] == [1, 0]


def test_getitems_is_preferred(data):
    class Whole(list):
        def __getitems__(self, indices):
            return [self[i] * 10 for i in indices]

    whole = Whole(range(4))
    assert listed(data.DataLoader(whole, batch_size=2)) == [[0, 10], [20, 30]]
    assert listed(data.DataLoader(whole, batch_size=None)) == [0, 1, 2, 3]
    assert listed(data.DataLoader(data.Subset(whole, [3, 1]), batch_size=2)) == [[30, 10]]


def test_lengths(data):
    assert len(data.DataLoader(range(5), batch_size=2)) == 3
    assert len(data.DataLoader(range(5), batch_size=2, drop_last=True)) == 2
    assert len(data.DataLoader(range(5), batch_size=None)) == 5
    assert len(data.DataLoader(range(5), batch_sampler=[[1], [2]])) == 2
    assert len(iter(data.DataLoader(range(5), batch_size=2))) == 3
    assert len(data.DataLoader(stream(data, 5, 5), batch_size=2)) == 3
    assert len(data.DataLoader(stream(data, 5, 5), batch_size=2, drop_last=True)) == 2
    assert len(data.DataLoader(stream(data, 5, 5), batch_size=None)) == 5
    with pytest.raises(TypeError):
        len(data.DataLoader(stream(data)))


def test_a_stream_longer_than_it_said(data, warned):
    loader = data.DataLoader(stream(data, 3, 1), batch_size=None)
    assert warned(lambda: list(loader)) == []
    len(loader)
    assert warned(lambda: list(loader)) == [
        "Length of IterableDataset Count() was reported to be 1(when accessing len(dataloader)), "
        f"but {n} samples have been fetched. "
        for n in (2, 3)
    ]


REFUSED = [
    (dict(num_workers=-1), "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."),
    (dict(timeout=-1), "timeout option should be non-negative"),
    (dict(prefetch_factor=2), "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0"),
    (dict(num_workers=1, prefetch_factor=-1), "prefetch_factor option should be non-negative"),
    (dict(persistent_workers=True), "persistent_workers option needs num_workers > 0"),
    (dict(sampler=[0], shuffle=True), "sampler option is mutually exclusive with shuffle"),
    (
        dict(batch_sampler=[[0]], batch_size=2),
        "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last",
    ),
    (dict(batch_sampler=[[0]], shuffle=True), "batch_sampler option is mutually exclusive with batch_size, shuffle"),
    (dict(batch_sampler=[[0]], sampler=[0]), "batch_sampler option is mutually exclusive with batch_size, shuffle"),
    (dict(batch_sampler=[[0]], drop_last=True), "batch_sampler option is mutually exclusive with batch_size, shuffle"),
    (
        dict(batch_size=None, drop_last=True),
        "batch_size=None option disables auto-batching and is mutually exclusive with drop_last",
    ),
    (dict(batch_size=0), "batch_size should be a positive integer value, but got batch_size=0"),
    (dict(batch_size=1.5), "batch_size should be a positive integer value, but got batch_size=1.5"),
    (dict(drop_last=1), "drop_last should be a boolean value, but got drop_last=1"),
    (
        dict(multiprocessing_context="fork"),
        "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0",
    ),
    (
        dict(num_workers=1, multiprocessing_context="thread"),
        "multiprocessing_context option should specify a valid start method in [",
    ),
]


@pytest.mark.parametrize("options, text", REFUSED, ids=str)
def test_refused_arguments(data, fails, options, text):
    with fails(ValueError, text):
        data.DataLoader(range(3), **options)


def test_other_refusals(data, fails):
    with fails(TypeError, "multiprocessing_context option should be a valid context object or a string"):
        data.DataLoader(range(3), num_workers=1, multiprocessing_context=3)
    with fails(ValueError, "num_samples should be a positive integer value, but got num_samples=0"):
        data.DataLoader([], shuffle=True)
    for name, value in (("shuffle", True), ("sampler", [0]), ("batch_sampler", [[0]])):
        with fails(ValueError, f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"):
            data.DataLoader(stream(data), **{name: value})
    data.DataLoader(stream(data), shuffle=False)
    with fails(AssertionError, "_SingleProcessDataLoaderIter requires timeout == 0"):
        iter(data.DataLoader(range(3), timeout=1))


def test_attributes(data, fails):
    loader = data.DataLoader(range(3), batch_size=2, shuffle=True)
    for name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"):
        with fails(ValueError, f"{name} attribute should not be set after DataLoader is initialized"):
            setattr(loader, name, None)
    loader.collate_fn = list
    loader.timeout = 0
    assert sorted(itertools.chain.from_iterable(loader)) == [0, 1, 2]
    assert type(loader.sampler) is data.RandomSampler and type(loader.batch_sampler) is data.BatchSampler
    assert (loader.num_workers, loader.prefetch_factor, loader.pin_memory, loader.generator) == (0, None, False, None)
    assert data.DataLoader(range(3), num_workers=1).prefetch_factor == 2
    plain = data.DataLoader(range(3), batch_size=None)
    assert plain.batch_sampler is None and plain.collate_fn is data.default_convert
    assert data.DataLoader[int].__origin__ is data.DataLoader
    with fails(NotImplementedError):
        iter(loader).__getstate__()


def test_pinning_warns_without_an_accelerator(torch, data, warned):
    if torch.__name__ == "torch" and torch.accelerator.is_available():
        pytest.skip("there is an accelerator")
    text = "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."
    assert warned(lambda: list(data.DataLoader(range(1), pin_memory=True))) == [text]
    assert warned(lambda: list(data.DataLoader(range(1), pin_memory=True, pin_memory_device="cuda"))) == [
        "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore pin_memory_device='cuda'.",
        text,
    ]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="processors are counted otherwise")
def test_too_many_workers_warn(data, warned):
    few = len(os.sched_getaffinity(0))
    assert warned(lambda: data.DataLoader(range(3), num_workers=few)) == []
    assert warned(lambda: data.DataLoader(range(3), num_workers=few + 1)) == [
        f"This DataLoader will create {few + 1} worker processes in total. Our suggested max number of worker in "
        f"current system is {few}, which is smaller than what this DataLoader is going to create. Please be aware "
        "that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number "
        "to avoid potential slowness/freeze if necessary."
    ]


def test_worker_info_is_none_here(data):
    assert data.get_worker_info() is None


def test_tensors_are_gathered_as_they_would_be_collated(rushlight, rushdata, fails):
    """The short way through a TensorDataset gives what the long one gives, and leaves to it what it does not know."""
    torch, data = rushlight, rushdata

    class Long(data.TensorDataset):
        """Of another class, so it goes the long way."""

    x, y = torch.randn(20, 3, 2), torch.arange(20)
    kinds = [x, y, x.transpose(0, 2).transpose(0, 2), x[::2].repeat(2, 1, 1), x.bfloat16(), x > 0]
    for wrapped in (lambda d: d, lambda d: data.Subset(data.Subset(d, range(1, 19)), [3, 17, 0, -1])):
        for options in ({"batch_size": 3}, {"batch_sampler": [[0, 3, 3], [2]]}, {"sampler": [-1, 2], "batch_size": 2}):
            short = list(data.DataLoader(wrapped(data.TensorDataset(*kinds)), **options))
            long = list(data.DataLoader(wrapped(Long(*kinds)), **options))
            assert len(short) == len(long)
            for one, other in zip(short, long):
                assert type(one) is type(other) is list
                for a, b in zip(one, other):
                    assert a.dtype == b.dtype and a.stride() == b.stride() and torch.equal(a, b)
    for indices in ([20], [-21], ["a"]):
        with pytest.raises((IndexError, TypeError)) as short_error:
            list(data.DataLoader(data.TensorDataset(y), batch_sampler=[indices]))
        with pytest.raises(short_error.type) as long_error:
            list(data.DataLoader(Long(y), batch_sampler=[indices]))
        assert str(short_error.value) == str(long_error.value)
    for indices in ([np.int64(3)], [torch.tensor(3)], [True], (1, 2)):
        assert list(data.DataLoader(data.TensorDataset(y), batch_sampler=[indices]))
    w = torch.ones(4, requires_grad=True)
    (batch,) = next(iter(data.DataLoader(data.TensorDataset(w), batch_size=2)))
    batch.sum().backward()
    assert w.grad.tolist() == [1, 1, 0, 0]


def test_datapipes_are_absent(rushdata):
    with pytest.raises(AttributeError, match="has no attribute 'IterDataPipe'\nrushlight lacks torch.utils.data.IterDataPipe"):
        rushdata.IterDataPipe
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(hasattr(rushdata, name) for name in rushdata.__all__)
