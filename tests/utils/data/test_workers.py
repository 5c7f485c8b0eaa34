"""DataLoader with worker processes: batches, order, what workers know, errors, deaths, and that none stays behind."""

import gc
import multiprocessing
import os
import pathlib
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

FORK = "fork" in multiprocessing.get_all_start_methods()
pytestmark = pytest.mark.skipif(not FORK, reason="these datasets are made in the test and cannot be pickled")
SOURCES = pathlib.Path(__file__).resolve().parents[3] / "src"


class Samples:
    """The i-th sample is f(i)."""

    def __init__(self, function, n=8):
        self.function = function
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return self.function(index)


@pytest.fixture
def load(data):
    """`load(f, n, ...)` makes a loader of f(0) ... f(n - 1) with forked workers."""

    def make(function, n=8, **options):
        options = {"num_workers": 2, "multiprocessing_context": "fork", "batch_size": None, **options}
        return data.DataLoader(Samples(function, n), **options)

    return make


@pytest.fixture
def loads(rushdata):
    """The same, for rushlight alone."""

    def make(function, n=8, **options):
        options = {"num_workers": 2, "multiprocessing_context": "fork", "batch_size": None, **options}
        return rushdata.DataLoader(Samples(function, n), **options)

    return make


@pytest.fixture(autouse=True)
def none_left():
    """No process that a test started outlives it."""
    yield
    if multiprocessing.active_children():  # a traceback may hold an iterator
        gc.collect()
    until = time.monotonic() + 10
    while multiprocessing.active_children() and time.monotonic() < until:
        time.sleep(0.01)
    assert multiprocessing.active_children() == []


def stream(data, read, length=None):
    class Stream(data.IterableDataset):
        def __iter__(self):
            return read()

        def __repr__(self):
            return "Stream()"

    if length is not None:
        Stream.__len__ = lambda self: length
    return Stream()


# ---------------------------------------------------------------- batches


def test_what_comes_back(torch, load):
    x = torch.arange(6.0).reshape(2, 3)

    def sample(i):
        return {"x": x[i % 2].clone(), "n": np.arange(i), "s": "abc", "k": (i, None), "c": x.t(), "b": x.bfloat16(), "e": x[:0]}

    for i, got in enumerate(load(sample)):
        assert got["x"].tolist() == x[i % 2].tolist() and got["c"].tolist() == x.t().tolist()
        assert got["c"].stride() == x.t().stride()
        assert got["b"].dtype == torch.bfloat16 and got["b"].tolist() == x.tolist()
        assert got["e"].shape == (0, 3)
        assert isinstance(got["n"], torch.Tensor) and got["n"].tolist() == list(range(i))
        assert got["s"] == "abc" and got["k"] == [i, None]
        got["x"] += 1  # it can be written to
    assert [b.tolist() for b in load(lambda i: i, 5, batch_size=2)] == [[0, 1], [2, 3], [4]]


def test_large_arrays(torch, load):
    for n in (10, 40_000, 300_000):
        x = torch.arange(float(n))
        for i, (a, b, c) in enumerate(load(lambda i, x=x: (x + i, (x * 2).numpy(), x.bfloat16()[:5]), 3)):
            assert torch.equal(a, x + i) and torch.equal(b, x * 2) and c.tolist() == [0, 1, 2, 3, 4]
            a += 1
            b += 1


def test_what_a_worker_knows(torch, data, load):
    def sample(i):
        info = data.get_worker_info()
        known = info.id, info.num_workers, info.seed, len(info.dataset), info.rng, info.worker_method
        return (*known, torch.initial_seed(), torch.get_num_threads(), os.getpid() != parent)

    parent = os.getpid()
    torch.manual_seed(5)
    base = torch.empty((), dtype=torch.int64).random_().item()
    torch.manual_seed(5)
    for i, got in enumerate(load(sample)):
        seed = base + i % 2
        assert got == [i % 2, 2, seed, 8, None, "multiprocessing", seed, 1, True]
    assert data.get_worker_info() is None


