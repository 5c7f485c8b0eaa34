"""Samples of pooling in all dimensions and of unpooling."""
from tests.ops.sample import Sample, T

LINE, PLANE, VOLUME = T((2, 2, 6)), T((1, 2, 4, 4)), T((1, 2, 3, 2, 3))
PLACES = T((1, 2, 2, 2), "int64", low=0, high=16, seed=14, requires_grad=False)
RANDOM = T((1, 2, 2), low=0, high=1, requires_grad=False)
POSITIVE = T((2, 6), low=0.5)

SAMPLES = {
    "max_pool1d": [Sample(LINE, 2), Sample(LINE, 3, 2, 1, 1, True), Sample(T((2, 6)), 2, 1, 0, 3)],
    "max_pool1d_with_indices": [Sample(LINE, 3, 2, 1)],
    "max_pool2d_with_indices": [Sample(PLANE, 3, 2, 1), Sample(PLANE, 2)],
    "max_pool3d": [Sample(VOLUME, 2), Sample(VOLUME, (3, 1, 2), 1, (1, 0, 1), (1, 1, 2)), Sample(T((1, 2, 2, 3)), 2)],
    "max_pool3d_with_indices": [Sample(VOLUME, 2, 1)],
    "avg_pool1d": [Sample(LINE, 2), Sample(LINE, 3, 2, 1, True, False), Sample(T((2, 6)), [3])],
    "avg_pool3d": [
        Sample(VOLUME, 2),
        Sample(VOLUME, (2, 1, 2), 1, (1, 0, 1), False, False),
        Sample(T((1, 3, 3, 3)), 2, 2, 0, True, True, 3),
    ],
    "lp_pool1d": [Sample(POSITIVE, 3, 2), Sample(POSITIVE, 2, 2, 1)],
    "lp_pool3d": [Sample(T((1, 1, 2, 2, 3), low=0.5), 2, 2, 1)],
    "adaptive_avg_pool1d": [Sample(LINE, 4), Sample(T((2, 5)), 2)],
    "adaptive_avg_pool3d": [Sample(VOLUME, (2, 1, 2)), Sample(VOLUME, 1), Sample(T((1, 3, 2, 2)), (None, 2, 1))],
    "adaptive_max_pool1d": [Sample(LINE, 4)],
    "adaptive_max_pool3d": [Sample(VOLUME, (2, 1, 2)), Sample(T((1, 3, 2, 2)), (2, 2, 1))],
    "max_unpool2d": [Sample(T((1, 2, 2, 2)), PLACES, 2), Sample(T((1, 2, 2, 2)), PLACES, 2, output_size=(5, 4))],
    "fractional_max_pool2d": [
        Sample(PLANE, 2, (2, 3), _random_samples=RANDOM),
        Sample(PLANE, 2, output_ratio=(0.5, 0.5), return_indices=True, _random_samples=RANDOM),
    ],
    "fractional_max_pool3d": [
        Sample(VOLUME, (2, 1, 1), (1, 1, 2), _random_samples=T((1, 2, 3), low=0, high=1, requires_grad=False)),
    ],
}
