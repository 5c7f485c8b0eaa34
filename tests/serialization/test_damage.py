"""Damaged files: an error that names the part, or the same object where the damage means nothing. Never anything else."""

import io
import pickle
import random
import re

import pytest
from tests.serialization.objects import describe
from tests.serialization.test_hostile import attempt

from rushlight.serialization import archive

BASES = ("state_dict.pt", "checkpoint.pt", "shared_views.pt", "nested.pt", "whole_network.pt")
ROUNDS = 2000


def flipped(data, rng, _):
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
    return bytes(made)


def overwritten(data, rng, _):
    at, size = rng.randrange(len(data)), rng.choice((1, 2, 4, 16, 100))
    filling = rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size)))
    return data[:at] + filling[: len(data) - at] + data[at + size :]


def cut_off(data, rng, _):
    return data[: rng.randrange(len(data))]


def cut_out(data, rng, _):
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.choice((1, 3, 64, 128, 1000)) :]


def put_in(data, rng, other):
    at, start = rng.randrange(len(data)), rng.randrange(len(other))
    return data[:at] + other[start : start + rng.choice((1, 4, 64, 500))] + data[at:]


def copied_over(data, rng, _):
    """A piece of the file over another place of the same length."""
    size = rng.choice((4, 16, 46, 64, 200))
    start, at = rng.randrange(len(data) - size), rng.randrange(len(data) - size)
    return data[:at] + data[start : start + size] + data[at + size :]


def spliced(data, rng, other):
    """The front of one file and the back of another, at the same or at any place."""
    at = rng.randrange(len(data))
    return data[:at] + other[rng.choice((at, rng.randrange(len(other)))) :]


def swapped(data, rng, _):
    """Two pieces of the file in each other's place."""
    size = rng.choice((8, 32, 64))
    a, b = sorted(rng.randrange(0, len(data) - size, 8) for _ in range(2))
    if b - a < size:
        return data[: a + size] + data[a:]
    return data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]


WAYS = (flipped, flipped, overwritten, cut_off, cut_out, put_in, copied_over, spliced, swapped)


def test_two_thousand_damaged_files(rushlight, recorded):
    """Half of the reads use the machine that only builds data, half Python's own."""
    rng = random.Random(20240101)
    files = {name: recorded[name] for name in BASES}
    wanted = {name: [describe(attempt(rushlight, data, weights_only=False)[0], rushlight)] for name, data in files.items()}
    same = refused = 0
    for i in range(ROUNDS):
        name, other = rng.choice(BASES), rng.choice(BASES)
        data = rng.choice(WAYS)(files[name], rng, files[other])
        safe = bool(i % 2) and name != "whole_network.pt"
        made, error = attempt(rushlight, data, weights_only=safe)
        if error is None:
            found = describe(made, rushlight)
            assert found in wanted[name] or (found in wanted[other] and data == files[other]), (i, name)
            same += 1
        else:
            assert len(str(error)) > 20 or isinstance(error, EOFError), (i, error)
            refused += 1
    assert same + refused == ROUNDS and refused > ROUNDS // 2


def test_damaged_files_under_the_map(rushlight, recorded, tmp_path):
    """With mmap the elements are not compared with their checksum; all else is."""
    rng = random.Random(7)
    path = tmp_path / "x.pt"
    for _ in range(100):
        path.write_bytes(rng.choice((flipped, cut_off, spliced))(recorded["state_dict.pt"], rng, recorded["checkpoint.pt"]))
        try:
            describe(rushlight.load(path, mmap=True), rushlight)
        except (pickle.UnpicklingError, RuntimeError, EOFError):
            continue


def test_damaged_old_files(rushlight, recorded):
    """The old format has no checksums, so values may change; nothing runs and nothing crashes."""
    rng = random.Random(5)
    for _ in range(500):
        name, other = rng.choice(BASES[:4]), rng.choice(BASES[:4])
        old, another = (recorded[n.replace(".pt", ".old")] for n in (name, other))
        made, error = attempt(rushlight, rng.choice(WAYS)(old, rng, another), weights_only=True)
        assert error is None or made is None


def test_damaged_pickles_behind_right_checksums(rushlight, recorded):
    """Whoever forges a file forges its checksums too; then the machine is on its own. Values may differ, nothing runs."""
    rng = random.Random(3)
    for _ in range(500):
        reader = archive.Reader(io.BytesIO(recorded[rng.choice(BASES[:4])]))
        file = io.BytesIO()
        writer = archive.Writer(file.write, "archive")
        for name in reader.names()[:-2]:
            text = reader.read(name)
            writer.record(name, rng.choice(WAYS)(text, rng, text) if name == "data.pkl" else text)
        writer.close()
        made, error = attempt(rushlight, file.getvalue())
        assert error is None or made is None


RECORDS = ("data.pkl", "byteorder", "data/0", "data/3", "version")


@pytest.mark.parametrize("record", RECORDS)
def test_the_error_names_the_record(record, rushlight, recorded):
    data = recorded["state_dict.pt"]
    at = data.index(f"archive/{record}FB".encode()) + len(f"archive/{record}FB")
    at += 2 + int.from_bytes(data[at : at + 2], "little")
    _, error = attempt(rushlight, data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
    assert isinstance(error, RuntimeError)
    assert re.match(f"PytorchStreamReader failed reading file {re.escape(record)}: file read failed\n", str(error))
    assert "do not match its CRC" in str(error)


def test_a_cut_file_says_so(rushlight, recorded):
    data = recorded["state_dict.pt"]
    for end in (5, 100, len(data) // 2, len(data) - 1):
        _, error = attempt(rushlight, data[:end])
        text = str(error)
        assert text.startswith("PytorchStreamReader failed reading zip archive: failed finding central directory.")
        assert f"The file has {end} bytes" in text and "cut off" in text
    _, error = attempt(rushlight, data + b"more")
    assert "something follows the end" in str(error)


def test_an_old_file_that_is_cut_says_so(rushlight, recorded):
    data = recorded["state_dict.old"]
    _, error = attempt(rushlight, data[:-5])
    assert "unexpected EOF, expected 5 more bytes. The file might be corrupted." in str(error)
    _, error = attempt(rushlight, data[:300])
    assert isinstance(error, (EOFError, pickle.UnpicklingError))
    _, error = attempt(rushlight, b"hello world")
    assert error is not None
    _, error = attempt(rushlight, pickle.dumps([1, 2], 2))
    assert str(error).startswith("Invalid magic number; corrupt file?")


def test_a_record_that_is_gone(rushlight, recorded):
    data = recorded["state_dict.pt"].replace(b"archive/data/1", b"archive/data/x")
    _, error = attempt(rushlight, data)
    assert str(error).startswith("PytorchStreamReader failed locating file data/1: file not found")


def test_a_slow_stream(rushlight, recorded):
    """A stream may give fewer bytes than it is asked for."""

    class Drops(io.BytesIO):
        readinto = None

        def read(self, size=-1):
            return super().read(min(size, 7) if size > 0 else size)

    assert next(iter(rushlight.load(Drops(recorded["state_dict.pt"])))) == "conv.weight"