def test_worker_init_fn(load):
    marks = []
    loader = load(lambda i: marks[0], 4, worker_init_fn=lambda number: marks.append(number * 10))
    assert list(loader) == [0, 10, 0, 10] and marks == []


def test_in_order_or_not(load):
    def sample(i):
        time.sleep(0.1 if i == 0 else 0)
        return i

    assert list(load(sample)) == list(range(8))
    free = list(load(sample, in_order=False))
    assert sorted(free) == list(range(8)) and free[0] != 0


def test_prefetching(load):
    asked = []

    class Order(list):
        def __iter__(self):
            for i in range(20):
                asked.append(i)
                yield i

    it = iter(load(lambda i: i, 20, sampler=Order(), prefetch_factor=3))
    assert len(asked) == 6
    next(it), next(it)
    assert len(asked) == 8


def test_streams(data, quiet):
    def read():
        info = data.get_worker_info()
        return iter(range(info.id, 7, info.num_workers))

    options = {"num_workers": 2, "multiprocessing_context": "fork"}
    loader = data.DataLoader(stream(data, read), batch_size=2, persistent_workers=True, **options)
    for _ in range(2):
        assert [b.tolist() for b in loader] == [[0, 2], [1, 3], [4, 6], [5]]
    uneven = data.DataLoader(stream(data, lambda: iter(range([1, 6][data.get_worker_info().id]))), batch_size=None, **options)
    assert list(uneven) == [0, 0, 1, 2, 3, 4, 5]
    assert list(uneven) == [0, 0, 1, 2, 3, 4, 5]
    del loader


def test_a_stream_longer_than_it_said(data, warned):
    loader = data.DataLoader(
        stream(data, lambda: iter(range(2)), 3), batch_size=None, num_workers=2, multiprocessing_context="fork"
    )
    len(loader)
    assert warned(lambda: list(loader)) == [
        "Length of IterableDataset Stream() was reported to be 3(when accessing len(dataloader)), but 4 samples have "
        "been fetched. For multiprocessing data-loading, this could be caused by not properly configuring the "
        "IterableDataset replica at each worker. Please see "
        "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
    ]


def test_persistent_workers_stay(load):
    loader = load(lambda i: (i, os.getpid()), persistent_workers=True)
    first, second = list(loader), list(loader)
    assert first == second and len({pid for _, pid in first}) == 2
    left = iter(loader)
    next(left)
    assert list(loader) == first  # nothing of the pass that was left comes into the next one
    loader = load(lambda i: (i, os.getpid()))
    assert {pid for _, pid in loader}.isdisjoint({pid for _, pid in loader})


# ---------------------------------------------------------------- errors


class Pair(Exception):
    """Cannot be made from one text."""

    def __init__(self, one, two):
        super().__init__(one, two)


@pytest.mark.parametrize("error, kind", [(ValueError("bad"), ValueError), (KeyError("bad"), KeyError), (Pair(1, 2), RuntimeError)])
def test_errors_come_back(load, error, kind):
    def sample(i):
        if i == 3:
            raise error
        return i

    it = iter(load(sample))
    assert [next(it), next(it), next(it)] == [0, 1, 2]
    with pytest.raises(kind) as info:
        next(it)
    text = str(info.value)
    assert text.startswith(
        f"Caught {type(error).__name__} in DataLoader worker process 1.\nOriginal Traceback (most recent call last):\n"
    )
    assert "in sample\n    raise error\n" in text and text.endswith(f"{type(error).__name__}: {error}\n")
    assert list(it) == [4, 5, 6, 7]


def test_errors_before_the_first_sample(rushdata, loads):
    def fail(*_):
        raise RuntimeError("early")

    with pytest.raises(RuntimeError, match=r"Caught RuntimeError in DataLoader worker process 0\.\nOriginal Traceback"):
        list(loads(lambda i: i, worker_init_fn=fail))
    with pytest.raises(RuntimeError, match=r"early"):
        list(rushdata.DataLoader(stream(rushdata, fail), num_workers=1, multiprocessing_context="fork"))


