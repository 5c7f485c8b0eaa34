"""Reductions: who gets the gradient, zeros, infinities, precision, and the node each form records."""
import numpy as np
import pytest


def grad_of(torch, values, function, dtype=None):
    x = torch.tensor(values, dtype=dtype or torch.float64, requires_grad=True)
    function(x).backward()
    return x.grad.tolist()


class TestTies:
    """Equal elements: the whole reductions split evenly, those that name an index give it all."""

    VALUES = (1.0, 3.0, 3.0, 2.0)

    @pytest.mark.parametrize(("name", "expected"), [
        ("max", [0, 0.5, 0.5, 0]),
        ("amax", [0, 0.5, 0.5, 0]),
        ("min", [1, 0, 0, 0]),
        ("median", [0, 0, 0, 1]),
    ])
    def test_of_the_whole(self, torch, name, expected):
        assert grad_of(torch, self.VALUES, lambda x: getattr(x, name)()) == expected

    def test_with_dim_the_index_gets_it_all(self, torch):
        assert grad_of(torch, self.VALUES, lambda x: x.max(0).values) == [0, 1, 0, 0]
        assert grad_of(torch, self.VALUES, lambda x: x.amax(0)) == [0, 0.5, 0.5, 0]
        assert grad_of(torch, self.VALUES, lambda x: x.cummax(0).values.sum()) == [1, 1, 2, 0]

    def test_aminmax_shares_both_ends(self, torch):
        assert grad_of(torch, (2.0, 2.0), lambda x: x.aminmax().min + 10 * x.aminmax().max) == [5.5, 5.5]

    def test_inf_norm(self, torch):
        assert grad_of(torch, (3.0, -3.0), lambda x: x.norm(float("inf"))) == [0.5, -0.5]

    def test_seventy_thousand_equals_in_half(self, torch):
        x = torch.ones(70000, dtype=torch.float16, requires_grad=True)
        x.amax().backward()
        assert x.grad.float().max().item() == pytest.approx(1 / 70000, rel=0.01)

    def test_nan_takes_part_in_ties(self, torch):
        nan = float("nan")
        assert grad_of(torch, (nan, 1.0, nan), lambda x: x.max()) == [0.5, 0, 0.5]


class TestZeros:
    def test_norm_at_zero(self, torch):
        for p in (1, 1.5, 2, 3, float("inf")):
            assert grad_of(torch, [0.0, 0.0], lambda x, p=p: x.norm(p)) == [0, 0], p

    def test_std_of_constants(self, torch):
        assert grad_of(torch, [2.0, 2.0, 2.0], lambda x: x.std()) == [0, 0, 0]

    @pytest.mark.parametrize(("values", "expected"), [
        ([2.0, 3.0, 4.0], [12, 8, 6]),
        ([2.0, 0.0, 4.0], [0, 8, 0]),
        ([0.0, 0.0, 4.0], [0, 0, 0]),
    ])
    def test_prod(self, torch, values, expected):
        assert grad_of(torch, values, lambda x: x.prod()) == expected
        assert grad_of(torch, [values, values], lambda x: x.prod(1).sum()) == [expected, expected]

    def test_prod_of_zeros_differentiated_twice(self, torch):
        x = torch.tensor([2.0, 0.0, 4.0], dtype=torch.float64, requires_grad=True)
        (g,) = torch.autograd.grad(x.prod(), x, create_graph=True)
        assert g.tolist() == [0, 8, 0]
        (second,) = torch.autograd.grad(g.sum(), x)
        assert second.tolist() == [4, 6, 2]

    @pytest.mark.parametrize("values", [[2.0, 3.0, 4.0], [2.0, 0.0, 4.0, 3.0], [0.0, 2.0, 0.0, 3.0]])
    def test_cumprod_both_orders(self, torch, values):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(lambda x: x.cumprod(0), (x,))
        assert torch.autograd.gradgradcheck(lambda x: x.cumprod(0), (x,))


class TestPrecision:
    def test_long_outer_axis_in_float32(self, torch):
        a = np.random.default_rng(0).random((1 << 17, 2), dtype=np.float32)
        exact = a.astype(np.float64).sum(0)
        got = torch.from_numpy(a).sum(0).numpy()
        assert np.abs(got / exact - 1).max() < 1e-6

    def test_whole_of_something_not_contiguous(self, torch):
        a = np.random.default_rng(0).random((3, 1 << 16), dtype=np.float32)
        got = torch.from_numpy(a).t().sum().item()
        assert got == pytest.approx(a.astype(np.float64).sum(), rel=1e-6)

    def test_half_is_summed_in_float32(self, torch):
        for dtype in (torch.float16, torch.bfloat16):
            x = torch.ones(4096, dtype=dtype)
            assert x.sum().item() == 4096
            assert x.sum().dtype is dtype
            assert x.mean().item() == 1

    def test_integers_are_summed_in_int64(self, torch):
        x = torch.full((3,), 200, dtype=torch.uint8)
        assert x.sum().item() == 600
        assert x.cumsum(0).tolist() == [200, 400, 600]
        assert x.prod().dtype is torch.int64

    def test_cumsum_of_float32_runs_in_float64(self, torch):
        a = np.random.default_rng(0).random(10000, dtype=np.float32)
        exact = np.cumsum(a.astype(np.float64)).astype(np.float32)
        assert (torch.from_numpy(a).cumsum(0).numpy() == exact).all()


