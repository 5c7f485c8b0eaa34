"""Products, where the generic tests do not look: dtypes, names in the graph, layouts, numbers that must not
leak, einsum's views.
"""
import numpy as np
import pytest


def test_nodes_are_named_as_in_pytorch(torch):
    m, v = torch.ones(2, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    stack = torch.ones(3, 2, 2, requires_grad=True)
    made = [m @ m, m @ v, v @ m, v @ v, stack @ m, stack @ stack, torch.mm(m, m), torch.bmm(stack, stack),
            torch.vdot(v, v),
            torch.outer(v, v), torch.addmm(m, m, m), torch.addr(m, v, v), torch.addmv(v, m, v),
            torch.baddbmm(stack, stack, stack)]
    assert [t.grad_fn.name() for t in made] == [
        "MmBackward0", "MvBackward0", "SqueezeBackward4", "DotBackward0", "UnsafeViewBackward0",
        "UnsafeViewBackward0", "MmBackward0",
        "BmmBackward0", "VdotBackward0", "MulBackward0", "AddmmBackward0", "AddrBackward0", "AddmvBackward0",
        "BaddbmmBackward0"]


def test_only_what_a_gradient_needs_is_saved(torch):
    a, b = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    node = (a @ b).grad_fn
    assert node._saved_mat2 is not None
    assert node._saved_self is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_types_add_in_single_precision(torch, dtype):
    kind = getattr(torch, dtype)
    ones = torch.ones(1, 4096, dtype=kind)
    assert (ones @ ones.t()).item() == 4096      # in half precision the sum would stop at 2048 (256)
    assert torch.dot(ones[0], ones[0]).item() == 4096
    x = torch.ones(2, 3, dtype=kind, requires_grad=True)
    y = x @ torch.ones(3, 2, dtype=kind)
    assert y.dtype is kind
    y.sum().backward()
    assert x.grad.dtype is kind and x.grad.tolist() == [[2, 2, 2], [2, 2, 2]]


@pytest.mark.parametrize("shapes",
                         [((5, 4), (4, 3)), ((2, 5, 4), (4, 3)), ((2, 5, 4), (2, 4, 3)), ((5, 4), (4,)),
                          ((4,), (4, 3)),
                                    ((3, 1, 5, 4), (2, 4, 3)), ((4,), (2, 4, 3)), ((2, 5, 4), (4,))])
def test_transposed_and_strided_operands(torch, shapes):
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(s) for s in shapes)
    expected = np.matmul(a, b)
    for change in (lambda x: torch.from_numpy(np.asfortranarray(x)),
                   lambda x: torch.from_numpy(np.repeat(x, 2, -1))[..., ::2]):
        assert np.allclose(torch.matmul(change(a), change(b)).numpy(), expected)


def test_infinities_give_no_warning(torch):
    x = torch.tensor([[float("inf"), 1.0]])
    assert np.isnan((x @ torch.tensor([[0.0], [1.0]])).item())
    assert np.isnan(torch.matmul(x[None], torch.tensor([[[0.0], [1.0]]])).item())
    big = torch.full((1, 2), 3e38)
    assert (big @ big.t()).item() == float("inf")


def test_beta_zero_ignores_what_was_there(torch):
    nan = torch.full((2, 2), float("nan"))
    one = torch.ones(2, 2)
    assert torch.addmm(nan, one, one, beta=0).tolist() == [[2, 2], [2, 2]]
    assert torch.addmv(nan[0], one, one[0], beta=0).tolist() == [2, 2]
    assert torch.baddbmm(nan, one[None], one[None], beta=0).tolist() == [[[2, 2], [2, 2]]]


def test_addbmm_in_place_lets_a_tensor_grow(torch):
    x = torch.ones(1)
    assert x.addbmm_(torch.ones(2, 2, 3), torch.ones(2, 3, 2)) is x
    assert x.tolist() == [[7, 7], [7, 7]]


def test_operators_of_python(torch):
    a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]])
    assert (a @ b).item() == 11 and a.matmul(b).item() == 11 and a.mm(b).item() == 11
    a @= b
    assert a.item() == 11
    with pytest.raises(TypeError, match="unsupported operand type"):
        a @ 3


def test_a_chain_is_multiplied_in_the_cheapest_order(torch, warned):
    parts = [torch.ones(2, 3, requires_grad=True), torch.ones(3, 4), torch.ones(4, 1)]
    made = []
    assert any("chain_matmul is deprecated" in text
               for text in warned(lambda: made.append(torch.chain_matmul(*parts)))) \
        or torch.__name__ == "torch"        # PyTorch says so once a process
    assert made[0].tolist() == [[12], [12]]
    made[0].sum().backward()
    assert parts[0].grad.tolist() == [[4, 4, 4], [4, 4, 4]]


def test_cross_finds_its_dimension(torch, quiet):
    a, b = torch.tensor([[1.0, 0, 0], [0, 1, 0]]), torch.tensor([[0.0, 1, 0], [0, 0, 1]])
    with quiet():
        assert torch.cross(a, b).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert torch.cross(a.t(), b.t(), dim=0).t().tolist() == [[0, 0, 1], [1, 0, 0]]


def test_the_exponential_of_a_rotation(torch):
    angle = 0.7
    x = torch.tensor([[0.0, -angle], [angle, 0.0]], dtype=torch.float64)
    assert np.allclose(torch.matrix_exp(x).numpy(),
                       [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], atol=1e-15)
    far = torch.matrix_exp(x * 100)
    assert np.allclose((far @ far.t()).numpy(), np.eye(2))


# ---------------------------------------------------------------- einsum

def test_a_lone_operand_gives_a_view(torch):
    x = torch.zeros(2, 3)
    y = torch.einsum("ij->ji", x)
    y[0, 0] = 1
    assert x[0, 0].item() == 1 and y.shape == (3, 2)
    square = torch.zeros(2, 2)
    torch.einsum("ii->i", square).fill_(1)
    assert square.tolist() == [[1, 0], [0, 1]]


def test_small_and_large_take_different_ways_to_one_result(rushlight):
    torch = rushlight
    rng = np.random.default_rng(0)
    for equation, shapes in (("ij,jk->ki", [(3, 4), (4, 5)]), ("bij,bjk->ik", [(2, 3, 4), (2, 4, 3)]),
                             ("i,ij,j->", [(3,), (3, 4), (4,)]),
                             ("ij,kj->jik", [(2, 3), (4, 3)])):
        arrays = [rng.standard_normal(s) for s in shapes]
        plain = torch.einsum(equation, *map(torch.from_numpy, arrays))
        recorded = torch.einsum(equation, *(torch.from_numpy(a).requires_grad_() for a in arrays))
        assert np.allclose(plain.numpy(), np.einsum(equation, *arrays)) and np.allclose(plain.numpy(),
                                                                                        recorded.detach().numpy())


def test_sizes_of_one_broadcast(torch):
    a, b = torch.ones(2, 3), torch.full((1, 3), 2.0)
    assert torch.einsum("ij,ij->i", a, b).tolist() == [6, 6]
    assert torch.einsum("ij,kj->ik", a, torch.full((4, 1), 2.0)).tolist() == [[6] * 4] * 2
