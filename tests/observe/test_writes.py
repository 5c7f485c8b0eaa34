"""The log of writes that errors of real PyTorch are explained by."""

import pytest
from tests.observe.models import inputs, settle

from rushlight import observe
from rushlight.observe.writes import Writes


def test_candidates_are_of_the_shape_or_its_transposed_and_newest_first():
    log = Writes()
    log.note("add_", "a", 0, ((1, (2, 3)),))
    log.note("mul_", "b", 0, ((2, (3, 2)), (3, (4,))))
    log.note("zero_", "c", 1, ((1, (6,)),))
    found = log.candidates((2, 3))
    assert [storage for storage, _ in found] == [2, 1]
    assert [w.op for w in dict(found)[1]] == ["add_", "zero_"] and log.candidates((5,)) == []


def explained(torch, program):
    with observe.record(engine=torch.__name__) as rec, pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        program()
    return observe.explain(caught.value, record=rec)


def test_writes_through_views_out_and_functions(torch):
    def program():
        y = torch.ones(4, requires_grad=True).exp()
        y[1:3].mul_(2)
        torch.nn.functional.relu(y, inplace=True)
        y.sum().backward()

    text = explained(torch, program)
    assert "mul_ at test_writes.py:" in text and "relu_" in text.replace("relu at", "relu_ at")


def test_data_that_is_written_after_it_was_used(torch):
    def program():
        x, w = torch.ones(3), torch.ones(3, requires_grad=True)
        y = (x * w).sum()
        x.add_(1)
        y.backward()

    text = explained(torch, program)
    assert "add_ at test_writes.py:" in text and "Write to a clone" in text


def test_of_two_layers_of_one_shape_the_right_one_is_named(torch):
    model = settle(torch, torch.nn.ModuleDict({"a": torch.nn.Linear(3, 3), "b": torch.nn.Linear(3, 3)}))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with observe.record(model) as rec:
        x = inputs(torch, 2, 3).requires_grad_()
        last = model["b"](torch.tanh(model["a"](x))).sum()
        first = model["a"](x).sum()
        last.backward()
        optimizer.step()
        with pytest.raises(RuntimeError) as caught:
            first.backward()
    assert "parameter a.weight was changed by SGD.step()." in observe.explain(caught.value, record=rec)


def test_without_a_record_it_is_said_how_to_know(torch):
    y = torch.ones(3, requires_grad=True).exp()
    y.add_(1)
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    text = observe.explain(caught.value)
    assert "A tensor of shape [3] was kept for backward" in text
    assert ("written by add_ at test_writes.py:" in text) == (torch.__name__ == "rushlight")
    assert ("Who wrote is known to a recording" in text) == (torch.__name__ == "torch")
