"""The file of a run under faults: kills, full disks, locks, forks, interrupts, files of something else. Each test makes the fault.

Where a fault needs another process, that is a new interpreter on the engine under test, and nothing waits for a length of time: the
processes tell one another by lines on their pipes.
"""

import contextlib
import math
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import pytest
from tests.conftest import SOURCES
from tests.observe.report.runs import make_model, train

from rushlight import observe
from rushlight.observe import store
from rushlight.observe.store import FORMAT, connect, outcome_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "observe.db")


@pytest.fixture
def process():
    """``process(code, *words, engine=...)`` starts an interpreter in which ``torch`` is the engine and ``train`` the training of
    ``runs.py``. As root it can ``drop()`` its rights.
    """
    started = []

    def start(code, *words, engine="rushlight"):
        head = f"import sys, os, importlib\ntorch = importlib.import_module({engine!r})\nENGINE = {engine!r}\n"
        head += "from tests.observe.report.runs import train, make_model\nfrom rushlight import observe\nfile = sys.argv[1]\n"
        head += "def drop():\n    train(torch, None, 1, engine=ENGINE)\n"  # what is loaded late is loaded now
        head += "    if os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCES), str(ROOT)]), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", head + code, *map(str, words)]
        pipe = subprocess.PIPE
        made = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)
        started.append(made)
        return made

    yield start
    for made in started:
        if made.poll() is None:
            made.kill()
        made.communicate()


def ended(made):
    """The output of a process that ended well."""
    out, error = made.communicate(timeout=120)
    assert made.returncode == 0, error
    return out


def whole(run):
    """Every step of the file is there as a whole: all its tensors, with gradients, and its loss."""
    steps = run.step_numbers().tolist()
    counts = dict(run.query("SELECT step, tensors FROM steps WHERE run = ?", (run.number,)))
    losses = run.scalars()["loss"][0].tolist() if steps else []
    assert losses == steps
    for step in steps:
        found = run.at(step)
        assert len(found) == counts[step] == 10 and all(f["norm"] is not None for f in found.values())
    return steps


# ---------------------------------------------------------------- kills, and other ends


def test_a_kill_leaves_every_step_that_was_over(torch, process, file):
    made = process(
        "def spoil(step, model, x):\n    if step == 5: model(x)\n    print(step, flush=True)\n    if step == 5: sys.stdin.read()\n"
        "train(torch, file, 20, spoil=spoil, engine=ENGINE)",
        file,
        engine=torch.__name__,
    )
    for step in range(6):
        assert made.stdout.readline().strip() == str(step)
    with observe.read(file) as runs:
        assert runs[-1].state() == "running" and runs[-1].ended is None
        made.send_signal(signal.SIGKILL)
        made.wait(60)
        assert runs[-1].state() == "killed: it ended without a word"
        steps = whole(runs[-1])
        assert steps == list(range(len(steps))) and len(steps) == 5, "it was killed in the forward pass of the sixth"
        assert runs[-1].outcome is None
    train(torch, file, 3)
    with observe.read(file) as runs:
        assert len(runs) == 2 and whole(runs[1]) == [0, 1, 2] and len(whole(runs[0])) == 5


