"""Where files come from and where storages go: paths, buffers, map_location, mmap, byte order, the switches."""

import gzip
import io
import mmap
import os
import pathlib
import pickle
import tarfile
import types
import zipfile

import pytest

from rushlight.serialization import archive


@pytest.fixture
def from_gpu(rushlight, written):
    """A file whose storages say that they were on a GPU: the tag in its pickle is replaced."""
    data = written(rushlight, rushlight.arange(3.0))
    reader = archive.Reader(io.BytesIO(data))
    file = io.BytesIO()
    writer = archive.Writer(file.write, "archive")
    for name in reader.names():
        if name not in ("version", ".data/serialization_id"):
            text = reader.read(name)
            writer.record(name, text.replace(b"X\3\0\0\0cpu", b"X\6\0\0\0cuda:0"))
    writer.close()
    return file.getvalue()


def test_paths(torch, tmp_path):
    for path in (tmp_path / "a.pt", str(tmp_path / "b"), tmp_path / "ünï.pt", tmp_path / ".pt"):
        torch.save([torch.ones(2)], path) if path != tmp_path / ".pt" else None
        if path != tmp_path / ".pt":
            assert torch.load(path)[0].tolist() == [1, 1]
    with open(tmp_path / "c", "wb") as file:
        torch.save(1, file)
    with open(tmp_path / "c", "rb") as file:
        assert torch.load(file) == 1
    assert sorted(os.listdir(tmp_path)) == ["a.pt", "b", "c", "ünï.pt"]


def test_a_name_that_is_only_an_ending(rushlight, tmp_path):
    rushlight.save(5, tmp_path / ".pt")
    assert rushlight.load(tmp_path / ".pt") == 5


def test_a_checkpoint_behind_other_bytes(torch):
    file = io.BytesIO()
    file.write(b"header")
    torch.save(torch.ones(2), file)
    file.seek(6)
    assert torch.load(file).tolist() == [1, 1]


def test_old_checkpoints_follow_one_another(torch, tmp_path):
    file = io.BytesIO()
    for i in range(3):
        torch.save(torch.full((2,), float(i)), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert [torch.load(file)[0].item() for _ in range(3)] == [0.0, 1.0, 2.0]


def test_files_that_are_decompressed_on_the_way(rushlight, tmp_path):
    """PyTorch reads the old format from them; rushlight both."""
    for how in (True, False):
        with gzip.open(tmp_path / "x.gz", "wb") as file:
            rushlight.save(rushlight.ones(3), file, _use_new_zipfile_serialization=how)
            if not how:
                rushlight.save(rushlight.zeros(2), file, _use_new_zipfile_serialization=False)
        with gzip.open(tmp_path / "x.gz", "rb") as file:
            assert rushlight.load(file).tolist() == [1, 1, 1]
            assert how or rushlight.load(file).tolist() == [0, 0]


def test_the_oldest_format_is_refused(torch, tmp_path, fails):
    path = tmp_path / "old.tar"
    with tarfile.open(path, "w") as tar:
        for name in ("storages", "tensors", "pickle"):
            tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    with fails(RuntimeError, "Cannot use ``weights_only=True`` with files saved in the legacy .tar format. "):
        torch.load(path)


def test_refusals(torch, tmp_path, fails):
    with fails(RuntimeError, f"Parent directory {tmp_path}/none does not exist."):
        torch.save(1, tmp_path / "none" / "x.pt")
    with fails(FileNotFoundError):
        torch.load(tmp_path / "none.pt")
    with fails(AttributeError, "expected 'f' to be string, path, or a file-like object with a 'write' attribute"):
        torch.save(1, 5)
    with fails(AttributeError, "'int' object has no attribute 'seek'. You can only torch.load from a file that is see"):
        torch.load(5)
    with fails(EOFError):
        torch.load(io.BytesIO())
    with pytest.raises(Exception, match="cannot pickle"):
        torch.save(torch.channels_last, io.BytesIO())


def test_a_stream_that_cannot_go_back(torch):
    class Stream(io.BytesIO):
        """Like a socket."""

        def seek(self, *_):
            raise io.UnsupportedOperation("seek")

    with pytest.raises(io.UnsupportedOperation, match="^seek. You can only torch.load from a file that is seekable"):
        torch.load(Stream(b"PK"))


def test_a_gpu_that_is_not_there(torch, from_gpu, fails):
    text = (
        "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on "
        "a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
    )
    with fails(RuntimeError, text):
        torch.load(io.BytesIO(from_gpu))


def test_map_location(torch, from_gpu, fails):
    tags = []

    def keep(storage, tag):
        tags.append((tag, storage.nbytes()))
        return storage

    for where in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, keep):
        assert torch.load(io.BytesIO(from_gpu), map_location=where).tolist() == [0.0, 1.0, 2.0]
    assert tags == [("cuda:0", 12)]
    with fails(RuntimeError, "Attempting to deserialize object on a CUDA device"):
        torch.load(io.BytesIO(from_gpu), map_location=lambda storage, tag: None)
    for tag, text in {
        "xpu:0": "Attempting to deserialize object on a XPU device but torch.xpu.is_available() is False.",
        "hpu": "The HPU device module is not registered.",
        "mps": "torch.UntypedStorage(): Storage device not recognized: mps",
        "elsewhere": "don't know how to restore data location of torch.storage.UntypedStorage (tagged with elsewhere)",
    }.items():
        with fails(RuntimeError, text):
            torch.load(io.BytesIO(from_gpu), map_location=tag)


