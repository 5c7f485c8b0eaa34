"""What people reported about the numbers themselves (area f of the reports), as tests."""

import math
import warnings

import hypothesis
import numpy as np
import pytest
from hypothesis.extra.numpy import mutually_broadcastable_shapes


def gradient(torch, f, values, **options):
    """The gradient of the sum of f at the given values, as a list."""
    x = torch.tensor(values, requires_grad=True, **options)
    f(x).sum().backward()
    return x.grad.tolist()


def ones(torch, *shape, **options):
    return torch.ones(*shape, requires_grad=True, **options)


@pytest.mark.parametrize(
    "pick",
    [
        lambda t, x: x[[0, 0, 1]],
        lambda t, x: x[t.tensor([0, 0, 1])],
        lambda t, x: x.index_select(0, t.tensor([0, 0, 1])),
        lambda t, x: x.gather(0, t.tensor([0, 0, 1])),
        lambda t, x: t.take(x, t.tensor([0, 0, 1])),
        lambda t, x: x[None, :][:, [0, 0, 1]],
        lambda t, x: t.nn.functional.embedding(t.tensor([0, 0, 1]), x[:, None]),
    ],
)
def test_R76_repeated_indices_add(torch, pick):
    assert gradient(torch, lambda x: pick(torch, x), [1.0, 2.0]) == [2.0, 1.0]


def test_R76_accumulating_writes_add(torch):
    i, v = torch.tensor([0, 0, 1]), torch.tensor([1.0, 2.0, 3.0])
    assert torch.zeros(2).index_add(0, i, v).tolist() == [3.0, 3.0]
    assert torch.zeros(2).scatter_add(0, i, v).tolist() == [3.0, 3.0]
    assert torch.zeros(2).index_put_((i,), v, accumulate=True).tolist() == [3.0, 3.0]


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, "fro", math.inf, -math.inf, -1])
def test_R77_norm_at_zero_has_no_nan(torch, p):
    for f in (lambda x: x.norm(p), lambda x: x.norm(p, dim=0), lambda x: x.norm(p, dim=-1, keepdim=True)):
        grad = gradient(torch, f, [[0.0, 0.0], [0.0, 0.0]])
        assert grad == [[0.0, 0.0], [0.0, 0.0]], p


def test_R77_counting_norm_passes_no_gradient(torch):
    x = ones(torch, 2)
    x.norm(0).backward()
    assert x.grad is None


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_R78_std_of_constant_data(torch, value):
    for f in (lambda x: x.std(), lambda x: x.std(unbiased=False), lambda x: x.var(), lambda x: x.std(dim=0)):
        assert gradient(torch, f, [value] * 3) == [0.0, 0.0, 0.0]


def test_R78_std_of_one_sample(torch, quiet):
    x = torch.tensor([5.0], requires_grad=True)
    with quiet():
        out = x.std()
        out.backward()
    assert out.isnan() and x.grad.shape == (1,) and x.grad.isnan().all()
    assert gradient(torch, lambda x: x.std(unbiased=False), [5.0]) == [0.0]


def test_R79_logsumexp_and_softmax_with_minus_infinity(torch):
    grad = gradient(torch, lambda x: x.logsumexp(0), [0.0, -math.inf])
    assert grad == [1.0, 0.0]
    grad = gradient(torch, lambda x: x.softmax(0)[0], [0.0, 0.0, -math.inf])
    assert grad == [0.25, -0.25, 0.0]
    x = torch.tensor([-math.inf, -math.inf], requires_grad=True)
    x.logsumexp(0).backward()
    assert x.grad.isnan().all()


def test_R80_where_and_the_branch_not_taken(torch):
    naive = gradient(torch, lambda x: torch.where(x > 0, x.sqrt(), x), [-1.0, 4.0])
    assert naive[1] == 0.25 and math.isnan(naive[0])
    safe = gradient(
        torch, lambda x: torch.where(x > 0, torch.where(x > 0, x, torch.ones_like(x)).sqrt(), x), [-1.0, 4.0]
    )
    assert safe == [1.0, 0.25]
    assert gradient(torch, lambda x: x.masked_fill(x <= 0, 1.0).sqrt(), [-1.0, 4.0]) == [0.0, 0.25]


