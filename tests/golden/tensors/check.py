"""Comparing an engine's answers with the recording, for the test files of these families."""

import importlib.util
import json
from pathlib import Path

FOLDER = Path(__file__).parent


def _load():
    spec = importlib.util.spec_from_file_location("tensor_expressions", FOLDER / "expressions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RECIPE = _load()
ANSWERS = json.loads((FOLDER / "answers.json").read_text())["answers"]


def cases(family):
    """The expressions of a family, for parametrize."""
    return RECIPE.expressions(family)


def check(family, expression, engine):
    """The engine's answer is the recorded one."""
    assert RECIPE.answer(expression, engine) == ANSWERS[family][expression]
