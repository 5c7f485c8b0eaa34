"""The file of a run: what a recording saw of each step, in SQLite, written as the run goes.

One file holds any number of runs, of one process after the other or of several at once. Each step is one transaction, committed when
the step is over: whoever reads sees whole steps, during the run as well, and a process that is killed leaves every step that
it finished. The log (SQLite's WAL) is not forced to the disk at each step: what is lost when the *machine* stops are the last moments,
never the file.

Nothing here may harm the training. A file that cannot be used is refused before the run starts. What goes wrong later ends in a note
of the record. While another process writes, steps wait in memory; one that holds the file for long is asked only in passing, and once
too much waits the newest steps are left out and counted. A disk that is full ends the writing, not the run.
"""

import contextlib
import linecache
import os
import pathlib
import platform
import sqlite3
import sys
import time

import numpy as np

from .names import UNKNOWN

__all__ = ["Writer", "NoRunFile", "connect", "outcome_of", "FORMAT"]

APPLICATION = 0x52534C54  # tells such a file from other databases
FORMAT = 1
_PATIENCE = 0.2  # seconds that a step may wait for another process; then it is kept for the next try
_HELD = 0.02  # the same for the steps after it, until one succeeds: a lock that is held for long must not cost so much at each step
_LAST_PATIENCE = 10.0  # at the end
_SMALLEST = 512  # bytes of a database
_GRAPHS = 1000  # different graphs that are written; a program whose graph is new in each step must not fill the disk
_WAITING = 100_000  # rows that wait in memory at most

_TABLES = """
CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT NOT NULL, program TEXT NOT NULL, engine TEXT NOT NULL, versions TEXT NOT NULL,
    process INTEGER NOT NULL, started REAL NOT NULL, ended REAL, outcome TEXT);
CREATE TABLE tensors (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
    path TEXT NOT NULL, call INTEGER NOT NULL, op TEXT NOT NULL, variable TEXT, outputs TEXT NOT NULL, file TEXT, line INTEGER, source TEXT,
    shape TEXT NOT NULL, dtype TEXT NOT NULL, UNIQUE (run, name));
CREATE TABLE edges (graph INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (graph, source, target))
    WITHOUT ROWID;
CREATE TABLE steps (run INTEGER NOT NULL, step INTEGER NOT NULL, seconds REAL NOT NULL, tensors INTEGER NOT NULL,
    reached INTEGER NOT NULL, graph INTEGER, PRIMARY KEY (run, step)) WITHOUT ROWID;
CREATE TABLE scalars (run INTEGER NOT NULL, name TEXT NOT NULL, step INTEGER NOT NULL, value REAL,
    PRIMARY KEY (run, name, step)) WITHOUT ROWID;
CREATE TABLE figures (tensor INTEGER NOT NULL, of_value INTEGER NOT NULL, step INTEGER NOT NULL, arrivals INTEGER NOT NULL,
    size INTEGER, norm REAL, mean REAL, std REAL, low REAL, high REAL, zeros INTEGER, nan INTEGER, inf INTEGER, weight_norm REAL,
    update_norm REAL, curve BLOB, PRIMARY KEY (tensor, of_value, step)) WITHOUT ROWID;
CREATE TABLE alarms (run INTEGER NOT NULL, step INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, file TEXT, line INTEGER,
    source TEXT, text TEXT NOT NULL);
CREATE TABLE notes (run INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, text)) WITHOUT ROWID;
"""


class NoRunFile(RuntimeError):
    """A file cannot be used as a run's: it is something else, of a newer version, or not to be opened. The message says what to do."""


def connect(file, write=False):
    """A connection to a run file, which is made if ``write``. NoRunFile for what is not one."""
    path = pathlib.Path(file).absolute()
    if not write and not path.exists():
        raise NoRunFile(f"there is no file {os.fspath(file)!r}\nrushlight run --observe={os.fspath(file)} SCRIPT makes one.")
    if path.is_file() and 0 < path.stat().st_size < _SMALLEST:  # SQLite takes a file of one byte for an empty one
        raise NoRunFile(f"{os.fspath(file)!r} is not a file of runs\nGive another name; rushlight writes over nothing.")
    try:
        connection = _opened(path, write)
        try:
            _check(connection, file, write)
        except BaseException:
            connection.close()
            raise
    except sqlite3.OperationalError as error:
        raise NoRunFile(f"{os.fspath(file)!r} cannot be opened: {error}\nLook at the folder, its rights and the space left.") from error
    except sqlite3.DatabaseError as error:
        raise NoRunFile(f"{os.fspath(file)!r} is not a file of runs: {error}\nGive another name; rushlight writes over nothing.") from error
    return connection


