"""The order of versions, as `packaging` and PyTorch have it."""

import itertools

import pytest

from rushlight import version
from rushlight.compat import TorchVersion

# In ascending order; each line is a set of equals.
LADDER = [
    ["1.9.0"],
    ["1.10", "1.10.0"],
    ["2.2"],
    ["2.13.0.dev20260101"],
    ["2.13.0a1", "2.13.alpha1"],
    ["2.13.0b2"],
    ["2.13.0rc1.dev3"],
    ["2.13.0rc1", "2.13rc1"],
    ["2.13", "2.13.0", "v2.13.0"],
    ["2.13.0+cpu"],
    ["2.13.0+cu130"],
    ["2.13.0+rushlight"],
    ["2.13.0+1"],
    ["2.13.0+1.2"],
    ["2.13.0.post1.dev1"],
    ["2.13.0.post1", "2.13.0-1"],
    ["2.13.1"],
    ["10.0"],
]


def test_ladder():
    for low, high in itertools.combinations(range(len(LADDER)), 2):
        for a, b in itertools.product(LADDER[low], LADDER[high]):
            mine = TorchVersion(a)
            assert mine < b and mine <= b and not mine > b and not mine >= b and mine != b, (a, b)
            assert TorchVersion(b) > mine and not TorchVersion(b) == mine
    for line in LADDER:
        for a, b in itertools.product(line, line):
            assert TorchVersion(a) == b and TorchVersion(a) <= b and TorchVersion(a) >= b


def test_ladder_is_the_one_of_packaging():
    packaging = pytest.importorskip("packaging.version")
    for line, above in itertools.pairwise(LADDER):
        for a, b in itertools.product(line, above):
            assert packaging.Version(a) < packaging.Version(b), (a, b)


def test_what_programs_write():
    here = TorchVersion(version.__version__)
    assert here >= "1.8" and here >= "2.2" and here >= (2, 0) and here > [1, 13] and here < "2.14"
    assert not here < "2.9" and here != "2.13.0" and here == "2.13.0+rushlight"
    assert here.split("+")[0] == "2.13.0" and tuple(int(p) for p in here.split(".")[:2]) == (2, 13)
    assert len(here.split(".")) == 3 and here.startswith("2.") and isinstance(here, str)
    assert f"{here}" == "2.13.0+rushlight" and {here: 1}["2.13.0+rushlight"] == 1


def test_what_is_no_version_compares_as_text():
    here = TorchVersion("2.13.0")
    assert here < "x.y" and not here > "x.y" and here != "unknown" and not here == ""