@pytest.mark.parametrize(
    "error, outcome",
    [
        (ValueError("the data\nare broken"), "ValueError: the data"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (SystemExit(3), "SystemExit: 3"),
        (SystemExit(0), "finished"),
        (SystemExit(), "finished"),
        (ValueError("no character: \udc80"), "ValueError: no character: \\udc80"),
    ],
)
def test_a_run_that_ends_in_an_error_says_so(torch, file, error, outcome):
    def spoil(step, model, x):
        if step == 3:
            raise error

    with pytest.raises(type(error)):
        train(torch, file, spoil=spoil)
    with observe.read(file) as runs:
        assert runs[-1].state() == runs[-1].outcome == outcome
        assert whole(runs[-1]) == [0, 1, 2] and runs[-1].ended >= runs[-1].started


def test_an_error_without_a_text():
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    assert outcome_of(Odd()) == "Odd: its text raised RuntimeError"
    assert outcome_of(None) == "finished"


def test_an_error_inside_the_model_keeps_the_step_that_it_broke_out(torch, file):
    class Breaks(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.calls = make_model(torch), 0

        def forward(self, x):
            h = self.inner(x)
            self.calls += 1
            if self.calls == 3:
                raise RuntimeError("in the middle")
            return h

    with pytest.raises(RuntimeError, match="in the middle"):
        train(torch, file, model=Breaks())
    with observe.read(file) as runs:
        assert whole(runs[-1]) == [0, 1] and runs[-1].state() == "RuntimeError: in the middle"


def test_an_interrupt_while_a_step_is_written(rushlight, file, monkeypatch):
    """The transaction is rolled back and written again at the end: the step is there once."""
    fired = []

    class Connection(sqlite3.Connection):
        def executemany(self, statement, rows):
            done = super().executemany(statement, rows)
            if statement.startswith("INSERT OR REPLACE INTO figures") and super().execute("SELECT count(*) FROM steps").fetchone()[0] == 2:
                if not fired:
                    fired.append(True)
                    raise KeyboardInterrupt
            return done

    opened = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: opened(*args, factory=Connection, **more))
    with pytest.raises(KeyboardInterrupt):
        train(rushlight, file)
    assert fired
    with observe.read(file) as runs:
        assert whole(runs[-1]) == [0, 1, 2] and runs[-1].state() == "KeyboardInterrupt"


def test_a_recording_that_is_opened_twice_is_two_runs(torch, file):
    model = make_model(torch)
    rec = observe.record(model, keep="statistics", file=file)
    for _ in range(2):
        with rec:
            model(torch.ones(3, 4)).sum().backward()
    with observe.read(file) as runs:
        assert len(runs) == 2 and runs[0].name != runs[1].name
        assert len(runs[0].tensors) == len(runs[1].tensors) == 8 and all(r.state() == "finished" for r in runs)


# ---------------------------------------------------------------- several processes


def test_a_reader_sees_whole_steps_while_another_process_writes(rushlight, process, file):
    made = process(
        "train(torch, file, 1, engine=ENGINE)\nprint('go', flush=True)\ntrain(torch, file, 1500, engine=ENGINE)", file
    )
    assert made.stdout.readline().strip() == "go"
    counts = []
    while made.poll() is None:
        with observe.read(file) as runs:
            run = runs[-1]
            last = run.span()[1]
            if len(runs) == 2 and last is not None:
                counts.append(last + 1)
                sound = run.query("SELECT count(*) FROM figures JOIN tensors ON tensor = id WHERE run = ? AND step = ?", (run.number, last))
                assert sound == [(16,)], "ten gradients and six values"
                losses = run.query("SELECT count(*) FROM scalars WHERE run = ? AND name = 'loss' AND step <= ?", (run.number, last))
                assert losses == [(last + 1,)]
    ended(made)
    assert counts == sorted(counts) and len(set(counts)) > 1
    with observe.read(file) as runs:
        assert len(whole(runs[-1])) == 1500


def test_processes_that_write_to_one_file_at_once_lose_nothing(rushlight, process, file):
    code = "sys.stdin.readline()\nw = train(torch, file, 60, run=sys.argv[2])\nprint(w.steps, w.record.writer.failed)"
    several = [process(code, file, f"run {i}") for i in range(3)]  # the file does not exist: each wants to make it
    for made in several:
        made.stdin.write("\n")
        made.stdin.flush()
    for made in several:
        assert ended(made).split() == ["60", "None"]
    with observe.read(file) as runs:
        assert sorted(r.name for r in runs) == ["run 0", "run 1", "run 2"]
        for run in runs:
            assert run.state() == "finished" and len(whole(run)) == 60
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_lock_that_another_process_holds(torch, file):
    """Steps wait in memory, and arrive once the lock is gone."""
    held = []

    def spoil(step, model, x):
        if step == 2:
            held.append(sqlite3.connect(file, isolation_level=None))
            held[0].execute("BEGIN IMMEDIATE")
        if step == 9:
            with observe.read(file) as runs:
                assert runs[-1].steps == 1, "those after the lock wait"
            held[0].execute("ROLLBACK")

    seen = train(torch, file, 12, spoil=spoil)
    held[0].close()
    assert seen.record.writer.failed is None and seen.record.writer.steps == 12
    with observe.read(file) as runs:
        assert whole(runs[-1]) == list(range(12)) and runs[-1].state() == "finished"


def test_a_lock_costs_one_moment_and_then_nearly_nothing(rushlight, file, monkeypatch):
    patience = []

    class Connection(sqlite3.Connection):
        def execute(self, statement, *values):
            if statement.startswith("PRAGMA busy_timeout"):
                patience.append(int(statement.partition("=")[2]))
            return super().execute(statement, *values)

    def spoil(step, model, x):
        if step == 1:
            other.execute("BEGIN IMMEDIATE")
        if step == 6:
            other.execute("ROLLBACK")

    connect(file, write=True).close()
    other = sqlite3.connect(file, isolation_level=None)
    opened = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: opened(*args, factory=Connection, **more))
    train(rushlight, file, 9, spoil=spoil)
    other.close()
    assert patience[:3] == [200, 5000, 200], "the beginning, which may wait"
    assert patience[3:9] == [200, 20, 20, 20, 20, 20] and 20 not in patience[9:], "of the steps that wait the first asks for long"


