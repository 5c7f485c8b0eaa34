"""The tensor as an object: copies, pickles, storages, questions, subclasses.

A list of expressions with PyTorch's recorded answers (``tests/golden/tensors``), and behaviour that needs
more than one line. The fixture ``torch`` runs all of it on PyTorch itself too, where that is installed.
"""

import copy
import pickle

import pytest
from tests.golden.tensors.check import cases, check


@pytest.mark.parametrize("expression", cases("tensor"))
def test_answers_as_recorded(torch, expression):
    check("tensor", expression, torch)


def test_deepcopy_keeps_the_gradient_of_a_leaf_and_not_that_of_a_parameter(torch):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.full((2,), 3.0)
    twin = copy.deepcopy(x)
    assert twin.grad.tolist() == [3, 3] and twin.grad is not x.grad
    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    assert copy.deepcopy(p).grad is None


def test_deepcopy_copies_memory_once_and_attributes_too(torch):
    x = torch.arange(4.0)
    x.note = ["a"]
    twin, part = copy.deepcopy([x, x[2:]])
    assert twin.note == ["a"] and twin.note is not x.note
    twin[2] = 9
    assert part.tolist() == [9, 3] and x.tolist() == [0, 1, 2, 3]


def test_views_share_memory_again_after_a_pickle(rushlight):
    x = rushlight.arange(4.0)
    twin, part = pickle.loads(pickle.dumps([x, x[2:]]))
    twin[2] = 9
    assert part.tolist() == [9, 3]


def test_pickle_keeps_attributes_and_the_class(torch):
    x = torch.ones(2, requires_grad=True)
    x.note = "a"
    assert pickle.loads(pickle.dumps(x)).note == "a"
    p = pickle.loads(pickle.dumps(torch.nn.Parameter(torch.ones(2))))
    assert type(p) is torch.nn.Parameter and p.requires_grad


def test_a_subclass_stays_one(torch):
    class Named(torch.Tensor):
        """A subclass that changes nothing."""

    x = torch.ones(2, 3).as_subclass(Named)
    for made in (
        x.view(6),
        x.t(),
        x + 1,
        x.clone(),
        x.detach(),
        x.expand(2, 2, 3),
        x.to(torch.float64),
        torch.cat([x, x]),
        x.unbind()[0],
    ):
        assert type(made) is Named
    assert type(Named([1, 2])) is Named


def test_function_modes_see_every_function(torch):
    overrides = pytest.importorskip(torch.__name__ + ".overrides")
    seen = []

    class Mode(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(getattr(func, "__name__", str(func)))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, 3)
    with Mode():
        x.view(6)
        x.t()
        torch.cat([x, x])
        x.clone()
    assert seen == ["view", "t", "cat", "clone"]


def test_inference_tensors(torch):
    with torch.inference_mode():
        x = torch.ones(3)
        assert (
            x.is_inference()
            and x.view(3).is_inference()
            and x.detach().is_inference()
            and torch.cat([x, x]).is_inference()
        )
        assert torch.tensor([1.0]).is_inference() and torch.arange(3).is_inference()
    assert not torch.ones(3).is_inference()


def test_storage_is_what_views_share(torch):
    x = torch.arange(4, dtype=torch.int32)
    store = x[1:].untyped_storage()
    assert store.nbytes() == 16 and store.data_ptr() == x.data_ptr()
    store[0] = 7
    assert x.tolist() == [7, 1, 2, 3]


def test_backward_is_shown_to_a_subclass(torch):
    seen = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(getattr(function, "__name__", ""))
            return super().__torch_function__(function, types, args, kwargs or {})

    x = torch.ones(2).as_subclass(Logged).requires_grad_()
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]
    assert any("backward" in name for name in seen)
