"""Convolutions, poolings, interpolation, grids: against recordings of PyTorch, and against plain loops."""
import gzip
import json
import pathlib
import warnings
from itertools import product

import numpy as np
import pytest
from tests.ops.functional_cases import outcome
from tests.ops.spatial_cases import CASES
from tests.ops.test_functional import check

import rushlight
from rushlight.kernels import convolution as kernels
from rushlight.kernels import pooling

RECORDED = pathlib.Path(__file__).parent.parent / "golden" / "functional" / "spatial.json.gz"
F = rushlight.nn.functional


@pytest.fixture(scope="module")
def recorded():
    with gzip.open(RECORDED, "rt") as stream:
        return json.load(stream)


@pytest.mark.parametrize("expression", CASES)
def test_outcome_is_the_recorded_one(expression, recorded):
    check(outcome(rushlight, expression), recorded[expression], expression)


def loops(x, weight, stride, padding, dilation, groups):
    """A convolution written as its definition says."""
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    size, kernel = x.shape[2:], weight.shape[2:]
    out = [kernels.output_size(n, k, s, 0, d) for n, k, s, d in zip(size, kernel, stride, dilation)]
    made = np.zeros((x.shape[0], weight.shape[0], *out))
    share, wide = weight.shape[0] // groups, weight.shape[1]
    for o in range(weight.shape[0]):
        part = x[:, o // share * wide:(o // share + 1) * wide]
        for at in product(*map(range, out)):
            index = tuple(slice(a * s, a * s + d * (k - 1) + 1, d) for a, s, d, k in zip(at, stride, dilation, kernel))
            made[(slice(None), o, *at)] = (part[(..., *index)] * weight[o]).reshape(len(x), -1).sum(1)
    return made


GEOMETRIES = [
    ((2, 4, 7), (6, 2, 3), (2,), (1,), (1,), 2),
    ((3, 4, 6, 5), (4, 1, 3, 2), (1, 2), (1, 0), (2, 1), 4),
    ((2, 3, 5, 5), (2, 3, 2, 2), (1, 1), (0, 0), (1, 1), 1),
    ((2, 3, 2, 2), (9, 3, 2, 2), (1, 1), (0, 0), (1, 1), 1),
    ((2, 2, 4, 3, 4), (2, 1, 2, 1, 3), (2, 1, 1), (1, 1, 0), (1, 1, 1), 2),
]


@pytest.mark.parametrize("at_once", [1, 100, 1 << 20])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_kernels_are_the_definition_however_many_samples_go_at_once(geometry, at_once, monkeypatch):
    monkeypatch.setattr(kernels, "AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    shape, weight_shape, *rest = geometry
    x, weight = rng.standard_normal(shape), rng.standard_normal(weight_shape)
    expected = loops(x, weight, *rest)
    made = kernels.convolve(x, weight, None, *rest)
    np.testing.assert_allclose(made, expected, 1e-12, 1e-12)
    # The two gradients are the transposes of two linear maps: <g, conv(x, w)> = <x, input> = <w, weight>.
    g = rng.standard_normal(made.shape)
    to_input = kernels.convolve_input(g, weight, shape, *rest)
    to_weight = kernels.convolve_weight(g, x, weight_shape[2:], *rest)
    assert to_input.shape == shape and to_weight.shape == weight_shape
    np.testing.assert_allclose([(x * to_input).sum(), (weight * to_weight).sum()], (g * made).sum(), 1e-10)


def test_inputs_of_any_strides_and_none_are_written_to():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((5, 4, 3, 2)).transpose(3, 2, 1, 0)
    weight = rng.standard_normal((2, 3, 2, 2))[..., ::-1]
    x.flags.writeable = weight.flags.writeable = False
    given = (1, 1), (0, 0), (1, 1), 1
    np.testing.assert_allclose(kernels.convolve(x, weight, None, *given), loops(x, weight, *given), 1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_maximum_of_what_is_not_finite(value):
    x = np.array([[[1.0, value, 2.0, 3.0], [0.0, 4.0, value, value]]])[None]
    with np.errstate(all="ignore"):         # as operators run
        best, won = pooling.max_pool(x, (1, 2), (2, 2), (2, 2), (0, 0), (1, 1))
    expected = [value, value] if value != -np.inf else [4.0, 3.0]
    np.testing.assert_array_equal(best.ravel(), expected)
    places = pooling.places_of(won, (2, 4), (2, 2), (2, 2), (0, 0), (1, 1)).ravel()
    np.testing.assert_array_equal(x.ravel()[places], expected)


def test_gradient_of_a_maximum_may_be_infinite():
    x = rushlight.tensor([[[1.0, 3.0], [2.0, 0.0]]], requires_grad=True)
    F.max_pool2d(x, 2).backward(rushlight.tensor([[[float("inf")]]]))
    assert x.grad.tolist() == [[[0.0, float("inf")], [0.0, 0.0]]]


def test_places_of_windows_that_begin_in_the_padding():
    x = rushlight.full((1, 1, 3, 3), -float("inf"))
    _, at = F.max_pool2d(x, 3, 2, 1, return_indices=True)
    assert at.flatten().tolist() == [0, 1, 3, 4]


def test_a_kernel_of_more_than_256_places():
    x = rushlight.rand(1, 1, 20, 20, dtype=rushlight.float64)
    best, at = F.max_pool2d(x, 17, 3, return_indices=True)
    assert best.flatten().tolist() == x.flatten()[at.flatten()].tolist()


def test_unpooling_puts_back():
    x = rushlight.rand(2, 3, 6, 4, 4)
    best, at = F.max_pool3d(x, 2, return_indices=True)
    back = F.max_unpool3d(best, at, 2, output_size=x.shape)
    assert ((back == x) | (back == 0)).all() and (back != 0).sum() == best.numel()


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
def test_antialiased_weights_of_a_flat_image_leave_it_flat(mode):
    made = F.interpolate(rushlight.full((1, 1, 9, 7), 3.0, dtype=rushlight.float64), (4, 5), mode=mode, antialias=True)
    np.testing.assert_allclose(made.numpy(), 3.0, 1e-12)


def test_the_identity_grid_shows_the_image_itself():
    image = rushlight.rand(1, 2, 5, 4, dtype=rushlight.float64)
    for align in (True, False):
        grid = F.affine_grid(rushlight.eye(2, 3, dtype=rushlight.float64)[None], image.shape, align_corners=align)
        for mode in ("bilinear", "nearest", "bicubic"):
            made = F.grid_sample(image, grid, mode=mode, align_corners=align)
            np.testing.assert_allclose(made.numpy(), image.numpy(), 1e-10, 1e-12)


def test_a_grid_that_is_no_number_counts_as_outside():
    made = F.grid_sample(rushlight.ones(1, 1, 2, 2), rushlight.full((1, 1, 1, 2), float("nan")), align_corners=False)
    assert made.item() == 0


@pytest.mark.parametrize("name", ["upsample", "upsample_nearest", "upsample_bilinear"])
def test_older_names_warn_where_they_are_called(name):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        getattr(F, name)(rushlight.ones(1, 1, 2, 2), 4)
    assert [w.filename for w in heard] == [__file__]
    assert str(heard[0].message).startswith(f"`nn.functional.{name}` is deprecated")


def test_fractional_windows_are_those_of_the_seed():
    rushlight.manual_seed(0)
    made, at = F.fractional_max_pool2d(rushlight.arange(36.0).reshape(1, 1, 6, 6), 2, 3, return_indices=True)
    assert made.tolist() == at.to(rushlight.float32).tolist()
    assert at.flatten().tolist() == [7, 9, 11, 19, 21, 23, 31, 33, 35]      # PyTorch's
