"""Copies of tensors that take part in a graph: deepcopy, copy, pickle, clone."""

import copy
import pickle

DEEPCOPY = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
)


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


def test_deepcopy_of_a_leaf_takes_its_grad_along(torch):
    x = leaf(torch, 2)
    (x * 3).sum().backward()
    y = copy.deepcopy(x)
    assert y is not x and y.is_leaf and y.requires_grad
    assert y.grad is not x.grad and y.grad.tolist() == [3.0, 3.0]
    y.grad.zero_()
    with torch.no_grad():
        y.zero_()
    assert x.tolist() == [1.0, 1.0] and x.grad.tolist() == [3.0, 3.0]


def test_deepcopy_of_an_intermediate(torch, fails):
    with fails(RuntimeError, DEEPCOPY):
        copy.deepcopy(leaf(torch, 2) * 2)


def test_deepcopy_of_a_parameter_has_no_grad(torch):
    p = torch.nn.Parameter(torch.ones(2))
    p.sum().backward()
    q = copy.deepcopy(p)
    assert type(q) is torch.nn.Parameter and q.requires_grad and q.grad is None


def test_deepcopy_keeps_shared_memory_within_one_copy(torch):
    base = torch.zeros(4)
    a, b = copy.deepcopy((base, base[:2]))
    a[0] = 7.0
    assert b[0].item() == 7.0 and base[0].item() == 0.0
    a, b = copy.deepcopy([base, base])
    assert a is b


def test_copy_copy_shares_memory(torch):
    x = torch.ones(2)
    y = copy.copy(x)
    y[0] = 5.0
    assert y is not x and x.tolist() == [5.0, 1.0]


def test_pickle_keeps_values_and_requires_grad(torch):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    x.sum().backward()
    y = pickle.loads(pickle.dumps(x))
    assert y.requires_grad and y.is_leaf and y.dtype == x.dtype and torch.equal(x, y) and y.grad is None


def test_pickle_of_an_intermediate_forgets_its_graph(torch):
    y = pickle.loads(pickle.dumps(leaf(torch, 2) * 2))
    assert y.is_leaf and y.requires_grad and y.tolist() == [2.0, 2.0]


def test_pickle_of_a_parameter_and_of_a_module(torch):
    p = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    q = pickle.loads(pickle.dumps(p))
    assert type(q) is torch.nn.Parameter and not q.requires_grad
    m = torch.nn.Linear(2, 1)
    n = pickle.loads(pickle.dumps(m))
    assert torch.equal(m.weight, n.weight) and n.weight.requires_grad


def test_clone_is_differentiable_and_detach_is_not(torch):
    x = leaf(torch, 2)
    assert x.clone().grad_fn.name() == "CloneBackward0"
    assert not x.detach().clone().requires_grad


def test_attributes_of_users_survive_on_the_tensor_and_its_deepcopy(torch):
    x = leaf(torch, 2)
    x.label = "mine"
    assert x.label == "mine" and copy.deepcopy(x).label == "mine"
    assert not hasattr(x * 1, "label")


def test_tensor_of_a_tensor_warns_and_cuts(torch, warned):
    x = leaf(torch, 2)
    made = []
    texts = warned(lambda: made.append(torch.tensor(x)))
    assert len(texts) == 1 and texts[0].startswith(
        "To copy construct from a tensor, it is recommended to use"
    )
    assert not made[0].requires_grad


def test_identity_comparison_and_hash(torch):
    a, b = torch.ones(2), torch.ones(2)
    assert hash(a) != hash(b) and len({a, b}) == 2 and {a: 1}[a] == 1