def _opened(path, write):
    modes = ["rwc"] if write else ["rw", "ro"] if os.access(path, os.W_OK) else ["ro", "ro&immutable=1"]
    for mode in modes:
        connection = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, timeout=5.0, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master")
            return connection
        except sqlite3.OperationalError:
            connection.close()
            if mode == modes[-1]:
                raise
            log = path.with_name(path.name + "-wal")
            if mode == "ro" and log.exists() and log.stat().st_size:  # an immutable file is read without its log
                raise NoRunFile(
                    f"the newest steps of {os.fspath(path)!r} are in {log.name} beside it, and cannot be read in a folder that may not be "
                    "written\nCopy both files to another folder, and read them there."
                ) from None
    raise AssertionError("unreachable")


def _check(connection, file, write):
    shown = os.fspath(file)
    if write:
        connection.execute("BEGIN IMMEDIATE")  # of two processes that make the file one is first
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if empty and write and not application:
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute(f"PRAGMA user_version={FORMAT}")
    elif application != APPLICATION:
        raise NoRunFile(f"{shown!r} is {'empty' if empty else 'a database of something else'}\nGive the name of a file of runs.")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > FORMAT:
        raise NoRunFile(
            f"{shown!r} was written by a newer rushlight: its format is {found}, and this one knows up to {FORMAT}"
            "\nInstall the newer version, or write to another file."
        )
    if write:
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode=WAL")  # where the file system lacks it SQLite stays with its rollback journal
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA busy_timeout={int(_PATIENCE * 1000)}")


def outcome_of(error):
    """How a run ended, in a few words: the file's ``outcome``, which stays empty while it runs and when it is killed."""
    if error is None or isinstance(error, SystemExit) and not error.code:
        return "finished"
    try:
        text = str(error).partition("\n")[0]
    except Exception as second:  # an error of the program whose own text fails: its end must not become another error
        text = f"its text raised {type(second).__name__}"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _clean(text):
    """A text that a database can hold: file names and arguments may have bytes that are no characters."""
    return text if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


