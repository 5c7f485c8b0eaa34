"""Reductions, scans, sorting, searching: results, warnings and error sentences as recorded of PyTorch."""
import importlib.util
import json
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "golden" / "reductions"
_spec = importlib.util.spec_from_file_location("reductions_recipe", FOLDER / "reductions_recipe.py")
recipe = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(recipe)
RECORDED = json.loads((FOLDER / "outcomes.json").read_text())["outcomes"]


def test_every_expression_is_recorded():
    assert list(RECORDED) == recipe.expressions()


@pytest.mark.parametrize("expression", recipe.expressions())
def test_outcome(rushlight, expression):
    assert recipe.outcome(expression, rushlight) == RECORDED[expression]
