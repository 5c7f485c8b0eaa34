"""Public functions say where they are found, so that pickle writes a name which leads back to them."""

import pickle
import types

import pytest


@pytest.mark.parametrize("path", ["nn.functional.relu", "nn.functional.gelu", "nn.functional.cross_entropy", "tanh", "zeros", "einsum",
                                  "max", "where", "Tensor.mul", "exp_"])
def test_functions_travel(path, torch):
    function = torch
    for part in path.split("."):
        function = getattr(function, part)
    assert pickle.loads(pickle.dumps(function)) is function


def test_every_function_of_the_pages_travels(rushlight):
    for page in (rushlight, rushlight.nn.functional):
        for name, thing in list(vars(page).items()):
            if isinstance(thing, types.FunctionType) and not name.startswith("_"):
                assert pickle.loads(pickle.dumps(thing)) is thing, name


def test_a_layer_that_holds_a_function_travels(torch):
    layer = torch.nn.TransformerEncoderLayer(4, 2)
    twin = pickle.loads(pickle.dumps(layer))
    assert twin.activation is layer.activation
    assert all(torch.equal(a, b) for a, b in zip(layer.parameters(), twin.parameters()))


def test_names_are_pytorch_s_where_they_are_shown(rushlight):
    assert rushlight.overrides.resolve_name(rushlight.relu) == "torch.relu"
    assert rushlight.overrides.resolve_name(rushlight.nn.functional.gelu) == "torch.nn.functional.gelu"