def test_tags_of_ones_own(rushlight, from_gpu, monkeypatch):
    from rushlight.serialization import locations

    monkeypatch.setattr(locations, "_registry", list(locations._registry))
    rushlight.serialization.register_package(5, lambda s: "mine:1", lambda s, tag: s if tag == "mine:1" else None)
    file = io.BytesIO()
    rushlight.save(rushlight.ones(1), file)
    assert b"mine:1" in file.getvalue()
    assert rushlight.load(file).tolist() == [1.0] if file.seek(0) == 0 else False
    assert rushlight.serialization.location_tag(rushlight.ones(1).untyped_storage()) == "mine:1"


def test_mmap(torch, tmp_path, fails):
    path = tmp_path / "x.pt"
    torch.save({"a": torch.arange(1000.0), "b": torch.ones(2, dtype=torch.bfloat16)}, path)
    before = path.read_bytes()
    got = torch.load(path, mmap=True)
    assert got["a"][999] == 999 and got["b"].tolist() == [1, 1]
    got["a"][0] = 5.0  # private: the file keeps its own
    assert got["a"][0] == 5 and path.read_bytes() == before
    with fails(ValueError, "f must be a file path in order to use the mmap argument"):
        torch.load(io.BytesIO(before), mmap=True)
    torch.save(1, path, _use_new_zipfile_serialization=False)
    with fails(RuntimeError, f"mmap can only be used with files saved with `torch.save({path}, _use_new_zipfile_serial"):
        torch.load(str(path), mmap=True)


def test_mmap_shared(torch, tmp_path, fails):
    path = tmp_path / "x.pt"
    torch.save(torch.arange(10.0), path)
    with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        x = torch.load(path, mmap=True)
        x[0] = 7.0
        del x
    assert torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    with fails(ValueError, "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MA"):
        torch.serialization.set_default_mmap_options(55)
    assert path.read_bytes().count(b"\0\0\xe0\x40\0\0\x80\x3f")  # 7.0, 1.0


def test_mapped_data_are_aligned(rushlight, tmp_path):
    path = tmp_path / "x.pt"
    rushlight.save([rushlight.ones(3, dtype=rushlight.uint8), rushlight.ones(3, dtype=rushlight.complex128)], path)
    with open(path, "rb") as file:
        reader = archive.Reader(file)
        assert all(reader.offset(reader.find(name)) % 64 == 0 for name in reader.names())


def test_the_other_byte_order(rushlight, recorded):
    """A file of a big-endian machine: its storages swapped, its mark changed."""
    reader = archive.Reader(io.BytesIO(recorded["int32.pt"]))
    file = io.BytesIO()
    writer = archive.Writer(file.write, "archive")
    for name in reader.names()[:-2]:
        text = reader.read(name)
        if name == "data/0":
            text = b"".join(text[i : i + 4][::-1] for i in range(0, len(text), 4))
        if name != "byteorder":
            writer.record(name, text)
    writer.record("byteorder", b"big")
    writer.close()
    assert rushlight.load(io.BytesIO(file.getvalue())).tolist() == [0, 1, 5, 117]
    big = rushlight.serialization.LoadEndianness.BIG
    rushlight.serialization.set_default_load_endianness(big)
    try:
        assert rushlight.serialization.get_default_load_endianness() is big
        assert rushlight.load(io.BytesIO(recorded["int32.pt"])).tolist() == [0, 1, 5, 117]  # it has its mark
    finally:
        rushlight.serialization.set_default_load_endianness(None)