def test_timeout(loads, fails):
    loader = loads(lambda i: time.sleep(0.15), 2, num_workers=1, timeout=0.05)
    with fails(RuntimeError, "DataLoader timed out after 0.05 seconds"):
        list(loader)
    with fails(AssertionError, "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"):
        iter(loads(lambda i: i, prefetch_factor=0))


def test_what_cannot_be_sent(rushlight, loads):
    """PyTorch waits for ever here."""
    for sample, kind, text in [
        (lambda i: threading.Lock(), TypeError, "cannot pickle '_thread.lock' object"),
        (lambda i: lambda: 0, Exception, "pickle|local object"),
        (lambda i: rushlight.ones(2, requires_grad=True) * 2, RuntimeError, "Cowardly refusing to serialize non-leaf"),
    ]:
        with pytest.raises(kind, match=text) as info:
            list(loads(sample, 2))
        assert str(info.value).startswith("Caught ")

    def local_error(i):
        class Local(Exception):
            pass

        raise Local("far away")

    with pytest.raises(RuntimeError, match="far away") as info:
        list(loads(local_error, 2))
    assert "could not be pickled" in str(info.value)


class Broken:
    """Pickles well and cannot be read."""

    def __reduce__(self):
        return int, ("x",)


def test_what_cannot_be_read(loads):
    it = iter(loads(lambda i: Broken() if i == 1 else i, 4))
    assert next(it) == 0
    with pytest.raises(ValueError, match="Caught ValueError while reading what another process"):
        next(it)
    assert list(it) == [2, 3]


def test_unpicklable_arguments(data):
    loader = data.DataLoader(Samples(lambda i: i), num_workers=1, multiprocessing_context="spawn")
    with (
        pytest.warns(UserWarning, match="Got pickle error when attempting to start a worker Process"),
        pytest.raises(Exception, match="pickle|local object"),
    ):
        list(loader)


# ---------------------------------------------------------------- ends


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


KILLED = r"DataLoader worker \(pid \d+\) is killed by signal: Killed. "
EXITED = r"DataLoader worker \(pid \d+\) exited unexpectedly with exit code {}. Details are lost due to multiprocessing."


@pytest.mark.parametrize(
    "end, persistent, cause",
    [
        (kill, False, KILLED),
        (kill, True, KILLED),
        (lambda: os._exit(7), False, EXITED.format(7)),
        (lambda: sys.exit(3), False, EXITED.format(3)),
    ],
    ids=["killed", "killed of persistent ones", "exited", "left"],
)
def test_a_worker_that_dies_is_reported_at_once(loads, end, cause, persistent):
    died = []

    def sample(i):
        if i == 3 and not died:
            end()
        time.sleep(0 if i < 3 else 0.03)
        return i

    loader = loads(sample, persistent_workers=persistent)
    it = iter(loader)
    started = time.monotonic()
    with pytest.raises(RuntimeError, match=r"^DataLoader worker \(pid\(s\) \d+\) exited unexpectedly\n") as info:
        list(it)
    assert time.monotonic() - started < 2
    assert multiprocessing.active_children() == []
    assert isinstance(info.value.__cause__, RuntimeError)
    assert re.match(cause, str(info.value.__cause__))
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        next(it)
    died.append(True)
    assert list(loader) == list(range(8))  # and the loader itself is as good as before


def test_a_worker_killed_while_it_waits(loads):
    it = iter(loads(lambda i: i))
    next(it)
    os.kill(it._workers[0].pid, signal.SIGKILL)
    it._workers[0].join()
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(it)