class Writer:
    """Writes the steps of a recording into a file.

    ``opened`` makes the run's row; ``stepped`` writes a step that is over, ``alarm`` an alarm at once, ``closed`` what remains.
    After an error of the file ``failed`` says which, and nothing more is written.
    """

    def __init__(self, file, record, name=None):
        self.file, self.record, self.name, self._given = os.fspath(file), record, name, name
        self._begin()

    def _begin(self):
        self.process, self.run, self.failed, self._begun = os.getpid(), None, None, False
        self.steps = 0  # how many are in the file
        self._connection = None
        self._tensors, self._graphs, self._noted = {}, {}, set()
        self._number = 0
        self._waiting, self._rows, self._whole, self._dropped = [], 0, 0, 0
        self._patience = _PATIENCE

    # ---------------------------------------------------------------- beginning and end

    def opened(self):
        """Begin the run; a recording that is opened again makes another. NoRunFile if the file cannot be used."""
        self._begin()
        if self.record.entries:
            self.record._forget()  # they are of the run before
        self._connection = connect(self.file, write=True)
        program = sys.argv[0] if sys.argv and sys.argv[0] else "(interactive)"
        self.started = time.time()
        versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
        try:
            self._connection.execute("PRAGMA busy_timeout=5000")
            self._connection.execute("BEGIN IMMEDIATE")
            highest = self._connection.execute("SELECT coalesce(max(id), 0) FROM runs").fetchone()[0]
            self.name = self._given or f"{os.path.basename(program)} {highest + 1}"
            self.run = self._connection.execute(
                "INSERT INTO runs (name, program, engine, versions, process, started) VALUES (?, ?, ?, ?, ?, ?)",
                (
                    _clean(self.name),
                    _clean(" ".join([program, *sys.argv[1:]])),
                    self.record.engine.name,
                    versions,
                    self.process,
                    self.started,
                ),
            ).lastrowid
            self._connection.execute("COMMIT")
            self._begun = True
            self._connection.execute(f"PRAGMA busy_timeout={int(_PATIENCE * 1000)}")
        except sqlite3.Error as error:
            self._connection.close()
            raise NoRunFile(f"{self.file!r} cannot be written: {error}\nLook at the space left, or give another file.") from error

    def closed(self, outcome):
        """Write what waits, and how the run ended."""
        if not self._begun or self._in_child():
            return
        self._begun = False
        if self._connection is None:  # the writing failed; that the run ended is little, and may find its place
            try:
                self._connection = connect(self.file, write=True)
            except NoRunFile as error:
                self.failed += f"; {error}"
                return
            self._noted.clear()
        self._patience = _LAST_PATIENCE
        if self._rows or self._dropped:
            self._flush()  # the notes tell of what does not arrive
        self._waiting.append(("UPDATE runs SET ended = ?, outcome = ? WHERE id = ?", [(time.time(), _clean(outcome), self.run)]))
        self._write_notes(self.record.skipped_notes())
        if self._connection is not None:
            self._flush()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _in_child(self):
        """A forked process has the parent's connection, which is not its to use."""
        return os.getpid() != self.process

    # ---------------------------------------------------------------- while it runs

    def stepped(self, step):
        """A step is over: write its tensors and scalars.

        Gradients may come late: to what was computed in an earlier step, by a pass of this one. Those rows are written again.
        """
        if self._connection is None or self._in_child():
            return
        late = [e for e in self.record.entries if e.stored is not None]
        entries = [e for e in self.record.entries if e.stored is None and e.step == step]
        if late:
            self._again(late)
        if not entries:
            if late:
                self._flush()
            return
        if self._rows + len(entries) > _WAITING:
            self._flush()
            if self._rows:
                self._dropped += 1
                return
        names = self.record._names_by_position()
        numbers = {e.position: self._tensor(e, names[e.position]) for e in entries}
        rows = []
        for e in entries:
            e.stored = numbers[e.position]
            rows.append(_row(e.stored, 0, e, e.statistics))
            if e.value is not None:
                rows.append(_row(e.stored, 1, e, e.value))
        seconds = time.time() - self.started
        reached = sum(1 for e in entries if e.arrivals)
        graph = self._graph(entries, numbers)
        self._waiting += [
            (_FIGURES, rows),
            ("INSERT OR REPLACE INTO scalars VALUES (?, ?, ?, ?)", self._scalars(step)),
            ("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?, ?)", [(self.run, step, seconds, len(entries), reached, graph)]),
        ]
        self._rows += len(rows)
        self._whole += 1
        self._write_notes()
        self._flush()

    def _again(self, late):
        """Rows that were written already, to which a gradient came since."""
        first = {}
        for e in late:
            if e.arrivals == 1:
                first[e.step] = first.get(e.step, 0) + 1
        self._waiting += [
            (_FIGURES, [_row(e.stored, 0, e, e.statistics) for e in late]),
            ("UPDATE steps SET reached = reached + ? WHERE run = ? AND step = ?", [(n, self.run, step) for step, n in first.items()]),
        ]
        self._rows += len(late)

    def _graph(self, entries, numbers):
        """The number of the step's graph. Most steps have the graph of the one before, which is written once."""
        edges = {(e.stored, numbers[p]) for e in entries for p in e.used_by if p in numbers}
        recorder = self.record._recorder
        for leaf, positions in recorder.leaves.users.items():
            entry = recorder.by_leaf.get(leaf)
            if entry is not None and entry.position in numbers:
                edges.update((entry.stored, numbers[p]) for p in positions if p in numbers)
        key = hash(frozenset(edges))
        found = self._graphs.get(key)
        if found is None and len(self._graphs) < _GRAPHS:
            found = self._graphs[key] = self.run << 32 | len(self._graphs)
            self._waiting.append(("INSERT OR IGNORE INTO edges VALUES (?, ?, ?)", [(found, *edge) for edge in edges]))
        return found

    def alarm(self, alarm):
        """Write an alarm at once: the program may end here."""
        if self._connection is None or self._in_child():
            return
        place = alarm.place or UNKNOWN
        self._waiting.append(
            (
                "INSERT INTO alarms VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        self.run,
                        alarm.step,
                        alarm.kind,
                        _clean(alarm.name),
                        _clean(place.file or None),
                        place.line or None,
                        _source(place),
                        _clean(alarm.text),
                    )
                ],
            )
        )
        self._flush()

    def _tensor(self, entry, name):
        """The number of a tensor in the file. One is what has one name in one run."""
        found = self._tensors.get(name)
        if found is not None:
            return found
        self._number += 1
        number = self._tensors[name] = self.run << 32 | self._number  # so the processes need not ask one another
        place = entry.place or UNKNOWN
        self._waiting.append(
            (
                "INSERT OR IGNORE INTO tensors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        number,
                        self.run,
                        entry.position,
                        _clean(name),
                        entry.kind,
                        _clean(entry.path),
                        entry.call,
                        entry.op,
                        _clean(entry.variable),
                        _clean("".join(f"{path}\n" for path in entry.outputs)),  # the path of a model that is given is empty
                        _clean(place.file or None),
                        place.line or None,
                        _source(place),
                        "x".join(map(str, entry.shape)),
                        entry.dtype,
                    )
                ],
            )
        )
        return number

    def _scalars(self, step):
        rows, counts = [], {}
        for name, value in self.record._recorder.scalars:
            number = counts[name] = counts.get(name, -1) + 1
            rows.append((self.run, _clean(f"{name}#{number}" if number else name), step, value))
        return rows

    def _write_notes(self, more=()):
        fresh = [n for n in [*self.record.notes, *more] if n not in self._noted]
        if fresh:
            self._noted.update(fresh)
            self._waiting.append(("INSERT OR IGNORE INTO notes VALUES (?, ?)", [(self.run, _clean(n)) for n in fresh]))

    def _flush(self):
        """Write all that waits in one transaction, so that a step is there as a whole or not at all."""
        connection = self._connection
        try:
            connection.execute(f"PRAGMA busy_timeout={int(self._patience * 1000)}")
            connection.execute("BEGIN IMMEDIATE")
            for statement, rows in self._waiting:
                connection.executemany(statement, rows)
            connection.execute("COMMIT")
        except Exception as error:
            _roll_back(connection)
            busy = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
            if busy and self._patience != _LAST_PATIENCE and not connection.in_transaction:
                self._patience = _HELD
            else:
                self._fail(error)
        except BaseException:  # the program is interrupted here
            if connection.in_transaction:
                _roll_back(connection)  # what waits is written at the end
            else:
                self._written()
            raise
        else:
            self._written()

    def _written(self):
        self.steps += self._whole
        self._waiting.clear()
        self._rows = self._whole = 0
        if self._patience == _HELD:
            self._patience = _PATIENCE
        if self._dropped:
            self.record._note(f"{self._dropped} steps are not in the file: another process held {self.file} for too long.")
            self._dropped = 0

    def _fail(self, error):
        self.failed = f"{type(error).__name__}: {error}"
        self.record._note(
            f"The file {self.file} could not be written after {self.steps} step{'' if self.steps == 1 else 's'} ({error}). What was "
            "written until then is kept; the run went on."
        )
        self._waiting.clear()
        self._rows = self._whole = 0
        try:
            self._connection.close()
        except sqlite3.Error as second:  # closing writes the log back, and the disk is still full
            self.failed += f"; {second}"
        self._connection = None


_FIGURES = f"INSERT OR REPLACE INTO figures VALUES ({', '.join('?' * 16)})"


def _row(number, of_value, entry, found):
    head = (number, of_value, entry.step, entry.arrivals)
    tail = (entry.weight_norm, entry.update)
    if found is None:
        return (*head, None, None, None, None, None, None, None, None, None, *tail, None)
    curve = found.curve()
    return (
        *head,
        found.size,
        found.norm,
        found.mean,
        found.std,
        found.min,
        found.max,
        found.zeros,
        found.nan,
        found.inf,
        *tail,
        None if curve is None else np.ascontiguousarray(curve, "<f4").tobytes(),
    )


def _source(place):
    """The text of a line of the program, as long as its file can be read."""
    return _clean(linecache.getline(place.file, place.line).strip()) or None if place.file and place.line else None


def _roll_back(connection):
    if connection.in_transaction:
        with contextlib.suppress(sqlite3.Error):  # it may have rolled back by itself, as when the disk is full
            connection.execute("ROLLBACK")
