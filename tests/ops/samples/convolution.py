"""Samples of convolutions in all dimensions, of windows as columns, and of affine grids."""
from tests.ops.sample import Sample, T

LINE, PLANE, VOLUME = T((2, 2, 5)), T((1, 2, 4, 3)), T((1, 1, 3, 3, 2))
K1, K2, K3 = T((2, 2, 2), seed=1), T((2, 2, 2, 2), seed=1), T((2, 1, 2, 2, 1), seed=1)
BIAS = T((2,), seed=2)
COMPLEX = T((1, 1, 4), "complex128"), T((1, 1, 2), "complex128", seed=1)

SAMPLES = {
    "conv1d": [
        Sample(LINE, K1, BIAS),
        Sample(LINE, K1, None, 2, 1),
        Sample(LINE, T((2, 1, 2), seed=1), BIAS, 1, 2, 3, 2),
        Sample(T((2, 5)), T((2, 2, 3), seed=1), padding="same"),
        Sample(*COMPLEX),
    ],
    "conv3d": [
        Sample(VOLUME, K3, BIAS),
        Sample(VOLUME, K3, None, (2, 1, 2), (1, 0, 1), (1, 2, 1)),
        Sample(T((1, 3, 2, 2)), T((1, 1, 3, 1, 1), seed=1), padding="same"),
    ],
    "conv_transpose1d": [
        Sample(LINE, K1, BIAS),
        Sample(LINE, K1, None, 3, 1, 2),
        Sample(LINE, T((2, 1, 3), seed=1), BIAS, 2, 1, 1, 2, 2),
        Sample(T((2, 3)), K1, None, 1, 0, 1, 1, 2),
        Sample(*COMPLEX, None, 2),
    ],
    "conv_transpose2d": [
        Sample(PLANE, K2, BIAS),
        Sample(PLANE, T((2, 1, 3, 2), seed=1), BIAS, (2, 1), (1, 0), (1, 0), 2, (1, 2)),
        Sample(T((2, 2, 2)), K2, None, 2),
    ],
    "conv_transpose3d": [
        Sample(VOLUME, T((1, 2, 2, 1, 2), seed=1), BIAS),
        Sample(VOLUME, T((1, 1, 2, 2, 2), seed=1), None, 2, 1, 1),
    ],
    "conv_tbc": [Sample(T((3, 2, 2)), T((2, 2, 2), seed=1), BIAS, 1)],
    "convolution": [
        Sample(LINE, K1, BIAS, [2], [1], [1], False, [0], 1),
        Sample(PLANE, K2, None, [2, 1], [0, 1], [1, 1], True, [1, 0], 1),
    ],
    "unfold": [
        Sample(PLANE, 2),
        Sample(PLANE, (2, 1), (1, 2), 1, (2, 1)),
        Sample(T((1, 3, 3)), 2),
    ],
    "fold": [
        Sample(T((1, 4, 6)), (4, 3), 2),
        Sample(T((2, 4, 4)), 3, 2, 1, 0, 1),
        Sample(T((4, 4)), (4, 4), 2, 1, 0, 2),
        Sample(T((1, 2, 4)), (3, 2), (2, 1), 1, (1, 0), (2, 1)),
    ],
    "affine_grid_generator": [
        Sample(T((2, 2, 3)), (2, 1, 2, 3), True),
        Sample(T((1, 3, 4)), (1, 1, 2, 1, 3), False),
    ],
    "affine_grid": [Sample(T((1, 2, 3)), (1, 1, 3, 2), align_corners=False)],
}
