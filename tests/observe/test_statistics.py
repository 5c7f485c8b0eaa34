"""Statistics agree with NumPy's where NumPy has an answer, and never fail where it has none."""

import ml_dtypes
import numpy as np
import pytest

from rushlight.observe import Statistics
from rushlight.observe.statistics import spread

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
    assert s.exact == (a.size <= 512) and s.finite


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


@pytest.mark.parametrize("shape", [(512, 256), (1000, 100), (7, 11, 1024), (65537,)])
def test_samples_come_from_every_column(shape):
    columns = np.broadcast_to(np.arange(shape[-1]), shape).ravel()
    taken = spread(columns, 4096)
    assert 1000 <= len(taken) <= 4096 and len(np.unique(taken)) >= min(shape[-1], 600)