def test_what_waits_for_a_lock_is_bounded(torch, file, monkeypatch):
    """The newest steps are left out, and the notes say how many."""
    monkeypatch.setattr(store, "_WAITING", 60)
    held = []

    def spoil(step, model, x):
        if step == 2:
            held.append(sqlite3.connect(file, isolation_level=None))
            held[0].execute("BEGIN IMMEDIATE")
        if step == 15:
            held[0].execute("ROLLBACK")

    seen = train(torch, file, 20, spoil=spoil)
    held[0].close()
    with observe.read(file) as runs:
        steps = whole(runs[-1])
        missing = sorted(set(range(20)) - set(steps))
        assert missing == list(range(missing[0], 14)) and len(missing) >= 8
        note = f"{len(missing)} steps are not in the file: another process held {file} for too long."
        assert note in runs[-1].notes and note in seen.record.notes and runs[-1].state() == "finished"


def test_a_lock_to_the_very_end(torch, file, monkeypatch):
    monkeypatch.setattr(store, "_LAST_PATIENCE", 0.1)
    held = []

    def spoil(step, model, x):
        if step == 2:
            held.append(sqlite3.connect(file, isolation_level=None))
            held[0].execute("BEGIN IMMEDIATE")

    seen = train(torch, file, 5, spoil=spoil)
    held[0].close()
    assert "locked" in seen.record.writer.failed
    assert any("could not be written after 1 step (database is locked)" in n for n in seen.record.notes)
    with observe.read(file) as runs:
        assert whole(runs[-1]) == [0]


# ---------------------------------------------------------------- a disk that is full


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are POSIX's")
def test_a_file_that_may_not_grow(rushlight, process, file):
    """RLIMIT_FSIZE: writing fails as on a full disk. The training goes on to its end and to the same weights."""
    code = (
        "import resource\ntrain(torch, file, 2, engine=ENGINE)\n"
        "size = max(os.path.getsize(file), 120_000)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
        "model, plain = make_model(torch), make_model(torch)\n"
        "w = train(torch, file, 200, model=model, engine=ENGINE)\n"
        "train(torch, None, 200, model=plain, engine=ENGINE)\n"
        "assert all((a == b).all() for a, b in zip(model.parameters(), plain.parameters()))\n"
        "print(w.steps, w.record.writer.steps, w.record.notes)"
    )
    out = ended(process(code, file))
    steps, written, note = out.split(maxsplit=2)
    assert steps == "200" and 0 < int(written) < 200
    assert f"The file {file} could not be written after {written} steps" in note and "the run went on" in note
    with observe.read(file) as runs:
        assert whole(runs[0]) == [0, 1] and len(whole(runs[1])) == int(written)


