"""Statistics agree with NumPy's where NumPy has an answer, and never fail where it has none."""

import ml_dtypes
import numpy as np
import pytest

from rushlight.observe import Statistics
from rushlight.observe.statistics import LARGE, SAMPLE, spread

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(3,), (100, 7), (40, 30, 20)])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_figures(shape, offset):
    a = RANDOM.standard_normal(shape).astype(np.float32) + np.float32(offset)
    s = Statistics(a)
    wide = a.astype(np.float64)
    assert s.norm == pytest.approx(np.linalg.norm(wide.ravel()), rel=1e-5)
    assert s.mean == pytest.approx(wide.mean(), rel=1e-5, abs=1e-5) and s.std == pytest.approx(wide.std(), rel=1e-3)
    assert (s.min, s.max, s.size, s.zeros, s.nan, s.inf) == (a.min(), a.max(), a.size, 0, 0, 0)
    assert s.quantiles((0.5,))[0.5] == pytest.approx(np.median(wide), abs=0.2)
    counts, edges = s.histogram(10)
    assert counts.sum() == pytest.approx(a.size) and edges[0] == s.min and edges[-1] == s.max
    assert s.exact == (a.size <= SAMPLE) and s.finite


@pytest.mark.parametrize(
    "a",
    [
        np.zeros(0, np.float32),
        np.float64(3.0),
        np.array(0.0),
        np.array([np.nan]),
        np.array([np.inf, -np.inf]),
        np.zeros((2, 3)),
        np.array([np.nan, 1.0, np.inf, 0.0]),
        np.arange(6).reshape(2, 3),
        np.array([True, False]),
        np.array([1 + 2j, 0]),
        np.array([1e300, -1e300]),
        np.array([1e30, 1e30], np.float32),
        np.array([1e-40, 0], np.float32),
        np.ones(4, np.float16),
        np.array([1.5, np.nan], ml_dtypes.bfloat16),
        np.ones((4, 4)).T[::2],
        np.array(7),
        np.array([-(2**63)]),
    ],
    ids=lambda a: f"{np.asarray(a).dtype}{np.asarray(a).ravel()[:2]}",
)
def test_nothing_fails(a):
    s = Statistics(a)
    a = np.asarray(a)
    assert s.size == a.size and s.shape == a.shape
    assert s.norm >= 0 and np.isfinite(s.norm) and (s.std is None or np.isfinite(s.std))
    assert 0 <= s.share_of_zeros <= 1 and np.isfinite(s.rms)
    counts, edges = s.histogram()
    assert len(edges) == len(counts) + 1 and np.all(np.isfinite(edges))
    s.quantiles()
    curve = s.curve()
    assert (curve is None) == (s.min is None) and (curve is None or np.isfinite(curve).all() and np.all(np.diff(np.float64(curve)) >= 0))
    assert repr(s).startswith("Statistics(") and s.as_dict()["size"] == a.size


def test_what_is_not_finite_is_counted():
    s = Statistics(np.array([np.nan, np.nan, np.inf, 3.0, -4.0, 0.0], np.float32))
    assert (s.nan, s.inf, s.zeros, s.norm, s.min, s.max) == (2, 1, 1, 5.0, -4.0, 3.0) and not s.finite


def test_norms_of_extreme_numbers():
    assert Statistics(np.array([3e300, 4e300])).norm == pytest.approx(5e300)
    assert Statistics(np.array([3e-30, 4e-30], np.float32)).norm == pytest.approx(5e-30, rel=1e-5)


def test_large_arrays_in_a_hurry():
    a = RANDOM.standard_normal((512, 256)).astype(np.float32)
    a[:, 3::4] = 0
    s, exact = Statistics(a, quick=True), Statistics(a)
    assert s.estimated and not exact.estimated and not s.exact
    assert s.norm == exact.norm and s.finite
    assert s.mean == pytest.approx(exact.mean, abs=0.05) and s.std == pytest.approx(exact.std, rel=0.05)
    assert s.share_of_zeros == pytest.approx(0.25, abs=0.02) and exact.share_of_zeros == 0.25
    a[7, 7], a[8, 8] = np.nan, np.inf
    assert (Statistics(a, quick=True).nan, Statistics(a, quick=True).inf) == (1, 1)