class TestForms:
    @pytest.mark.parametrize(("call", "node"), [
        (lambda x: x.sum(), "SumBackward0"),
        (lambda x: x.sum(0), "SumBackward1"),
        (lambda x: x.sum(0, keepdim=True), "SumBackward1"),
        (lambda x: x.mean(), "MeanBackward0"),
        (lambda x: x.mean(1), "MeanBackward1"),
        (lambda x: x.prod(), "ProdBackward0"),
        (lambda x: x.prod(0), "ProdBackward1"),
        (lambda x: x.max(), "MaxBackward1"),
        (lambda x: x.max(0).values, "MaxBackward0"),
        (lambda x: x.amin(), "AminBackward0"),
        (lambda x: x.var(), "VarBackward0"),
        (lambda x: x.norm(), "LinalgVectorNormBackward0"),
        (lambda x: x.median(), "MedianBackward0"),
        (lambda x: x.median(0).values, "MedianBackward1"),
        (lambda x: x.sort().values, "SortBackward0"),
        (lambda x: x.cumsum(0), "CumsumBackward0"),
        (lambda x: x.logsumexp(0), "LogsumexpBackward0"),
    ])
    def test_node(self, torch, call, node):
        x = torch.rand(2, 3, requires_grad=True)
        assert type(call(x).grad_fn).__name__ == node

    def test_keyword_spellings(self, torch):
        x = torch.arange(6.0).reshape(2, 3)
        assert x.sum(axis=1, keepdims=True).tolist() == x.sum(1, True).tolist() == [[3], [12]]
        assert torch.max(input=x, dim=1).indices.tolist() == [2, 2]
        assert torch.max(x, x.flip(0)).tolist() == [[3, 4, 5], [3, 4, 5]]

    def test_named_tuple(self, torch):
        values, indices = got = torch.tensor([1.0, 3.0]).max(0)
        assert (got.values is values) and (got[1] is indices)
        assert not torch.rand(3, requires_grad=True).max(0).indices.requires_grad

    def test_out(self, torch):
        x = torch.arange(6.0).reshape(2, 3)
        out = torch.empty(0)
        assert torch.sum(x, 0, out=out) is out
        assert out.tolist() == [3, 5, 7]
        values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
        torch.max(x, 1, out=(values, indices))
        assert (values.tolist(), indices.tolist()) == ([2, 5], [2, 2])
        with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got float "
                                               "instead"):
            torch.max(x, 1, out=(values, torch.empty(0)))

    def test_result_owns_its_memory(self, torch):
        for made in (torch.tensor(2.0).sum(), torch.tensor(2.0).amax(), torch.ones(1).prod(0)):
            made.add_(1)
        x = torch.ones(1, 3)
        x.sum(0).add_(5)
        x.cumsum(0).add_(5)
        x.sort(0).values.add_(5)
        assert x.tolist() == [[1, 1, 1]]

    def test_a_gradient_spread_without_copies_can_be_accumulated(self, torch):
        x = torch.ones(3, requires_grad=True)
        (x.sum() + x.sum()).backward()
        x.sum().backward()
        assert x.grad.tolist() == [3, 3, 3]

    def test_create_graph_through_broadcasting(self, torch):
        w = torch.tensor([2.0], requires_grad=True)
        y = (w * torch.ones(3)).pow(2).sum()
        (g,) = torch.autograd.grad(y, w, create_graph=True)
        g.sum().backward()
        assert w.grad.tolist() == [6]


class TestVariance:
    def test_warns_without_degrees_of_freedom(self, torch):
        with pytest.warns(UserWarning, match=r"^var\(\): degrees of freedom is <= 0"):
            assert torch.ones(1, 2).var(0).isnan().all()

    def test_the_warning_points_here(self, rushlight):
        with pytest.warns(UserWarning) as caught:
            rushlight.ones(1).std()
        assert caught[0].filename == __file__

    def test_large_offset(self, torch):
        x = torch.arange(5, dtype=torch.float64) + 1e9
        assert x.var().item() == 2.5
        assert torch.var_mean(x)[0].item() == 2.5


