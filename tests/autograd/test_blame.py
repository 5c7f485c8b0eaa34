"""What errors of backward find out about their cause: names among the callers' variables, and what the source shows."""

import warnings
import weakref

import pytest

from rushlight.autograd import blame


def test_a_parameter_is_named_by_what_the_callers_hold(rushlight):
    torch = rushlight
    outer = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Sequential(torch.nn.Linear(2, 2)))

    def called(leaf):
        return blame.leaf_name(leaf)

    assert called(outer[1][0].bias) == "outer.1.0.bias"
    w = torch.ones(2, requires_grad=True)
    assert blame.leaf_name(w) == "w" and blame.leaf_name(torch.ones(2, requires_grad=True)) is None


def test_modules_are_not_called_for_names(rushlight):
    class Sly(rushlight.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = rushlight.nn.Linear(2, 2)
            self.again = self

        def named_parameters(self, *args, **kwargs):
            raise OSError("not now")

        named_modules = named_parameters

    sly = Sly()
    assert blame.leaf_name(sly.lin.weight) == "sly.lin.weight"


def test_a_parameter_behind_views_is_found(rushlight):
    model = rushlight.nn.Linear(2, 2)
    optimizer = rushlight.optim.SGD(model.parameters(), lr=0.1)
    x = rushlight.ones(1, 2, requires_grad=True)
    out = ((x * 1) @ model.weight.t().view(2, 2)).sum()
    out.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match=r"parameter model\.weight was changed by SGD\.step\(\)"):
        out.backward()


def test_the_same_write_several_times_is_named_once():
    assert blame.listed((("add_", "a.py:1"),)) == "add_ at a.py:1"
    writes = (("add_", "a.py:1"), ("add_", "a.py:1"), ("mul_", None), ("add_", "a.py:1"))
    assert blame.listed(writes) == "add_ at a.py:1 (2 times), mul_ and add_ at a.py:1"


def test_assignments_are_read_from_the_source():
    def program(torch):
        first = second = torch.ones(2)
        third, fourth = first.detach(), 2
        with torch.no_grad():
            if fourth:
                fifth = first * 2
        sixth = first.data
        sixth += 1
        return second == third, fifth

    code, start = program.__code__, program.__code__.co_firstlineno
    end = start + 9
    assert blame.assignment(code, end, "first") == (start + 1, "")
    assert blame.assignment(code, end, "third") == (start + 2, ", where .detach() cuts what it is applied to")
    assert blame.assignment(code, end, "fifth") == (start + 5, f", under the no_grad() of line {start + 3}")
    assert blame.assignment(code, start + 6, "sixth") == (start + 6, ", where .data cuts what it is applied to")
    assert blame.assignment(code, end, "sixth") == (start + 7, "") and blame.assignment(code, end, "seventh") is None


def test_code_without_source_is_no_obstacle(rushlight):
    scope = {"torch": rushlight}
    exec("w = torch.ones(2, requires_grad=True)\nloss = (w * 2).sum().detach()\n", scope)
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad") as caught:
        exec("loss.backward()", scope)
    assert "has the same memory" not in str(caught.value)


def test_the_running_module(rushlight):
    found = []

    class Inner(rushlight.nn.Module):
        def forward(self, x):
            found.append(blame.running_module())
            return x

    class Outer(rushlight.nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = rushlight.nn.ModuleList([Inner()])

        def forward(self, x):
            return self.parts[0](x)

    Outer()(rushlight.ones(1))
    Inner()(rushlight.ones(1))
    assert found == [("parts.0", "Inner"), ("", "Inner")] and blame.running_module() is None


def test_version_counters_stay_small(rushlight):
    x = rushlight.ones(2)
    for _ in range(1000):
        x.add_(1)
    assert x._version == 1000 and len(x._ver) <= 17


def test_a_counter_of_several_tensors(rushlight):
    parts = [rushlight.ones(2, requires_grad=True).exp() for _ in range(2)]
    out = rushlight.stack(parts).prod()
    parts[0].add_(1)
    parts[1].mul_(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeError, match="ExpBackward0 kept its own result at .*written by (add|mul)_ at"):
            out.backward()


def test_looking_for_names_keeps_nothing_alive(rushlight, no_gc):
    w = rushlight.ones(2, requires_grad=True)
    big = w * 2
    assert blame.leaf_name(rushlight.ones(1, requires_grad=True)) is None
    gone = weakref.ref(big)
    del big
    assert gone() is None
