"""Order among equals and NaN, selection, searching, the distinct, histograms."""
import numpy as np
import pytest

NAN = float("nan")


class TestOrder:
    def test_nan_is_greatest(self, torch):
        x = torch.tensor([NAN, 1.0, float("inf"), -1.0])
        assert x.sort().indices.tolist() == [3, 1, 2, 0]
        assert x.sort(descending=True).indices.tolist() == [0, 2, 1, 3]
        assert x.argmax().item() == 0
        assert x.topk(2).indices.tolist() == [0, 2]
        assert x.kthvalue(4).indices.item() == 0

    def test_stable_both_ways(self, torch):
        x = torch.tensor([1, 0] * 20)
        assert torch.sort(x, stable=True).indices[:3].tolist() == [1, 3, 5]
        assert torch.sort(x, stable=True, descending=True).indices[:3].tolist() == [0, 2, 4]

    @pytest.mark.parametrize("seed", range(12))
    def test_choices_among_equals(self, seed):
        """What introsort, introselect and quickselect leave in place, index by index."""
        torch = pytest.importorskip("torch")
        import rushlight
        generator = np.random.default_rng(seed)
        n = int(generator.choice([5, 17, 40, 130]))
        a = generator.integers(0, int(generator.choice([2, 4, 9])), (3, n)).astype(np.float32)
        if seed % 3 == 0:
            a[generator.random(a.shape) < 0.2] = NAN
        k = int(generator.integers(1, n + 1))
        calls = {
            "sort": lambda x: x.sort(), "descending": lambda x: x.sort(-1, True), "topk": lambda x: x.topk(k),
            "least": lambda x: x.topk(k, -1, False), "unsorted": lambda x: x.topk(k, sorted=False),
            "kthvalue": lambda x: x.kthvalue(k), "median": lambda x: x.median(1),
            "nanmedian": lambda x: x.nanmedian(1), "argsort": lambda x: (x.argsort(), x.argmax(1)),
        }
        if seed % 3:
            calls["mode"] = lambda x: x.mode()
        for name, call in calls.items():
            for theirs, ours in zip(call(torch.from_numpy(a)), call(rushlight.from_numpy(a))):
                assert np.array_equal(theirs.numpy(), ours.numpy(), equal_nan=True), name

    def test_recorded_choices_among_equals(self, torch):
        x = torch.tensor([2, 1, 2, 1, 2])
        assert x.topk(2).indices.tolist() == [2, 4]
        assert x.kthvalue(2).indices.item() == 3
        assert x.mode().indices.item() == 4
        assert torch.tensor([1, 0] * 9).sort().indices.tolist() == \
            [9, 17, 15, 13, 11, 7, 5, 3, 1, 6, 8, 0, 10, 4, 12, 14, 2, 16]

    def test_large_rows_with_equals(self, rushlight):
        x = rushlight.arange(20000).remainder(10)
        assert x.sort().indices[:2].tolist() == [0, 10]
        assert x.float().topk(2).indices.tolist() == [9, 19]

    def test_gradients_go_where_the_indices_say(self, torch):
        x = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True)
        weights = torch.tensor([[1.0, 10.0, 100.0]])
        (x.sort().values * weights).sum().backward()
        assert x.grad.tolist() == [[100, 1, 10]]
        x.grad = None
        x.topk(2).values.sum().backward()
        assert x.grad.tolist() == [[1, 0, 1]]

    def test_zero_dimensions(self, torch):
        x = torch.tensor(3.0, requires_grad=True)
        for made in (x.sort(), x.topk(1), x.kthvalue(1), x.median(0), x.mode(0), x.cummax(0), x.max(0)):
            assert (made.values.item(), made.indices.item()) == (3, 0)
            x.grad = None
            made.values.backward()
            assert x.grad.item() == 1


