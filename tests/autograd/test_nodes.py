"""`grad_fn`: what a node shows of the graph."""

import pytest

FREED = (
    "Trying to backward through the graph a second time "
    "(or directly access saved tensors after they have already been freed)."
)


def leaf(torch, *shape):
    return torch.ones(*shape, requires_grad=True)


@pytest.mark.parametrize(
    "build, name",
    [
        (lambda t, x: x + 1, "AddBackward0"),
        (lambda t, x: x - 1, "SubBackward0"),
        (lambda t, x: 1 - x, "RsubBackward1"),
        (lambda t, x: x * 2, "MulBackward0"),
        (lambda t, x: x / 2, "DivBackward0"),
        (lambda t, x: 2 / x, "MulBackward0"),
        (lambda t, x: -x, "NegBackward0"),
        (lambda t, x: x**2, "PowBackward0"),
        (lambda t, x: x**x, "PowBackward1"),
        (lambda t, x: 2**x, "PowBackward2"),
        (lambda t, x: x.exp(), "ExpBackward0"),
        (lambda t, x: t.tanh(x), "TanhBackward0"),
        (lambda t, x: x.sum(), "SumBackward0"),
        (lambda t, x: x.sum(0), "SumBackward1"),
        (lambda t, x: x.mean(), "MeanBackward0"),
        (lambda t, x: x.mean(0), "MeanBackward1"),
        (lambda t, x: x.max(), "MaxBackward1"),
        (lambda t, x: x.max(0)[0], "MaxBackward0"),
        (lambda t, x: x @ x, "MmBackward0"),
        (lambda t, x: x[0], "SelectBackward0"),
        (lambda t, x: x[:1], "SliceBackward0"),
        (lambda t, x: x[[0, 1]], "IndexBackward0"),
        (lambda t, x: x[None], "UnsqueezeBackward0"),
        (lambda t, x: x.t(), "TBackward0"),
        (lambda t, x: x.view(4), "ViewBackward0"),
        (lambda t, x: x.reshape(4), "ViewBackward0"),
        (lambda t, x: x.t().reshape(4), "UnsafeViewBackward0"),
        (lambda t, x: x.transpose(0, 1), "TransposeBackward0"),
        (lambda t, x: x.permute(1, 0), "PermuteBackward0"),
        (lambda t, x: x.expand(3, 2, 2), "ExpandBackward0"),
        (lambda t, x: x.clone(), "CloneBackward0"),
        (lambda t, x: x.double(), "ToCopyBackward0"),
        (lambda t, x: t.cat([x, x]), "CatBackward0"),
        (lambda t, x: t.stack([x, x]), "StackBackward0"),
        (lambda t, x: t.where(x > 0, x, x), "WhereBackward0"),
        (lambda t, x: x.relu(), "ReluBackward0"),
        (lambda t, x: x.softmax(0), "SoftmaxBackward0"),
        (lambda t, x: x.clamp(min=0), "ClampBackward1"),
        (lambda t, x: x.unbind()[0], "UnbindBackward0"),
        (lambda t, x: x.squeeze(), "SqueezeBackward0"),
        (lambda t, x: x.abs(), "AbsBackward0"),
        (lambda t, x: x.sort()[0], "SortBackward0"),
        (lambda t, x: x.diagonal(), "DiagonalBackward0"),
        (lambda t, x: x.as_strided((2,), (1,)), "AsStridedBackward0"),
    ],
)
def test_name_of_the_node(torch, build, name):
    node = build(torch, leaf(torch, 2, 2)).grad_fn
    assert node.name() == name and type(node).__name__ == name
    assert repr(node).startswith(f"<{name} object at 0x")


def test_linear_without_bias_is_a_product_with_a_transposed_weight(torch):
    x = leaf(torch, 2, 2)
    node = torch.nn.functional.linear(x, x).grad_fn
    assert node.name() == "MmBackward0"
    if torch.__name__ == "torch":      # there a transposition is recorded; rushlight's linear is one operator
        assert node.next_functions[1][0].name() == "TBackward0"


def test_repr_of_a_tensor_shows_the_node(torch):
    assert repr(leaf(torch, 1) * 2) == "tensor([2.], grad_fn=<MulBackward0>)"


def test_accumulate_grad_is_named_and_knows_its_variable(torch):
    x = leaf(torch, 2)
    node = (x * 2).grad_fn.next_functions[0][0]
    assert node.name() == "torch::autograd::AccumulateGrad"
    assert type(node).__name__ == "AccumulateGrad"
    assert node.variable is x and node.next_functions == ()


def test_a_leaf_has_one_accumulator_while_somebody_holds_it(torch):
    x = leaf(torch, 2)
    a, b = x * 2, x * 3
    assert a.grad_fn.next_functions[0][0] is b.grad_fn.next_functions[0][0]


