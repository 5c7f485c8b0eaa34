"""What the tests of files share."""

import io
import pathlib
import warnings
import zipfile

import pytest

RECORDED = pathlib.Path(__file__).resolve().parent.parent / "golden" / "serialization" / "recorded.zip"


@pytest.fixture(scope="session")
def recorded():
    """{name: bytes} of files that the real PyTorch wrote."""
    with zipfile.ZipFile(RECORDED) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def real():
    """The real PyTorch, where it is installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("torch")


@pytest.fixture
def written():
    """`written(torch, obj, **how)`: the bytes that an engine's save writes."""

    def write(torch, obj, **how):
        file = io.BytesIO()
        torch.save(obj, file, **how)
        return file.getvalue()

    return write


@pytest.fixture(autouse=True)
def warm(rushlight, recorded):
    """Everything that loading imports is there before anything is counted."""
    for name in ("checkpoint.pt", "whole_network.pt", "nested.pt"):
        rushlight.load(io.BytesIO(recorded[name]), weights_only=False)