@pytest.mark.filterwarnings("error")
def test_nothing_leaks_from_numpy(torch):
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([inf, -inf, nan, 0.0])
    for name in ("sum", "mean", "prod", "max", "min", "amax", "std", "norm", "median", "nansum", "nanmean",
                 "argmax"):
        getattr(x, name)()
    for name in ("sum", "cumsum", "cumprod", "cummax", "logcumsumexp", "logsumexp", "sort", "mean", "var"):
        getattr(x, name)(0)
    x.diff()
    torch.tensor([3e38, 3e38]).sum()


def test_logsumexp_is_stable(torch):
    inf = float("inf")
    assert grad_of(torch, [1000.0, 1000.0], lambda x: x.logsumexp(0)) == pytest.approx([0.5, 0.5])
    assert torch.tensor([-inf, -inf]).logsumexp(0).item() == -inf
    assert torch.tensor([inf, 1.0]).logsumexp(0).item() == inf


def test_logcumsumexp_gradient_far_out(torch):
    x = [-800.0, 0.0, 800.0]
    got = grad_of(torch, x, lambda x: x.logcumsumexp(0).sum())
    assert got == pytest.approx([1, 1, 1])


class TestNuclearNorm:
    def test_both_orders(self, torch):
        x = torch.tensor(np.random.default_rng(0).standard_normal((2, 4, 3)), requires_grad=True)
        assert torch.autograd.gradcheck(lambda x: x.norm("nuc", (1, 2)), (x,))
        assert torch.autograd.gradgradcheck(lambda x: x.norm("nuc", (1, 2)), (x,))

    def test_value(self, torch):
        assert torch.diag(torch.tensor([3.0, 4.0])).norm("nuc").item() == pytest.approx(7)


class TestDistances:
    @pytest.mark.parametrize("p", [0.0, 1.0, 1.5, 2.0, 3.0, float("inf")])
    def test_gradient(self, torch, p):
        generator = np.random.default_rng(0)
        a = torch.tensor(generator.standard_normal((3, 2)), requires_grad=True)
        b = torch.tensor(generator.standard_normal((4, 2)), requires_grad=True)
        assert torch.autograd.gradcheck(lambda a, b: torch.cdist(a, b, p), (a, b))
        assert torch.autograd.gradcheck(lambda a: torch.pdist(a, p), (a,))

    def test_equal_rows(self, torch):
        a = torch.ones(2, 3, requires_grad=True)
        torch.cdist(a, a).sum().backward()
        assert a.grad.tolist() == [[0, 0, 0]] * 2

    def test_second_order(self, rushlight):
        a = rushlight.tensor(np.random.default_rng(0).standard_normal((3, 2)), requires_grad=True)
        assert rushlight.autograd.gradgradcheck(lambda a: rushlight.pdist(a), (a,))
        assert rushlight.autograd.gradgradcheck(lambda a: rushlight.cdist(a[:2], a[1:]), (a,))

    def test_portions(self, rushlight, monkeypatch):
        from rushlight.ops import norms
        a = rushlight.rand(7, 3, dtype=rushlight.float64, requires_grad=True)
        b = rushlight.rand(5, 3, dtype=rushlight.float64)
        whole = rushlight.cdist(a, b)
        whole.sum().backward()
        gradient, a.grad = a.grad, None
        monkeypatch.setattr(norms, "_AT_ONCE", 32)
        parts = rushlight.cdist(a, b)
        parts.sum().backward()
        assert (parts - whole).abs().max().item() == 0
        assert (a.grad - gradient).abs().max().item() < 1e-12


@pytest.mark.parametrize("name", ["amax", "amin"])
def test_extreme_that_is_nan_passes_nan_to_all(torch, name):
    x = torch.tensor([[float("nan"), 1.0], [2.0, 3.0]], requires_grad=True)
    getattr(x, name)(1).sum().backward()
    assert x.grad[0].isnan().all() and x.grad[1].sum().item() == 1


@pytest.mark.parametrize("name", ["max", "min", "median"])
def test_nans_share_the_gradient_of_one(torch, name):
    x = torch.tensor([float("nan"), 1.0, float("nan")], requires_grad=True)
    getattr(x, name)().backward()
    assert x.grad.tolist() == [0.5, 0, 0.5]


def test_product_with_a_nan(torch):
    x = torch.tensor([float("nan"), 1.0, -2.0], requires_grad=True)
    x.prod().backward()
    assert x.grad.isnan().all()
    x.grad = None
    x.prod(0).backward()
    assert x.grad.isnan().all()
    zeros = torch.tensor([float("nan"), 0.0, -2.0, 0.0], requires_grad=True)
    zeros.prod().backward()
    assert zeros.grad.tolist() == [0, 0, 0, 0]
