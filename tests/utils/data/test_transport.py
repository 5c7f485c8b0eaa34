"""What passes between processes: messages, tensors and their storages, files in memory."""

import importlib
import multiprocessing
import os
import sys
import time

import numpy as np
import pytest

FILES = hasattr(os, "memfd_create")
BIG = 50_000  # elements of an array that goes through a file


@pytest.fixture
def transport(rushlight):
    return importlib.import_module("rushlight.utils.data._utils.transport")


@pytest.fixture
def through(transport):
    """`through(value)` sends it from one end of a connection to the other."""
    here, there = multiprocessing.Pipe()
    sender, receiver = transport.Sender(here), transport.Receiver(there)

    def pass_on(value):
        sender.send(*transport.pack(("head",), value))
        head, got = receiver.receive()
        assert head == ("head",)
        return got

    yield pass_on
    sender.close()
    receiver.close()


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("n", [3, BIG])
def test_layouts(rushlight, through, quiet, n):
    torch = rushlight
    x = torch.arange(2.0 * n).reshape(n, 2)
    for value in [x, x.t(), x[::2], x[:, 1], x.bfloat16(), x.bfloat16().t(), x > 3, x.to(torch.complex64), x[:0], x[0, 0]]:
        got = through(value)
        assert (got.dtype, got.shape, got.stride()) == (value.dtype, value.shape, value.stride())
        assert torch.equal(got, value) and (got.data_ptr() != value.data_ptr() or not value.numel())
        got.zero_()
    row = torch.ones(1, 2).expand(n, 2)
    assert through(row).stride() == row.stride()
    frozen = np.ones(n)
    frozen.flags.writeable = False
    with quiet():  # it says that such a tensor cannot be written to
        through(torch.from_numpy(frozen)).add_(1)


@pytest.mark.parametrize("n", [3, BIG])
def test_shared_storage(rushlight, through, n):
    torch = rushlight
    x = torch.zeros(2 * n)
    whole, part, again = through([x, x[1:], x])
    assert whole is again
    part.fill_(1)
    assert whole.tolist()[:3] == [0, 1, 1]
    half = x.bfloat16()
    one, other = through((half, half.reshape(2, n)))
    one.fill_(2)
    assert other[1, 2] == 2


def test_a_small_part_of_a_large_storage_goes_alone(rushlight, transport, through):
    torch = rushlight
    x = torch.zeros(1_000_000)
    message, file = transport.pack((), x[5:8])
    assert len(message) < 1000 and file is None
    assert through(x[5:8]).untyped_storage().nbytes() == 12


def test_marks_of_a_tensor(rushlight, through):
    torch = rushlight
    leaf = torch.ones(3, requires_grad=True)
    leaf.tag = "kept"
    got = through(leaf)
    assert got.requires_grad and got.is_leaf and got.tag == "kept"
    assert type(through(torch.nn.Parameter(torch.ones(2)))) is torch.nn.Parameter
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        through(leaf * 2)


def test_other_objects(through):
    big = np.arange(BIG, dtype=float)
    got = through({"a": big, "b": bytearray(b"x" * BIG * 8), "c": "text" * 100_000, "d": big[::-1]})
    assert (got["a"] == big).all() and got["a"].flags.writeable and (got["d"] == big[::-1]).all()
    assert len(got["b"]) == BIG * 8 and got["c"] == "text" * 100_000
    frozen = big.copy()
    frozen.flags.writeable = False
    assert not through(frozen).flags.writeable
    assert through(np.array(["a", None], object)).tolist() == ["a", None]


@pytest.mark.skipif(not FILES or sys.platform != "linux", reason="has no files in memory")
def test_files_are_closed(rushlight, transport, through, monkeypatch):
    torch = rushlight
    monkeypatch.setattr(transport, "_MAPPED_AT_MOST", 5 + len(transport._mapped))
    through(0)
    before = descriptors()
    kept = [through(torch.full((BIG,), float(i))) for i in range(20)]
    assert descriptors() <= before + 5  # from then on they are read
    assert [k[-1].item() for k in kept] == list(range(20))
    kept.clear()
    assert descriptors() == before
    message, file = transport.pack((), [torch.ones(BIG), torch.ones(BIG), 3])
    assert len(message) < 2000
    (_, (a, b, three)) = transport.unpack(message, lambda: file)
    assert a.sum() + b.sum() == 2 * BIG and three == 3


def test_without_files(rushlight, transport):
    torch = rushlight
    message, file = transport.pack((), torch.ones(BIG), share=False)
    assert file is None and len(message) > BIG
    assert transport.unpack(message, None)[1].sum() == BIG


def test_the_reader_may_be_slow(transport):
    """A sender does not wait for it, and learns when nobody reads."""
    here, there = multiprocessing.Pipe()
    sender, receiver = transport.Sender(here), transport.Receiver(there)
    for i in range(20):
        sender.send(*transport.pack((i,), "x" * 200_000))
    sender.send(*transport.pack((20,), "small"))
    assert [receiver.receive()[0][0] for _ in range(21)] == list(range(21))
    receiver.close()
    deadline = time.monotonic() + 30
    with pytest.raises(OSError):
        while time.monotonic() < deadline:  # the thread that writes tells it when it comes to run
            sender.send(*transport.pack((), "x"))
            time.sleep(0.01)
    sender.close()


def test_where_the_other_end_is_gone(transport):
    here, there = multiprocessing.Pipe()
    receiver = transport.Receiver(there)
    here.close()
    with pytest.raises(EOFError):
        receiver.receive()
    receiver.close()
