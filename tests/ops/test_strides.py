"""The strides of results: which operators keep the order in memory of a permuted input, and which do not.

Programs notice by ``view`` and ``is_contiguous``. The tables below hold what PyTorch 2.13 answers, so they
can fail without it; where it is installed, it answers to them as well.
"""
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

INPUTS = {
    "transposed": lambda torch: torch.arange(24.0).reshape(2, 3, 4).transpose(1, 2),
    "permuted": lambda torch: torch.arange(24.0).reshape(2, 3, 4).permute(1, 0, 2),
    "reversed": lambda torch: torch.arange(24.0).reshape(4, 3, 2).permute(2, 1, 0),
}

# expression: strides of its result for x transposed, permuted and reversed
EXPECTED = {
    "x.softmax(0)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.softmax(-1)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.log_softmax(1)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.softmax(0, dtype=torch.double)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.softmin(x, 1)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.gumbel_softmax(x, dim=1)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.cumsum(0)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.cumsum(-1, dtype=torch.double)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.cumprod(1)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.cummax(1)[0]": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.cummin(1)[1]": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.logcumsumexp(1)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.roll(1, 0)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.roll((1, 1), (0, 1))": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.roll(2)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.tril()": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.triu()": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.logsigmoid(x)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.rms_norm(x, x.shape[-1:])": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.layer_norm(x, x.shape[-1:])": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.batch_norm(x, None, None, training=True)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.instance_norm(x)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.group_norm(x, 1)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.masked_fill(x > 9, 0.0)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.masked_fill(x > 9, torch.tensor(1.0))": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "x.renorm(2, 0, 1)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "torch.cdist(x, x)": ((16, 4, 1), (4, 2, 1), (9, 3, 1)),
    "x.sort(0)[0]": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.sort(-1, True)[1]": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.argsort(1)": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.msort()": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.topk(1, 1)[0]": ((3, 3, 1), (4, 4, 1), (4, 4, 1)),
    "x.flip(0)": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.flip(1, 2)": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.rot90()": ((1, 12, 4), (12, 4, 1), (2, 1, 6)),
    "x.rot90(2)": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.rot90(3)": ((1, 12, 4), (12, 4, 1), (2, 1, 6)),
    "x.rot90(4)": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
    "F.dropout(x)": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "F.alpha_dropout(x, 0.5, True)": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "torch.feature_dropout(x, 0.5, True)": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.erfinv()": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x[[0]]": ((12, 1, 4), (8, 4, 1), (12, 1, 3)),
    "x[[1, 0]]": ((12, 1, 4), (8, 4, 1), (12, 1, 3)),
    "x[:, [0, 1]]": ((6, 3, 1), (8, 4, 1), (1, 2, 4)),
    "x[..., [0, 1]]": ((8, 2, 1), (2, 6, 1), (2, 4, 1)),
    "x[[0], [1]]": ((3, 1), (4, 1), (4, 1)),
    "x[[0, 1], :, [1, 0]]": ((4, 1), (2, 1), (3, 1)),
    "x[:, [[0, 1], [1, 0]]]": ((12, 6, 3, 1), (16, 8, 4, 1), (1, 4, 2, 8)),
    "x[x[:, 0, 0] > -9]": ((12, 1, 4), (8, 4, 1), (12, 1, 3)),
    "x[:, x[0, :, 0] > -9]": ((12, 3, 1), (8, 4, 1), (1, 2, 6)),
    "x.sum(0)": ((3, 1), (4, 1), (4, 1)),
    "x.sum(1)": ((3, 1), (4, 1), (4, 1)),
    "x.sum(-1, keepdim=True)": ((4, 1, 1), (2, 1, 1), (3, 1, 1)),
    "x.sum(0, dtype=torch.double)": ((3, 1), (4, 1), (4, 1)),
    "x.mean(1)": ((3, 1), (4, 1), (4, 1)),
    "x.max(1)[0]": ((3, 1), (4, 1), (4, 1)),
    "x.amax(0)": ((3, 1), (4, 1), (4, 1)),
    "x.var(1)": ((3, 1), (4, 1), (4, 1)),
    "x.std(0)": ((3, 1), (4, 1), (4, 1)),
    "x.norm(dim=1)": ((3, 1), (4, 1), (4, 1)),
    "x.prod(1)": ((3, 1), (4, 1), (4, 1)),
    "x.logsumexp(1)": ((3, 1), (4, 1), (4, 1)),
    "x.all(1)": ((3, 1), (4, 1), (4, 1)),
    "x.argmax(1)": ((3, 1), (4, 1), (4, 1)),
    "x.median(1)[0]": ((3, 1), (4, 1), (4, 1)),
    "x.quantile(0.5, 1)": ((3, 1), (4, 1), (4, 1)),
    "x + 1": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.exp()": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.clone()": ((12, 1, 4), (4, 12, 1), (1, 2, 6)),
    "x.contiguous()": ((12, 3, 1), (8, 4, 1), (12, 4, 1)),
}

