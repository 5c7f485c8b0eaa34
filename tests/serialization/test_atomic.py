"""A save that is stopped leaves the old file whole: by an error, by a full disk, by SIGKILL at any moment."""

import os
import pathlib
import pickle
import random
import signal
import stat
import subprocess
import sys
import time

import pytest

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"

SAVER = """
import sys
import rushlight as torch
path, number = sys.argv[1], int(sys.argv[2])
obj = [torch.full((1 << 18,), number, dtype=torch.int32) for _ in range(8)]
print("ready", flush=True)
sys.stdin.readline()
while True:
    number += 1
    for t in obj:
        t.fill_(number)
    torch.save({"number": number, "tensors": obj}, path)
    print(number, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_in_the_middle_of_a_save(rushlight, tmp_path):
    path = tmp_path / "model.pt"
    rushlight.save({"number": 0, "tensors": [rushlight.zeros(3, dtype=rushlight.int32)]}, path)
    rng, caught = random.Random(1), 0
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])}
    for i in range(5):
        start = 100 * (i + 1)
        process = subprocess.Popen(
            [sys.executable, "-c", SAVER, str(path), str(start)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env,
        )  # fmt: skip
        try:
            assert process.stdout.readline() == "ready\n"
            process.stdin.write("\n")
            process.stdin.flush()
            size = rng.randrange(1, 8 << 20)
            deadline = time.monotonic() + 20
            while not any(os.stat(p).st_size >= size for p in parts(tmp_path)) and time.monotonic() < deadline:
                time.sleep(0)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            done = process.communicate()[0].split()
        left = parts(tmp_path)
        caught += bool(left)
        found = rushlight.load(path)
        known = int(done[-1]) if done else None
        assert found["number"] >= (known or 0)
        assert all(bool((t == found["number"]).all()) for t in found["tensors"])
        for part in left:
            os.unlink(part)
    assert caught >= 2, "too few of the kills met a save that was under way"


def parts(folder):
    """The files of saves that are not complete."""
    found = []
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.endswith(".partial") and os.path.exists(path):
            found.append(path)
    return found


def test_an_error_leaves_the_old_file(rushlight, tmp_path):
    path = tmp_path / "model.pt"
    rushlight.save(1, path)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        rushlight.save([rushlight.ones(3), lambda: None], path)
    assert rushlight.load(path) == 1 and os.listdir(tmp_path) == ["model.pt"]


def test_a_full_disk_leaves_the_old_file(rushlight, tmp_path, monkeypatch):
    path = tmp_path / "model.pt"
    rushlight.save(1, path)
    from rushlight.serialization import writing

    class Full(writing.Writer):
        def close(self):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "Writer", Full)
    with pytest.raises(OSError, match="No space left"):
        rushlight.save(rushlight.ones(1000), path)
    monkeypatch.undo()
    assert rushlight.load(path) == 1 and os.listdir(tmp_path) == ["model.pt"]


def test_links_and_rights_stay(rushlight, tmp_path):
    path, link = tmp_path / "model.pt", tmp_path / "link.pt"
    rushlight.save(1, path)
    usual = os.umask(0)
    os.umask(usual)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o666 & ~usual
    os.chmod(path, 0o640)
    link.symlink_to(path)
    rushlight.save(2, link)
    assert link.is_symlink() and rushlight.load(path) == 2
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640


def test_whoever_mapped_the_old_file_keeps_it(rushlight, tmp_path):
    path = tmp_path / "model.pt"
    rushlight.save(rushlight.ones(5000), path)
    old = rushlight.load(path, mmap=True)
    rushlight.save(rushlight.zeros(2), path)
    assert old.sum() == 5000 and rushlight.load(path).sum() == 0


def test_devices_are_written_directly(rushlight):
    rushlight.save(rushlight.ones(3), os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_folder_is_no_file(rushlight, tmp_path, fails):
    with fails(RuntimeError, f"File {tmp_path} cannot be opened."):
        rushlight.save(1, tmp_path)