@pytest.mark.parametrize("size", [1, 2, 3, 20, 21, 22, 100, 511, 512, 513, 5000, 70_000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
def test_curve_is_numpys(size, dtype):
    a = (RANDOM.standard_normal(size) * 100).astype(dtype)
    for s in (Statistics(a), Statistics(a, quick=True)):
        curve, shares = s.curve(), np.linspace(0, 1, 21)
        assert curve.dtype == np.float32 and curve.shape == (21,)
        assert (curve[0], curve[-1]) == (np.float32(s.min), np.float32(s.max))
        wanted = np.quantile(s.sample.astype(np.float64), shares)
        np.testing.assert_allclose(curve[1:-1], wanted[1:-1], rtol=1e-6, atol=1e-6)
        if s.exact:
            np.testing.assert_allclose(curve, np.quantile(a.astype(np.float64), shares), rtol=1e-6, atol=1e-6)


def test_curve_of_hard_cases():
    assert Statistics(np.array([np.nan, np.inf])).curve() is None and Statistics(np.zeros((0, 3))).curve() is None
    assert Statistics(np.array([np.nan, 2.0, np.inf])).curve().tolist() == [2.0] * 21
    top = float(np.finfo(np.float32).max)
    assert Statistics(np.array([-1e300, 1e300])).curve()[[0, -1]].tolist() == [-top, top]
    assert Statistics(np.array([-top, top], np.float32)).curve()[[0, 10, -1]].tolist() == [-top, 0.0, top]


@pytest.mark.parametrize("size", [1, SAMPLE, SAMPLE + 1, LARGE, LARGE + 1, 10 * LARGE])
def test_what_is_estimated_says_so(size):
    a = RANDOM.standard_normal(size).astype(np.float32)
    a[:: max(2, size // 100)] = 0.0
    s, exact = Statistics(a, quick=True), Statistics(a)
    assert s.estimated == (size > LARGE) and not exact.estimated
    assert (s.norm, s.nan, s.inf) == (exact.norm, 0, 0)
    if not s.estimated:
        for figure in ("mean", "std", "min", "max", "zeros"):
            assert getattr(s, figure) == pytest.approx(getattr(exact, figure), rel=1e-6, abs=1e-7), figure


def test_a_sample_is_the_same_however_the_array_lies():
    a = RANDOM.standard_normal((30, 20, 40)).astype(np.float32)
    turned = np.ascontiguousarray(a.transpose(2, 0, 1)).transpose(1, 2, 0)
    assert not turned.flags.c_contiguous and np.array_equal(a, turned)
    np.testing.assert_array_equal(Statistics(a, quick=True).sample, Statistics(turned, quick=True).sample)
    assert Statistics(turned).as_dict() == pytest.approx(Statistics(a).as_dict(), rel=1e-6, abs=1e-8)


def test_shrinking_keeps_the_figures():
    a = RANDOM.standard_normal(3000).astype(np.float32)
    a[0] = np.nan
    s = Statistics(a, quick=True)
    before, curve = s.as_dict(), s.curve()
    s.shrink()
    assert s.as_dict() == before and len(s.sample) == 21 and not s.exact
    np.testing.assert_array_equal(s.curve(), curve)
    assert s.quantiles((0.5,))[0.5] == curve[10] and s.histogram(10)[0].sum() == pytest.approx(2999)
    few = Statistics(np.array([np.nan]))
    few.shrink()
    assert few.curve() is None and few.mean is None


@pytest.mark.parametrize("shape", [(512, 256), (1000, 100), (7, 11, 1024), (65537,)])
def test_samples_come_from_every_column(shape):
    columns = np.broadcast_to(np.arange(shape[-1]), shape).ravel()
    taken = spread(columns, 4096)
    assert 1000 <= len(taken) <= 4096 and len(np.unique(taken)) >= min(shape[-1], 600)