def test_no_mark_of_byte_order(torch, fails):
    file = io.BytesIO()
    torch.save(torch.ones(2), file, _disable_byteorder_record=True)
    assert zipfile.ZipFile(file).namelist()[-2].endswith("byteorder")  # it is written all the same, later
    file.seek(0)
    assert torch.load(file).tolist() == [1, 1]


def test_without_checksums(rushlight, recorded, written):
    assert rushlight.load(io.BytesIO(recorded["no_crc.pt"])).tolist() == [0, 1, 2, 3, 4]
    assert rushlight.serialization.get_crc32_options() is True
    rushlight.serialization.set_crc32_options(False)
    try:
        data = written(rushlight, rushlight.ones(2))
    finally:
        rushlight.serialization.set_crc32_options(True)
    assert {r.crc for r in archive.Reader(io.BytesIO(data))._records.values()} == {0}
    assert rushlight.load(io.BytesIO(data)).tolist() == [1, 1]


def test_skip_data(torch, fails):
    file = io.BytesIO()
    with torch.serialization.skip_data():
        torch.save(torch.ones(2), file) if torch.__name__ == "rushlight" else None
    if torch.__name__ == "rushlight":
        file.seek(0)
        assert torch.load(file).tolist() == [0, 0]
        file.seek(0)
        with torch.serialization.skip_data():
            assert torch.load(file).shape == (2,)
    with torch.serialization.skip_data(), fails(RuntimeError, "Cannot use skip_data=True with _use_new_zipfile"):
        torch.save(1, io.BytesIO(), _use_new_zipfile_serialization=False)


def test_environment(torch, monkeypatch, written, warned, fails):
    data = written(torch, torch.nn.Linear(1, 1))
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    texts = warned(lambda: torch.load(io.BytesIO(data)))
    assert texts[0].startswith("Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected")
    with fails(pickle.UnpicklingError, "Weights only load failed."):
        torch.load(io.BytesIO(data), weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "yes")
    with fails(RuntimeError, "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should"):
        torch.load(io.BytesIO(data))
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with fails(pickle.UnpicklingError, "Weights only load failed."):
        torch.load(io.BytesIO(data), weights_only=False)


def test_load_arguments(torch, written, warned):
    data = written(torch, "ä")
    assert torch.load(io.BytesIO(data), weights_only=False, encoding="latin1") == "ä"
    assert warned(lambda: torch.load(io.BytesIO(data), encoding="latin1")) == [
        "pickle_load_args only works if `weights_only=False`."
    ]


def test_import_is_quick(fresh_process):
    """Files are a corner that loads when it is asked for."""
    code = "import sys\nprint(any(n.startswith('rushlight.serialization') for n in sys.modules))\ntorch.save\n"
    assert fresh_process(code).strip() == "False"


def test_pathlib_subclasses(torch, tmp_path):
    class Odd(pathlib.PurePosixPath):
        """A path that only has __fspath__."""

    torch.save(3, Odd(tmp_path / "x"))
    assert torch.load(Odd(tmp_path / "x")) == 3


def test_helpers(torch, fails, warned):
    s = torch.serialization
    with s.mkdtemp() as folder:
        assert os.path.isdir(folder)
    assert not os.path.exists(folder)
    module = types.SimpleNamespace(__name__="thing", __version__="1.x")
    assert s.check_module_version_greater_or_equal(module, (1,)) and not s.check_module_version_greater_or_equal(module, (2,))
    text = "'thing' module version string is malformed '1.x' and cannot be compared with tuple (1, 2)"
    with fails(RuntimeError, text):
        s.check_module_version_greater_or_equal(module, (1, 2))
    assert warned(lambda: s.check_module_version_greater_or_equal(module, (1, 2), False))[0].startswith(text)
    assert s.normalize_storage_type(torch.UntypedStorage) is torch.UntypedStorage
    with fails(RuntimeError, "Attempting to deserialize object on a CUDA device"):
        s.validate_cuda_device("cuda:0")
    with fails(ValueError, "Expected a cuda device, but got: cpu"):
        s.validate_cuda_device("cpu")
    with fails(RuntimeError, "The HPU device module is not registered."):
        s.validate_hpu_device("hpu:0")
