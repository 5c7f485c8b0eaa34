"""The programs over layers (``tests/nn/programs``) say what the real PyTorch said, line by line.

The recordings are made by tests/golden/make_programs.py; where PyTorch is installed it runs the same programs here.
"""

import pathlib
import re

import pytest
from tests.nn import programs
from tests.nn.programs import lazy

RECORDED = pathlib.Path(__file__).parent.parent / "golden" / "programs"
NUMBER = re.compile(r"-?\d+\.\d{3}")      # as `Report.number` writes them


@pytest.mark.parametrize("name", programs.NAMES)
def test_program(torch, name):
    said = "\n".join(programs.output(name, torch)).split("\n")
    recorded = (RECORDED / f"{name}.txt").read_text().split("\n")[:-1]
    for line, wanted in zip(said, recorded):
        assert NUMBER.sub("#", line) == NUMBER.sub("#", wanted)
        numbers = [[float(x) for x in NUMBER.findall(text)] for text in (line, wanted)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-3, abs=2e-3), wanted
    assert len(said) == len(recorded)


def test_uninitialized_parameters_refuse_operators(torch):
    said = lazy.guard(torch)
    assert said.startswith("Attempted to use an uninitialized parameter in <")
    assert "This error happens when you are using a `LazyModule`" in said