def test_R80_where_routes_and_sums_broadcast_branches(torch):
    a, b, s = ones(torch, 2), ones(torch, 2), torch.tensor(5.0, requires_grad=True)
    torch.where(torch.tensor([True, False]), a * 2, b * 3).sum().backward()
    assert a.grad.tolist() == [2.0, 0.0] and b.grad.tolist() == [0.0, 3.0]
    torch.where(torch.tensor([[True, False, True]]), s, torch.zeros(2, 3)).sum().backward()
    assert s.grad.item() == 4.0


@pytest.mark.parametrize(
    "f, values, expected",
    [
        (lambda t, x: x.max(), [3.0, 1.0, 3.0], [0.5, 0.0, 0.5]),
        (lambda t, x: x.min(), [3.0, 1.0, 1.0], [0.0, 0.5, 0.5]),
        (lambda t, x: x.amax(), [3.0, 1.0, 3.0], [0.5, 0.0, 0.5]),
        (lambda t, x: x.amin(0), [1.0, 1.0, 3.0], [0.5, 0.5, 0.0]),
        (lambda t, x: x.max(0)[0], [3.0, 1.0, 3.0], [1.0, 0.0, 0.0]),
        (lambda t, x: x.min(0)[0], [3.0, 1.0, 1.0], [0.0, 1.0, 0.0]),
        (lambda t, x: t.maximum(x, t.zeros(2)), [0.0, 1.0], [0.5, 1.0]),
        (lambda t, x: t.minimum(x, t.zeros(2)), [0.0, 1.0], [0.5, 0.0]),
        (lambda t, x: x.clamp(0.0, 1.0), [0.0, 1.0, 2.0, -1.0], [1.0, 1.0, 0.0, 0.0]),
        (lambda t, x: x.relu(), [0.0, 1.0], [0.0, 1.0]),
        (lambda t, x: x.abs(), [0.0, -1.0], [0.0, -1.0]),
        (lambda t, x: x.sort()[0][:1], [2.0, 1.0, 1.0], [0.0, 1.0, 0.0]),
        (lambda t, x: t.nn.functional.hardtanh(x), [1.0, -1.0, 0.5], [0.0, 0.0, 1.0]),
        (lambda t, x: x.sign(), [0.0, 2.0], [0.0, 0.0]),
    ],
)
def test_R81_ties(torch, f, values, expected):
    assert gradient(torch, lambda x: f(torch, x), values) == expected


def test_R82_counting_ties_in_half_precision(torch):
    for f in (lambda x: x.max(), lambda x: x.mean()):
        x = ones(torch, 70000, dtype=torch.float16)
        f(x).backward()
        assert x.grad.dtype == torch.float16
        assert abs(float(x.grad[0]) - 1 / 70000) < 2e-7 and abs(float(x.grad[-1]) - 1 / 70000) < 2e-7


def test_R83_equal_constants_stay_separate(torch):
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    assert hash(a) != hash(b) and a is not b and len({a, b}) == 2
    (a * 3 + b).backward()
    assert (a.grad.item(), b.grad.item()) == (3.0, 1.0)


def test_R84_broadcast_operands_are_summed_to_their_shape(torch):
    a, b, c, d = ones(torch, 2, 1), ones(torch, 1, 3), ones(torch, ()), ones(torch, 4, 1, 1)
    (a * b + c - d / 2).sum().backward()
    assert (
        a.grad.tolist() == [[12.0], [12.0]] and b.grad.tolist() == [[8.0, 8.0, 8.0]] and c.grad.item() == 24.0
    )
    assert torch.equal(d.grad, torch.full((4, 1, 1), -3.0))