def test_a_database_that_is_full(torch, file):
    """The same by SQLite's own limit, which another connection does not have: so the end finds its place."""
    writer = []

    def spoil(step, model, x):
        if step == 3:
            connection = writer[0]._connection
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")

    model = make_model(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with observe.watch(model, on="log", values=True, file=file) as seen:
        writer.append(seen.record.writer)
        for step in range(80):
            spoil(step, model, None)
            loss = model(torch.ones(3, 4)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert seen.steps == 80 and "full" in seen.record.writer.failed
    with observe.read(file) as runs:
        run = runs[-1]
        steps = run.step_numbers().tolist()
        assert steps == list(range(len(steps))) and 2 <= len(steps) < 80 and seen.record.writer.steps == len(steps)
        assert run.state() == "finished"
        assert any(f"could not be written after {len(steps)} steps (database or disk is full)" in n for n in run.notes)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("mount") is None, reason="only root mounts")
def test_a_full_disk(rushlight, process, tmp_path):
    """A file system of 300 KB, of which another file takes the rest in the middle of the run."""
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(small)], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        code = (
            "def spoil(step, model, x):\n"
            "    if step == 5:\n"
            "        with open(os.path.join(os.path.dirname(file), 'other'), 'wb', buffering=0) as other:\n"
            "            try:\n"
            "                while other.write(bytes(4096)) == 4096: pass\n"
            "            except OSError: pass\n"
            "w = train(torch, file, 100, spoil=spoil, engine=ENGINE)\n"
            "print(w.steps, w.record.writer.steps, w.record.notes)"
        )
        steps, written, note = ended(process(code, small / "observe.db")).split(maxsplit=2)
        assert steps == "100" and 1 <= int(written) < 100 and "could not be written" in note
        with observe.read(small / "observe.db") as runs:
            assert len(whole(runs[-1])) == int(written)
            assert runs[-1].state().startswith("killed"), "its end had no place"
    finally:
        subprocess.run(["umount", str(small)], check=True)


# ---------------------------------------------------------------- files that cannot be used


def refused(torch, file, match):
    """The file is refused before anything of the training has run, and for reading."""
    ran = []
    with pytest.raises(observe.NoRunFile, match=match):
        train(torch, file, spoil=lambda *_: ran.append(True))
    assert not ran
    with pytest.raises(observe.NoRunFile):
        observe.read(file)


def test_a_newer_version_is_refused(torch, file):
    train(torch, file, 1)
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()
    refused(torch, file, f"written by a newer rushlight: its format is {FORMAT + 1}, and this one knows up to {FORMAT}\nInstall the newer")