class TestQuantile:
    @pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
    def test_interpolations(self, torch, interpolation):
        a = np.random.default_rng(0).standard_normal((4, 5))
        x = torch.tensor(a)
        q = torch.tensor([0.0, 0.3, 0.5, 1.0], dtype=torch.float64)
        for dim in (0, 1, -1):
            got = x.quantile(q, dim, interpolation=interpolation).numpy()
            assert got == pytest.approx(np.quantile(a, q.numpy(), dim, method=interpolation))
            kept = x.quantile(q, dim, True, interpolation=interpolation)
            expected = np.quantile(a, q.numpy(), dim, method=interpolation, keepdims=True)
            assert kept.numpy() == pytest.approx(expected)

    def test_gradient_adds_up_at_one_element(self, torch):
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        x.quantile(torch.tensor([0.5, 0.5])).sum().backward()
        assert x.grad.tolist() == [0, 2, 0]

    def test_gradient_of_q(self, torch):
        q = torch.tensor([0.25], requires_grad=True)
        torch.tensor([1.0, 2.0, 5.0]).quantile(q).backward()
        assert q.grad.tolist() == [2]

    def test_nan(self, torch):
        x = torch.tensor([[1.0, NAN, 3.0], [1.0, 2.0, 4.0]])
        assert str(x.quantile(0.5, 1).tolist()) == "[nan, 2.0]"
        assert x.nanquantile(0.5, 1).tolist() == [2, 2]


class TestSearch:
    def test_rows(self, torch):
        edges = torch.tensor([[1, 3, 5], [2, 4, 6]])
        assert torch.searchsorted(edges, torch.tensor([[3], [3]])).tolist() == [[1], [1]]
        assert torch.searchsorted(edges, torch.tensor([[3], [4]]), right=True).tolist() == [[2], [2]]

    def test_nan_and_disorder(self, torch):
        edges = torch.tensor([1.0, NAN])
        assert torch.searchsorted(edges, torch.tensor([0.0, 2.0, NAN])).tolist() == [2, 2, 2]
        assert torch.searchsorted(torch.tensor([5, 1, 3, 2]), torch.tensor([2, 4])).tolist() == [2, 4]

    def test_isin(self, torch):
        none = torch.tensor([], dtype=torch.int64)
        assert torch.isin(torch.tensor([1, 2]), none).tolist() == [False, False]
        assert torch.isin(torch.tensor([[1.5, NAN]]), torch.tensor([NAN, 1.5])).tolist() == [[True, False]]


class TestDistinct:
    def test_rows(self, torch):
        x = torch.tensor([[1, 2], [0, 5], [1, 2]])
        values, inverse, counts = x.unique(return_inverse=True, return_counts=True, dim=0)
        assert values.tolist() == [[0, 5], [1, 2]]
        assert (inverse.tolist(), counts.tolist()) == ([1, 0, 1], [1, 2])
        assert x.unique_consecutive(dim=1).tolist() == x.tolist()

    def test_inverse_has_the_shape_of_the_input(self, torch):
        x = torch.tensor([[3, 1], [1, 3]])
        values, inverse = x.unique(return_inverse=True)
        assert values[inverse].tolist() == x.tolist()

    def test_no_derivative(self, torch):
        x = torch.tensor([1.0, 1.0], requires_grad=True)
        with pytest.raises(NotImplementedError, match="derivative for .*unique.* is not implemented"):
            x.unique().sum().backward()


class TestHistogram:
    def test_edges_belong_to_the_right_bin(self, torch):
        x = torch.tensor([0.0, 1.0, 2.0, 3.0])
        assert torch.histc(x, 3, 0, 3).tolist() == [1, 1, 2]
        assert torch.histogram(x, 3, range=(0.0, 3.0)).hist.tolist() == [1, 1, 2]

    @pytest.mark.parametrize("bins", [1, 7, 100])
    def test_against_numpy(self, torch, bins):
        a = np.random.default_rng(0).standard_normal(1000)
        got = torch.histogram(torch.tensor(a), bins, density=True)
        expected, edges = np.histogram(a, bins, density=True)
        assert got.hist.numpy() == pytest.approx(expected)
        assert got.bin_edges.numpy() == pytest.approx(edges)

    def test_in_two_dimensions(self, torch):
        a = np.random.default_rng(0).standard_normal((500, 2))
        got = torch.histogramdd(torch.tensor(a), [3, 4])
        expected, _ = np.histogramdd(a, [3, 4])
        assert got.hist.tolist() == expected.tolist()
        assert [len(e) for e in got.bin_edges] == [4, 5]