def test_next_functions_are_pairs_of_node_and_output_number(torch):
    x = leaf(torch, 2, 2)
    low, high = x.unbind()
    z = high * low
    assert [(n.name(), i) for n, i in z.grad_fn.next_functions] == [
        ("UnbindBackward0", 1),
        ("UnbindBackward0", 0),
    ]
    assert z.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[1][0] is low.grad_fn


def test_inputs_without_grad_have_empty_edges(torch):
    x = leaf(torch, 2)
    assert (x * torch.ones(2)).grad_fn.next_functions[1] == (None, 0)


def test_grad_fn_is_one_object(torch):
    y = leaf(torch, 2) * 2
    assert y.grad_fn is y.grad_fn


def test_output_nr(torch):
    outs = leaf(torch, 3, 2).unbind()
    assert [o.output_nr for o in outs] == [0, 1, 2]


def test_leaves_have_no_grad_fn(torch):
    assert leaf(torch, 2).grad_fn is None and torch.ones(2).grad_fn is None


def test_nodes_are_instances_of_node(torch):
    x = leaf(torch, 2)
    node = (x * 2).grad_fn
    assert isinstance(node, torch.autograd.graph.Node)
    assert isinstance(node.next_functions[0][0], torch.autograd.graph.Node)
    assert not isinstance(x, torch.autograd.graph.Node)


def test_metadata_is_a_dict_for_the_user(torch):
    node = (leaf(torch, 2) * 2).grad_fn
    assert node.metadata == {}
    node.metadata["mine"] = 1
    assert node.metadata == {"mine": 1}


def test_sequence_numbers_grow(torch):
    x = leaf(torch, 2)
    a = x * 2
    b = a * 2
    assert a.grad_fn._sequence_nr() < b.grad_fn._sequence_nr()


# _saved_*


def test_saved_input_is_the_tensor_itself(torch):
    x = leaf(torch, 2)
    y = x * x
    assert y.grad_fn._saved_self is x and y.grad_fn._saved_other is x


def test_saved_intermediate_has_its_grad_fn(torch):
    x = leaf(torch, 2)
    h = x * 2
    y = h.sin()
    saved = y.grad_fn._saved_self
    assert saved.grad_fn is h.grad_fn and saved.tolist() == h.tolist()


def test_saved_result_has_the_grad_fn_of_its_own_node(torch):
    y = leaf(torch, 2).exp()
    saved = y.grad_fn._saved_result
    assert saved.grad_fn is y.grad_fn and saved.data_ptr() == y.data_ptr() and saved is not y


def test_only_what_the_rule_needs_is_saved(torch):
    x, c = leaf(torch, 2), torch.full((2,), 3.0)
    node = (x * c).grad_fn
    assert node._saved_self is None and torch.equal(node._saved_other, c)


def test_saved_numbers_and_tuples(torch):
    x = leaf(torch, 2, 3)
    assert (x**3).grad_fn._saved_exponent == 3
    assert x.sum(1, keepdim=True).grad_fn._saved_keepdim is True
    assert x.transpose(0, 1).grad_fn._saved_dim0 in (0, 2**64)
    assert tuple(x.expand(4, 2, 3).grad_fn._saved_self_sym_sizes) == (2, 3)


def test_saved_values_are_gone_after_backward(torch, fails):
    y = leaf(torch, 2).exp()
    node = y.grad_fn
    y.sum().backward()
    with fails(RuntimeError, FREED):
        node._saved_result


def test_saved_values_refuse_after_an_in_place_change(torch, fails):
    h = leaf(torch, 2) * 1
    y = h.sin()
    h.add_(1)
    with fails(
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace operation: ",
    ):
        y.grad_fn._saved_self


def test_a_name_that_is_not_saved(torch):
    with pytest.raises(AttributeError):
        (leaf(torch, 2) * 2).grad_fn._saved_nonsense


# Calling a node, and the abstract Node


def test_a_node_can_be_called(torch):
    x = leaf(torch, 2)
    y = x.exp()
    g = y.grad_fn(torch.full((2,), 2.0))
    assert torch.allclose(g, 2 * y)


def test_calling_an_accumulator_accumulates(torch):
    x = leaf(torch, 2)
    (x * 2).grad_fn.next_functions[0][0](torch.full((2,), 3.0))
    assert x.grad.tolist() == [3.0, 3.0]


def test_node_cannot_be_instantiated(torch, fails):
    with fails(TypeError, "Can't instantiate abstract class Node"):
        torch.autograd.graph.Node()


def test_graph_can_be_walked_by_hand(torch):
    x = leaf(torch, 2)
    y = ((x * 2).exp() + x.sin()).sum()
    names, todo, seen = set(), [y.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.add(node.name())
        todo.extend(n for n, _ in node.next_functions)
    assert names == {
        "SumBackward0",
        "AddBackward0",
        "ExpBackward0",
        "MulBackward0",
        "SinBackward0",
        "torch::autograd::AccumulateGrad",
    }