# the same for x of shape (2, 3, 4, 5) with the channels last
CHANNELS_LAST = {
    "F.batch_norm(x, None, None, training=True)": (60, 1, 15, 3),
    "F.group_norm(x, 1)": (60, 1, 15, 3),
    "F.rms_norm(x, x.shape[-1:])": (60, 1, 15, 3),
    "F.layer_norm(x, x.shape[-1:])": (60, 20, 5, 1),
    "F.instance_norm(x)": (60, 20, 5, 1),
    "x.softmax(1)": (60, 20, 5, 1),
    "x.cumsum(1)": (60, 20, 5, 1),
    "x.masked_fill(x > 9, 0.0)": (60, 20, 5, 1),
    "x.roll(1, 0)": (60, 1, 15, 3),
    "x.flip(0)": (60, 1, 15, 3),
    "x.sort(0)[0]": (60, 1, 15, 3),
    "F.dropout(x)": (60, 1, 15, 3),
}

# strides of the gradient that autograd.grad gives for x of shape (2, 3)
GRADIENTS = {
    "x.mean()": (3, 1),
    "x.mean(0).sum()": (3, 1),
    "x.mean(1, True).sum()": (3, 1),
    "x.mean((0, 1))": (3, 1),
    "(x + 1).mean()": (3, 1),
    "(x * x).mean()": (3, 1),
    "x.double().mean()": (3, 1),
    "x.half().mean()": (3, 1),
}


def strides(torch, expression, x):
    """Strides of the result, those of dimensions of length 1 left out: they say nothing."""
    made = eval(expression, {"torch": torch, "F": torch.nn.functional, "x": x})
    return [(i, s) for i, (s, n) in enumerate(zip(made.stride(), made.shape)) if n > 1], made.shape


def compare(torch, expression, x, expected):
    found, shape = strides(torch, expression, x)
    assert found == [(i, s) for i, (s, n) in enumerate(zip(expected, shape)) if n > 1]


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("expression", EXPECTED)
def test_strides_of_results(torch, expression, kind):
    compare(torch, expression, INPUTS[kind](torch), EXPECTED[expression][list(INPUTS).index(kind)])


@pytest.mark.parametrize("expression", EXPECTED)
def test_values_do_not_depend_on_strides(torch, expression):
    if "dropout" in expression or "gumbel" in expression:
        pytest.skip("random, and drawn in the order of memory")
    for make in INPUTS.values():
        x = make(torch)
        scope = {"torch": torch, "F": torch.nn.functional}
        laid, plain = (eval(expression, scope, {"x": y}) for y in (x, x.contiguous()))
        assert torch.allclose(laid, plain, atol=1e-6, equal_nan=True) if laid.is_floating_point() else \
            torch.equal(laid, plain)


@pytest.mark.parametrize("expression", CHANNELS_LAST)
def test_strides_with_the_channels_last(torch, expression):
    x = torch.arange(120.0).reshape(2, 3, 4, 5).to(memory_format=torch.channels_last)
    compare(torch, expression, x, CHANNELS_LAST[expression])


@pytest.mark.parametrize("record", (False, True))
@pytest.mark.parametrize("expression", GRADIENTS)
def test_strides_of_gradients(torch, expression, record):
    x = torch.ones(2, 3, requires_grad=True)
    g, = torch.autograd.grad(eval(expression, {"x": x}), x, create_graph=record)
    assert g.stride() == GRADIENTS[expression]


@pytest.mark.parametrize("reduce", (lambda x: x.mean(), lambda x: x.mean(0).sum(), lambda x: x.mean(1).sum()))
def test_a_hook_may_write_to_the_gradient_of_a_mean(torch, reduce):
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: g.mul_(2))
    reduce(y).backward()
    want = torch.autograd.grad(reduce(x), x)[0] * 2
    assert torch.equal(x.grad, want)


def test_a_softmax_of_a_transposed_matrix_can_be_viewed(torch):
    x = torch.arange(6.0).reshape(3, 2).t()
    for y in (x.softmax(0), x.log_softmax(1), x.cumsum(0), x.masked_fill(x > 2, 0.0)):
        assert y.view(-1).shape == (6,)
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        x.sort(0)[0].view(-1)


@pytest.mark.parametrize("name", ("dropout", "alpha_dropout"))
def test_dropout_draws_in_the_order_of_memory(torch, name):
    drop = getattr(torch.nn.functional, name)
    torch.manual_seed(0)
    plain = drop(torch.ones(4, 6), 0.5, True)
    torch.manual_seed(0)
    assert torch.equal(drop(torch.ones(4, 6).t(), 0.5, True), plain.t())


def test_gradients_pass_through_permuted_inputs(torch):
    for expression in (
        "x.flip(0)", "x.sort(0)[0]", "x[[1, 0]]", "x.roll(1, 0)", "x.masked_fill(x > 9, 0.0)", "x.cumsum(1)",
        "F.rms_norm(x, x.shape[-1:])", "F.batch_norm(x, None, None, training=True)",
    ):
        for make in INPUTS.values():
            grads = []
            for plain in (False, True):
                x = make(torch)
                x = (x.contiguous() if plain else x).double().requires_grad_()
                made = eval(expression, {"torch": torch, "F": torch.nn.functional, "x": x})
                (made * torch.arange(made.numel()).reshape(made.shape)).sum().backward()
                grads.append(x.grad)
            assert torch.allclose(*grads)
