"""The order in which a backward visits nodes and adds gradients: newest first, leaves when they are ready."""

import random

import pytest

STEPS = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - b,
    lambda a, b: a.sin(),
    lambda a, b: a * 0.5,
]


def random_graph(torch, seed, size=25):
    """A random graph over two leaves; returns (root, intermediates in the order they were made, leaves)."""
    r = random.Random(seed)
    leaves = [torch.tensor(0.5, requires_grad=True), torch.tensor(0.25, requires_grad=True)]
    made = []
    for _ in range(size):
        pool = leaves + made[-6:]
        a, b = r.choice(pool), r.choice(pool)
        made.append(r.choice(STEPS)(a, b))
    return sum(made[-3:]), made, leaves


@pytest.mark.parametrize("seed", range(10))
def test_nodes_run_newest_first(torch, seed):
    root, made, _ = random_graph(torch, seed)
    order = []
    for i, t in enumerate(made):
        t.grad_fn.register_hook(lambda gi, go, i=i: order.append(i))
    root.backward()
    assert order == sorted(order, reverse=True) and len(set(order)) == len(order) > 3


@pytest.mark.parametrize("seed", range(10))
def test_every_gradient_arrives_once_and_complete(torch, seed):
    root, made, leaves = random_graph(torch, seed)
    want = torch.autograd.grad(root, made + leaves, allow_unused=True, retain_graph=True)
    seen = {}
    for i, t in enumerate(made):
        t.register_hook(lambda g, i=i: seen.setdefault(i, []).append(g.item()))
    root.backward()
    for i in range(len(made)):
        assert seen.get(i, []) == ([] if want[i] is None else [want[i].item()])
    for leaf, g in zip(leaves, want[len(made) :]):
        assert (leaf.grad is None) == (g is None)
        assert g is None or leaf.grad.item() == g.item()


def test_contributions_are_added_in_the_order_of_arrival(torch):
    x = torch.tensor(1.0, requires_grad=True)
    y = x + 0
    one, big, small = y * 1.0, y * 1e8, y * -1e8
    (one + big + small).backward()
    assert x.grad.item() == 1.0  # (-1e8 + 1e8) + 1; the other way round the 1 would be lost


def test_a_leaf_is_filled_as_soon_as_its_last_gradient_is_there(torch):
    x, w = torch.tensor(1.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    order = []
    x.register_post_accumulate_grad_hook(lambda p: order.append("x"))
    early = w * 2
    early.grad_fn.register_hook(lambda gi, go: order.append("early"))
    late = x * 3
    late.grad_fn.register_hook(lambda gi, go: order.append("late"))
    (early + late).backward()
    assert order == ["late", "x", "early"]


def test_roots_are_ordered_by_age_not_by_position(torch):
    x = torch.tensor(1.0, requires_grad=True)
    order = []
    old, new = x * 2, x * 3
    for name, t in (("old", old), ("new", new)):
        t.grad_fn.register_hook(lambda gi, go, name=name: order.append(name))
    torch.autograd.backward([old, new])
    assert order == ["new", "old"] and x.grad.item() == 5.0


def test_a_root_inside_the_graph_of_another_root(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    torch.autograd.backward([y * 10, y])
    assert x.grad.item() == 33.0


def test_the_same_root_twice(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    torch.autograd.backward([y, y])
    assert x.grad.item() == 6.0


def test_nodes_made_inside_backward_are_newer_than_the_graph(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    assert g.grad_fn._sequence_nr() > y.grad_fn._sequence_nr()