@hypothesis.settings(
    deadline=None, max_examples=60, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
)
@hypothesis.given(shapes=mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=3))
def test_R84_any_two_shapes_that_broadcast(torch, shapes):
    a, b = (ones(torch, shape) for shape in shapes.input_shapes)
    out = a * 2 + b * 3
    assert tuple(out.shape) == shapes.result_shape
    out.sum().backward()
    count = out.numel()
    for t, factor in ((a, 2), (b, 3)):
        assert t.grad.shape == t.shape
        if t.numel():
            assert torch.equal(t.grad, torch.full(t.shape, float(factor * count // t.numel())))


def test_R84_batches_of_matmul_broadcast(torch):
    p, q = ones(torch, 5, 1, 2, 3), ones(torch, 4, 3, 2)
    (p @ q).sum().backward()
    assert torch.equal(p.grad, torch.full((5, 1, 2, 3), 8.0)) and torch.equal(
        q.grad, torch.full((4, 3, 2), 10.0)
    )


def test_R84_empty_axes_and_expand(torch):
    e, f, k = ones(torch, 0, 3), ones(torch, 1, 3), ones(torch, 1)
    (e + f).sum().backward()
    k.expand(3, 4).sum().backward()
    assert e.grad.shape == (0, 3) and f.grad.tolist() == [[0.0, 0.0, 0.0]] and k.grad.tolist() == [12.0]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_R85_gradients_have_the_dtype_of_their_tensor(torch, dtype):
    dtype = getattr(torch, dtype)
    for f in (
        lambda x: x * 2.5,
        lambda x: x / 3,
        lambda x: x**2,
        lambda x: x.exp(),
        lambda x: x.mean(),
        lambda x: x.softmax(0),
        lambda x: x.std(),
        lambda x: x[[0, 1]],
        lambda x: x.cumsum(0),
        lambda x: x.max(),
        lambda x: x * np.float64(2),
        lambda x: x * torch.tensor(2.0, dtype=torch.float64),
        lambda x: torch.nn.functional.gelu(x),
        lambda x: x.norm(),
    ):
        x = ones(torch, 3, dtype=dtype)
        f(x).sum().backward()
        assert x.grad.dtype == dtype


def test_R86_promotion(torch):
    def one(name):
        return torch.ones(2, dtype=getattr(torch, name))

    table = [
        (one("float32") + torch.tensor(1.0, dtype=torch.float64), "float32"),
        (one("float32") + one("float64"), "float64"),
        (one("float16") * one("float32"), "float32"),
        (one("float16") * torch.tensor(2.0), "float16"),
        (one("int64") + 1.5, "float32"),
        (one("int64") / 2, "float32"),
        (one("int64") // 2, "int64"),
        (one("int32") + one("int64"), "int64"),
        (one("uint8") + torch.tensor(300), "uint8"),
        (one("bool") + 1, "int64"),
        (one("bool").sum(), "int64"),
        (one("int32").sum(), "int64"),
        (one("int32").sqrt(), "float32"),
        (one("int64") ** 2, "int64"),
        (one("int64") * True, "int64"),
        (torch.arange(3), "int64"),
        (torch.arange(3.0), "float32"),
        (torch.tensor(np.float64(1)), "float64"),
        (torch.from_numpy(np.ones(2)), "float64"),
        (one("float32") * torch.tensor(1j), "complex64"),
    ]
    assert [str(t.dtype) for t, _ in table] == ["torch." + name for _, name in table]


@pytest.mark.parametrize("scalar", [np.float64(2.0), np.float32(2.0), np.int64(2), 2, 2.0, True])
def test_R86_scalars_on_either_side_give_a_tensor(torch, scalar):
    x = ones(torch, 2)
    for out in (scalar * x, x * scalar):
        assert type(out) is torch.Tensor and out.dtype == torch.float32 and out.requires_grad


def test_R86_what_promotion_refuses(torch):
    for wrong in (
        lambda: torch.ones(2, dtype=torch.int64).mean(),
        lambda: torch.ones(2, dtype=torch.int64).add_(1.5),
        lambda: torch.ones(2, dtype=torch.int64) ** -1,
    ):
        with pytest.raises(RuntimeError):
            wrong()


def test_R87_filling_a_tensor_inside_a_differentiated_function(torch, fails):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    out = torch.zeros(3)
    for i in range(3):
        out[i] = x[i] ** 2
    out.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]
    with fails(
        RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place operation."
    ):
        x[0] = 1.0


def test_R88_integers_cannot_be_differentiated(torch):
    for wrong in (
        lambda: torch.tensor([1, 2], requires_grad=True),
        lambda: torch.ones(2, dtype=torch.bool).requires_grad_(),
        lambda: torch.nn.Parameter(torch.arange(3)),
    ):
        with pytest.raises(RuntimeError, match="floating point"):
            wrong()
    x = torch.tensor([[1.0], [0.0], [0.0], [1.0]], requires_grad=True)
    sum(((x[i] - x[i - 1]).norm() ** 2) for i in range(1, 4)).backward()
    assert x.grad.tolist() == [[2.0], [-2.0], [-2.0], [2.0]]


def test_R89_deep_graphs(torch):
    x = ones(torch, 1)
    y = x
    for _ in range(30_000):
        y = y * 1.0
    y.backward()
    del y
    assert x.grad.item() == 1.0


@pytest.mark.parametrize(
    "f, values, expected",
    [
        (lambda x: x.prod(), [1.0, 2.0, 3.0], [6.0, 3.0, 2.0]),
        (lambda x: x.prod(), [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
        (lambda x: x.prod(), [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
        (lambda x: x.prod(1), [[2.0, 0.0], [3.0, 4.0]], [[0.0, 2.0], [4.0, 3.0]]),
        (lambda x: x.cumprod(0), [0.0, 2.0, 3.0], [9.0, 0.0, 0.0]),
        (lambda x: x.cumprod(0), [2.0, 3.0, 4.0], [16.0, 10.0, 6.0]),
        (lambda x: x.prod(), 5.0, 1.0),
        (lambda x: x.prod(0, keepdim=True), [[0.0, 2.0], [5.0, 0.0]], [[5.0, 0.0], [0.0, 2.0]]),
    ],
)
def test_R90_prod_and_cumprod_with_zeros(torch, f, values, expected):
    assert gradient(torch, f, values) == expected


def test_R90_second_derivative_of_prod_with_a_zero(torch):
    x = torch.tensor([2.0, 0.0, 3.0], requires_grad=True)
    (g,) = torch.autograd.grad(x.prod(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [3.0, 5.0, 2.0]


def test_R91_pow_at_zero_and_of_negative_bases(torch):
    assert gradient(torch, lambda x: x**2, [0.0, -3.0]) == [0.0, -6.0]
    assert gradient(torch, lambda x: x**0, [0.0, 2.0]) == [0.0, 0.0]
    assert gradient(torch, lambda x: x**1, [0.0, -1.0]) == [1.0, 1.0]
    assert gradient(torch, lambda x: x**0.5, [0.0, 4.0]) == [math.inf, 0.25]
    base, exponent = torch.tensor([-2.0, 0.0], requires_grad=True), torch.tensor([3.0, 2.0])
    (base**exponent).sum().backward()  # the exponent wants no gradient: no logarithm is taken
    assert base.grad.tolist() == [12.0, 0.0]
    exponent = torch.tensor([2.0, 3.0], requires_grad=True)
    (torch.tensor([0.0, 1.0]) ** exponent).sum().backward()
    assert exponent.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_R92_losses_of_different_shapes_warn(torch, warned, name):
    a, b = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([[1.0], [2.0], [3.0]])
    loss = getattr(torch.nn.functional, name)
    (text,) = warned(lambda: loss(a, b))
    assert "that is different to the input size" in text
    assert warned(lambda: loss(a, b.view_as(a))) == []


@pytest.mark.parametrize("name", ["MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"])
def test_R92_the_warning_is_of_the_users_line_and_shows_both_shapes(rushlight, name):
    a, b = rushlight.tensor([1.0, 2.0, 3.0]), rushlight.tensor([[1.0], [2.0], [3.0]])
    for loss in (getattr(rushlight.nn, name)(), rushlight.nn.Sequential(rushlight.nn.Identity())):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loss(a, b) if not isinstance(loss, rushlight.nn.Sequential) else rushlight.nn.functional.mse_loss(loss(a), b)
        (warning,) = caught
        text = str(warning.message)
        assert warning.filename == __file__ and "torch.Size([3, 1])" in text and "torch.Size([3])" in text


def test_R92_binary_cross_entropy_refuses_different_shapes(torch, fails):
    F = torch.nn.functional
    for loss in (F.binary_cross_entropy_with_logits, F.binary_cross_entropy):
        with fails(ValueError):
            loss(torch.full((3,), 0.5), torch.full((3, 1), 0.5))


def test_R93_cross_entropy_with_everything_ignored(torch):
    logits = ones(torch, 2, 3)
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([-100, -100]))
    loss.backward()
    assert loss.isnan() and logits.grad.tolist() == [[0.0] * 3] * 2
    with pytest.raises(IndexError, match="Target 7 is out of bounds."):
        torch.nn.functional.cross_entropy(logits, torch.tensor([0, 7]))


@pytest.mark.parametrize(
    "f, expected",
    [
        (lambda t, x: x * x, [2.0, 4.0]),
        (lambda t, x: x / x, [0.0, 0.0]),
        (lambda t, x: x - x, [0.0, 0.0]),
        (lambda t, x: t.stack([x, x]), [2.0, 2.0]),
        (lambda t, x: t.cat([x, x, x]), [3.0, 3.0]),
        (lambda t, x: t.dot(x, x), [2.0, 4.0]),
        (lambda t, x: t.outer(x, x), [6.0, 6.0]),
        (lambda t, x: t.where(x > 1, x, x), [1.0, 1.0]),
        (lambda t, x: t.maximum(x, x), [1.0, 1.0]),
        (lambda t, x: t.addcmul(x, x, x), [3.0, 5.0]),
        (lambda t, x: t.lerp(x, x, 0.3), [1.0, 1.0]),
        (lambda t, x: t.einsum("i,i->", x, x), [2.0, 4.0]),
    ],
)
def test_R94_one_tensor_as_several_operands(torch, f, expected):
    assert gradient(torch, lambda x: f(torch, x), [1.0, 2.0]) == expected


@pytest.mark.parametrize("write", [lambda y: y.__setitem__(0, y[1] * y[0]), lambda y: y.__imul__(y)])
def test_R94_overwriting_an_own_factor_is_refused(torch, write):
    y = ones(torch, 2) * 1
    write(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_R95_logistic_losses_at_zero_and_far_out(torch):
    F = torch.nn.functional
    assert gradient(torch, lambda x: x.sigmoid(), [0.0, 1000.0, -1000.0]) == [0.25, 0.0, 0.0]
    assert gradient(torch, lambda x: F.softplus(x), [0.0, 1000.0, -1000.0]) == [0.5, 1.0, 0.0]
    assert gradient(torch, lambda x: F.logsigmoid(x), [0.0, 1000.0, -1000.0]) == [0.5, 0.0, 1.0]
    x = torch.tensor([0.0, 1000.0, -1000.0], requires_grad=True)
    loss = F.binary_cross_entropy_with_logits(x, torch.tensor([0.0, 1.0, 0.0]), reduction="sum")
    loss.backward()
    assert abs(loss.item() - math.log(2)) < 1e-6 and x.grad.tolist() == [0.5, 0.0, 0.0]


def test_R96_an_operation_without_derivative_says_so(torch, fails):
    x = torch.tensor([1.0, 1.0, 2.0], requires_grad=True)
    u = torch.unique(x)
    assert u.requires_grad and u.tolist() == [1.0, 2.0]
    with pytest.raises(NotImplementedError, match="derivative.*unique"):
        u.sum().backward()
    assert x.grad is None


def test_R97_fully_masked_rows(torch):
    scores = torch.tensor([[0.0, 1.0], [-math.inf, -math.inf]])
    assert scores.softmax(1)[1].isnan().all() and not scores.softmax(1)[0].isnan().any()


def test_R97_attention_gives_zero_for_a_fully_masked_row(torch):
    q = ones(torch, 1, 2, 4)
    mask = torch.tensor([[True, True], [False, False]])
    out = torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    assert out[0, 1].tolist() == [0.0] * 4
    out.sum().backward()
    assert not q.grad.isnan().any()