def test_a_file_of_something_else_is_refused_and_stays_as_it_is(torch, tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("dear diary\n" * 1000)
    refused(torch, str(text), "is not a file of runs: .*\nGive another name; rushlight writes over nothing")
    assert text.read_text() == "dear diary\n" * 1000
    short = tmp_path / "short.txt"
    short.write_text("x")
    refused(torch, str(short), "is not a file of runs")
    assert short.read_text() == "x"
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE people (name TEXT)")
        connection.commit()
    before = other.read_bytes()
    refused(torch, str(other), "is a database of something else\nGive the name of a file of runs")
    assert other.read_bytes() == before and not other.with_name("other.db-wal").exists()


def test_folders_are_refused(torch, tmp_path):
    refused(torch, str(tmp_path), "cannot be opened: .*\nLook at the folder, its rights and the space left")
    refused(torch, str(tmp_path / "nowhere" / "observe.db"), "cannot be opened|there is no file")


def test_a_model_that_is_refused_leaves_no_run(torch, file):
    train(torch, file, 1)
    with pytest.raises(TypeError, match="a replicated model"), observe.record(torch.nn.DataParallel(make_model(torch)), file=file):
        pass
    with pytest.raises(TypeError, match="a module is needed, not Tensor"), observe.record(torch.ones(3), file=file):
        pass
    with observe.read(file) as runs:
        assert len(runs) == 1


def test_an_empty_file_may_be_written_and_not_read(torch, file):
    pathlib.Path(file).touch()
    with pytest.raises(observe.NoRunFile, match="is empty"):
        observe.read(file)
    train(torch, file, 2)
    with observe.read(file) as runs:
        assert whole(runs[-1]) == [0, 1]


def test_a_damaged_file_is_refused_or_says_what_is_wrong(torch, file):
    train(torch, file, 30)
    data = bytearray(pathlib.Path(file).read_bytes())
    data[0:16] = b"not a database!!"
    pathlib.Path(file).write_bytes(data)
    refused(torch, file, "is not a file of runs")


# ---------------------------------------------------------------- rights


@pytest.fixture
def folder():
    """A folder that every user may enter; the tests take the right to write from it, and root's processes ``drop()`` theirs."""
    if sys.platform == "win32":
        pytest.skip("rights are POSIX's")
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield pathlib.Path(name)
        os.chmod(name, 0o755)


def test_a_folder_that_may_not_be_written(rushlight, process, folder):
    os.chmod(folder, 0o555)
    made = process(
        "drop()\nran = []\ntry: train(torch, file, spoil=lambda *_: ran.append(1), engine=ENGINE)\n"
        "except observe.NoRunFile as error: print(error, ran)",
        folder / "observe.db",
    )
    out = ended(made)
    assert "cannot be opened: unable to open database file" in out and "Look at the folder" in out and out.strip().endswith("[]")


def test_a_file_and_a_folder_that_may_only_be_read(rushlight, process, folder):
    file = folder / "observe.db"
    train(rushlight, str(file), 4)
    os.chmod(file, 0o444)
    os.chmod(folder, 0o555)
    code = "drop()\nwith observe.read(file) as runs: print(runs[-1].steps, runs[-1].state(), len(runs[-1].at(3)))"
    assert ended(process(code, file)).split() == ["4", "finished", "10"]


def test_a_killed_run_in_a_folder_that_may_only_be_read(rushlight, process, folder):
    """Its newest steps are in the log beside the file. They are read, or the reader is told: they do not vanish."""
    file = folder / "observe.db"
    code = "def spoil(step, model, x):\n    if step == 5: model(x); os.kill(os.getpid(), 9)\ntrain(torch, file, spoil=spoil)"
    assert process(code, file).wait(120) == -signal.SIGKILL
    for part in folder.iterdir():
        os.chmod(part, 0o444)
    os.chmod(folder, 0o555)
    code = (
        "drop()\ntry:\n    with observe.read(file) as runs: print(runs[-1].steps)\n"
        "except observe.NoRunFile as error: print('refused', error)"
    )
    assert ended(process(code, file)).split()[0] == "5"
    os.chmod(folder, 0o755)
    (folder / "observe.db-shm").unlink()
    os.chmod(folder, 0o555)
    out = ended(process(code, file))
    assert out.startswith("refused") and "observe.db-wal" in out, out


# ---------------------------------------------------------------- forks


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_writes_nothing(torch, file):
    model = make_model(torch)
    with observe.watch(model, on="log", values=True, file=file) as seen:
        for step in range(6):
            ((model(torch.ones(3, 4)) - 1) ** 2).mean().backward()
            if step == 3:
                child = os.fork()
                if not child:
                    status = 1
                    try:
                        (model(torch.ones(3, 4)) ** 2).mean().backward()
                        seen.record.writer.stepped(seen.record._recorder.step)
                        seen.__exit__(None, None, None)
                        del seen
                        status = 0
                    finally:
                        os._exit(status)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with observe.read(file) as runs:
        assert len(runs) == 1 and runs[0].steps == 6 and runs[0].state() == "finished"
        assert len(runs[0].alarms) == len({a["text"] for a in runs[0].alarms}), "each once"
        assert runs[0].query("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_that_ends_as_a_program_does(torch, process, file):
    """It runs its exit handlers, and frees what it inherited, while the parent goes on."""
    code = (
        "def spoil(step, model, x):\n"
        "    if step == 3:\n"
        "        child = os.fork()\n"
        "        if not child: sys.exit(7)\n"
        "        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "w = train(torch, file, 8, spoil=spoil, engine=ENGINE)\nprint(w.record.writer.failed)"
    )
    assert ended(process(code, file, engine=torch.__name__)).strip() == "None"
    with observe.read(file) as runs:
        assert len(runs) == 1 and whole(runs[0]) == list(range(8)) and runs[0].state() == "finished"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_workers_of_a_loader(torch, process, file):
    code = (
        "class Data(torch.utils.data.Dataset):\n"
        "    def __len__(self): return 12\n"
        "    def __getitem__(self, i): return torch.ones(4) * i\n"
        "model = make_model(torch)\n"
        "with observe.watch(model, on='log', values=True, file=file) as seen:\n"
        "    for x in torch.utils.data.DataLoader(Data(), batch_size=3, num_workers=2):\n"
        "        loss = ((model(x) - 1.0) ** 2).mean()\n"
        "        loss.backward()\n"
        "print(seen.record.writer.failed)"
    )
    assert ended(process(code, file, engine=torch.__name__)).strip() == "None"
    with observe.read(file) as runs:
        assert len(runs) == 1 and runs[0].steps == 4 and runs[0].state() == "finished"


# ---------------------------------------------------------------- odd numbers and names


def test_a_loss_that_is_nan(torch, file):
    def spoil(step, model, x):
        if step == 2:
            x[0, 0] = math.nan
        if step == 4:
            x[0, 0] = math.inf

    seen = train(torch, file, spoil=spoil)
    assert seen.record.writer.failed is None
    with observe.read(file) as runs:
        steps, values = runs[-1].scalars()["loss"]
        assert steps.tolist() == list(range(6)) and not any(map(math.isfinite, values[2:])) and all(map(math.isfinite, values[:2]))
        assert next(a["step"] for a in runs[-1].alarms if a["kind"] == "value") == 2
        assert runs[-1].series("first.weight", "nan")[1][2] == 24


def test_names_that_are_no_characters(torch, file, monkeypatch):
    """Arguments and file names may have bytes that no text has; the run is written all the same."""
    monkeypatch.setattr(sys, "argv", ["train.py", "data-\udcff.txt"])
    code = "def use(w):\n    odd = w * 2\n    return odd.sum()\n"
    space = {}
    exec(compile(code, "program-\udc80.py", "exec"), space)
    w = torch.ones(3, requires_grad=True)
    with observe.record(file=file, engine=torch.__name__, run="run-\udcfe") as rec:
        space["use"](w).backward()
    assert rec.writer.failed is None
    with observe.read(file) as runs:
        assert runs[-1].program == "train.py data-\\udcff.txt" and runs[-1].name == "run-\\udcfe"
        assert runs[-1].tensor("odd").place == "program-\\udc80.py:2"


def test_empty_zero_dimensional_half_and_complex_tensors(torch, file):
    w = torch.ones(3, requires_grad=True)
    z = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    h = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    with observe.record(file=file, engine=torch.__name__, values=True, keep="statistics") as rec:
        nothing = w[:0] * 2
        total = nothing.sum() + (z * z.conj()).real.sum() + h.exp().float().sum()
        total.backward()
    assert rec.writer.failed is None and rec.notes == []
    with observe.read(file) as runs:
        run = runs[-1]
        assert run.steps == 1 and run.tensor("nothing").shape == (0,) and run.series("nothing", "mean")[1].tolist() != [0.0]
        assert {t.dtype for t in run.tensors} >= {"float32", "complex64", "bfloat16"}


def test_a_thousand_tensors(torch, file):
    w = torch.ones(4, requires_grad=True)
    with observe.record(file=file, engine=torch.__name__, keep="statistics", values=True) as rec:
        for _ in range(2):
            h = w
            for _ in range(500):
                h = h * 1.001 + 0.001
            h.sum().backward()
    assert rec.writer.failed is None
    with observe.read(file) as runs:
        run = runs[-1]
        assert run.steps == 2 and len(run.tensors) == 1002
        assert len(run.at(1)) == 1002 and len(run.at(1, values=True)) == 1001
        (grid,) = run.grid("norm")
        assert grid.values.shape == (1002, 2) and (grid.values > 0).all()


def test_only_each_nth_step_is_written(torch, file):
    train(torch, file, 10, every=4, values=False)
    with observe.read(file) as runs:
        assert whole(runs[-1]) == [0, 4, 8] and not runs[-1].has_values and runs[-1].at(4, values=True) == {}