def test_no_process_left(loads):
    def alive():
        return len(multiprocessing.active_children())

    for _ in loads(lambda i: i):
        assert alive() == 2
        break
    assert alive() == 0
    it = iter(loads(lambda i: np.zeros(100_000), 20))
    next(it)
    del it  # while the workers hold large batches that nobody will read
    assert alive() == 0
    with pytest.raises(ZeroDivisionError):
        for _ in loads(lambda i: i):
            1 / 0
    gc.collect()
    assert alive() == 0
    kept = loads(lambda i: i, persistent_workers=True)
    list(kept)
    assert alive() == 2
    del kept
    assert alive() == 0


def test_a_stubborn_worker_is_ended_by_force(loads, monkeypatch):
    from rushlight.utils.data._utils import pool

    monkeypatch.setattr(pool, "GRACE", 0.1)
    monkeypatch.setattr(pool, "_AFTER_SIGTERM", 0.1)

    def deaf(i):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1)

    it = iter(loads(deaf))
    time.sleep(0.1)
    started = time.monotonic()
    del it
    assert time.monotonic() - started < 2
    assert multiprocessing.active_children() == []


def test_stopped_iterators_do_not_wait(loads, fails):
    it = iter(loads(lambda i: i))
    next(it)
    it._shutdown_workers()
    with fails(AssertionError, "Invalid iterator state: shutdown or no outstanding tasks when fetching next data"):
        list(it)
    done = iter(loads(lambda i: i, 2))
    assert list(done) == [0, 1] and list(done) == []


def run(script, tmp_path, *words, **options):
    """A program of its own, as the file it may be imported from again."""
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(script))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-W", "error", "-m", "rushlight", "run", str(file), *words]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options)


PROGRAM = """
    import os, sys, time
    import torch
    from torch.utils.data import DataLoader, Dataset, get_worker_info

    class Rows(Dataset):
        def __init__(self):
            self.x = torch.arange(60_000.0).reshape(6, 10_000)
        def __len__(self):
            return 6
        def __getitem__(self, i):
            return self.x[i], torch.rand(1), get_worker_info().id

    class Slow(Rows):
        def __getitem__(self, i):
            if i >= 2:
                time.sleep(60)
            return os.getpid()

    if __name__ == "__main__":
        what, *methods = sys.argv[1:]
        kept = []
        for method in methods:
            torch.manual_seed(0)
            loader = DataLoader(Slow() if what == "slow" else Rows(), batch_size=2, num_workers=1 + (what == "slow"),
                                multiprocessing_context=method, shuffle=what != "slow", persistent_workers=True)
            it = iter(loader)
            if what == "slow":
                print(*next(it).tolist(), os.getpid(), flush=True)
                time.sleep(60)
            print(*[[(x[:, 0] / 10_000).tolist(), noise.tolist(), number.tolist()] for x, noise, number in it])
            kept.append(loader)  # the interpreter ends while the workers are there
"""


def test_programs(rushlight, tmp_path):
    """Under `rushlight run`, by every start method: the same batches, nothing on the error stream, and an end."""
    methods = [m for m in ("fork", "spawn", "forkserver") if m in multiprocessing.get_all_start_methods()]
    out, err = run(PROGRAM, tmp_path, "rows", *methods).communicate(timeout=60)
    assert err == ""
    lines = out.splitlines()
    assert len(lines) == len(methods) and len(set(lines)) == 1


def running(pid):
    """Whether there is such a process, other than one that has ended and waits to be asked how."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=lambda s: s.name)
def test_workers_do_not_outlive_their_program(rushlight, tmp_path, how):
    """Killed without a chance to say anything, or by Control-C: its workers notice. (Busy ones: see GRACE.)"""
    script = PROGRAM.replace("if i >= 2", "if False")
    with run(script, tmp_path, "slow", "fork") as program:
        pids = [int(word) for word in program.stdout.readline().split()]
        assert pids.pop() == program.pid
        program.send_signal(how)
        program.communicate(timeout=20)
    until = time.monotonic() + 10
    while any(running(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.02)
    assert [pid for pid in pids if running(pid)] == []
