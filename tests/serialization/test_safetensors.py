"""Files of the safetensors library: by `load`, and by the library's own torch module under the alias."""

import pytest

pytest.importorskip("safetensors")

PROGRAM = """
import rushlight.compat
rushlight.compat.install()
import torch
import safetensors.torch as st

sd = {d: torch.tensor([[0, 1], [2, 3]]).to(getattr(torch, d)) for d in
      "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64".split()}
sd["empty"], sd["scalar"] = torch.empty(0, 3), torch.tensor(2.5)

def same(got):
    assert set(got) == set(sd)
    for name, x in sd.items():
        y = got[name]
        assert (y.dtype, y.shape, y.tolist()) == (x.dtype, x.shape, x.tolist()), name

st.save_file(sd, "x.safetensors", metadata={"format": "pt"})
same(st.load_file("x.safetensors"))
same(st.load_file("x.safetensors", backend="pread"))
same(st.load(st.save(sd)))
same(torch.load("x.safetensors"))
with st.safe_open("x.safetensors", framework="pt") as f:
    assert f.metadata() == {"format": "pt"}
    piece = f.get_slice("float32")
    assert piece.get_shape() == [2, 2] and piece[:, 1:].tolist() == [[1.0], [3.0]]

class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        self.b.weight = self.a.weight

one, two = Tied(), Tied()
st.save_model(one, "m.safetensors")
assert st.load_model(two, "m.safetensors") == (set(), [])
assert two.b.weight.tolist() == one.a.weight.tolist()
for wrong, kind in (({"a": sd["int8"], "b": sd["int8"]}, RuntimeError), ({"a": sd["int8"].t()}, ValueError)):
    try:
        st.save_file(wrong, "y.safetensors")
    except kind:
        pass
    else:
        raise AssertionError(wrong)
print("done")
"""


def test_the_library_under_the_alias(fresh_process, monkeypatch, tmp_path, torch):
    if torch.__name__ != "rushlight":
        return
    monkeypatch.chdir(tmp_path)
    assert fresh_process(PROGRAM).strip() == "done"


def test_load_reads_them(torch, rushlight, tmp_path, fails):
    import numpy as np
    import safetensors.numpy

    path = tmp_path / "x.safetensors"
    safetensors.numpy.save_file({"a": np.arange(6.0).reshape(2, 3), "b": np.array([True])}, path)
    got = torch.load(path)
    assert got["a"].tolist() == [[0, 1, 2], [3, 4, 5]] and got["b"].dtype is torch.bool
    assert torch.load(path, map_location=torch.device("cpu"))["b"].item() is True
    with fails(RuntimeError, "Loading safetensors file with dict map_location is not supported."):
        torch.load(path, map_location={})
    with fails(RuntimeError, "Loading safetensors file with callable map_location is not supported."):
        torch.load(path, map_location=lambda s, t: s)
    rushlight.load(path)["a"].add_(1)  # the memory is the tensor's own


def test_without_the_library(rushlight, tmp_path, monkeypatch, fails):
    import sys

    monkeypatch.setitem(sys.modules, "safetensors", None)
    (tmp_path / "x.safetensors").write_bytes(b"")
    with fails(RuntimeError, "Attempting to load a safetensors file but safetensors is not installed."):
        rushlight.load(tmp_path / "x.safetensors")


def test_storages_from_files(torch, tmp_path, fails):
    path = tmp_path / "x"
    path.write_bytes(bytes(range(10)))
    storage = torch.UntypedStorage.from_file(str(path), shared=False, nbytes=10)
    assert storage.tolist() == list(range(10))
    assert torch.asarray(storage[2:6], dtype=torch.uint8).tolist() == [2, 3, 4, 5]
    storage[0] = 9
    assert path.read_bytes()[0] == 0
    shared = torch.UntypedStorage.from_file(str(path), shared=True, nbytes=10)
    shared[0] = 9
    del shared
    assert path.read_bytes()[0] == 9
    torch.UntypedStorage.from_file(str(tmp_path / "new"), shared=True, nbytes=4)
    assert (tmp_path / "new").read_bytes() == bytes(4)
