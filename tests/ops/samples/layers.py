"""Samples of linear maps, normalizations, embeddings, convolution, pooling and padding."""
from tests.ops.sample import Sample, T

A, CHANNELS, PLANES = T((2, 3)), T((2, 4, 3)), T((1, 2, 4, 5))
ROW, WEIGHT, BIAS = T((3,), seed=2), T((4, 3), seed=1), T((4,), seed=2)
POSITIVE = T((3,), low=0.5, high=2, seed=3, requires_grad=False)
MEAN = T((3,), seed=4, requires_grad=False)
INDICES = T((2, 2), "int64", low=0, high=3, requires_grad=False)
TABLE = T((3, 2), seed=1)
KERNEL = T((4, 2, 2, 3), seed=1)

SAMPLES = {
    "linear": [
        Sample(A, WEIGHT),
        Sample(A, WEIGHT, BIAS),
        Sample(ROW, WEIGHT, BIAS),
        Sample(A, ROW),
        Sample(T((2, 2, 3)), WEIGHT, BIAS),
        Sample(T((2, 2), "complex128"), T((3, 2), "complex128", seed=1)),
    ],
    "bilinear": [
        Sample(A, T((2, 2), seed=1), T((2, 3, 2), seed=2), T((2,), seed=3)),
        Sample(ROW, T((2,)), T((2, 3, 2))),
    ],
    "layer_norm": [Sample(A, (3,)), Sample(A, (3,), ROW, T((3,), seed=5)), Sample(CHANNELS, (4, 3))],
    "rms_norm": [Sample(A, (3,)), Sample(A, (3,), ROW, 0.1)],
    "group_norm": [Sample(CHANNELS, 2), Sample(CHANNELS, 2, BIAS, T((4,), seed=5))],
    "batch_norm": [
        Sample(A, ROW, T((3,), seed=5), MEAN, POSITIVE, False, 0.1, 1e-5, False),
        Sample(A, ROW, T((3,), seed=5), None, None, True, 0.1, 1e-5, False),
        Sample(T((2, 3, 2)), None, None, None, None, True, 0.1, 1e-5, False),
    ],
    "instance_norm": [Sample(CHANNELS, BIAS, None, None, None, True, 0.1, 1e-5, False)],
    "local_response_norm": [Sample(CHANNELS, 2), Sample(T((1, 3, 2, 2)), 3, 0.1, 0.5, 2.0)],
    "embedding": [
        Sample(TABLE, INDICES),
        Sample(TABLE, T((3,), "int64", low=0, high=3, requires_grad=False)),
    ],
    "one_hot": [Sample(INDICES), Sample(INDICES, 5)],
    "conv2d": [
        Sample(PLANES, KERNEL, BIAS),
        Sample(PLANES, KERNEL, None, 2, 1),
        Sample(PLANES, T((2, 2, 3, 3), seed=1), padding="same"),
        Sample(PLANES, T((2, 1, 2, 2), seed=1), T((2,)), (1, 2), (1, 0), (2, 1), 2),
        Sample(T((2, 4, 5)), KERNEL),
    ],
    "max_pool2d": [
        Sample(PLANES, 2),
        Sample(PLANES, 3, 2, 1),
        Sample(PLANES, 2, 1, 0, 2, True),
        Sample(T((2, 4, 4)), (2, 1)),
    ],
    "avg_pool2d": [
        Sample(PLANES, 2),
        Sample(PLANES, 3, 2, 1, True, False),
        Sample(PLANES, 2, divisor_override=3),
    ],
    "adaptive_avg_pool2d": [Sample(PLANES, (2, 3)), Sample(PLANES, (None, 2))],
    "adaptive_max_pool2d": [Sample(PLANES, (2, 3))],
    "lp_pool2d": [Sample(T((1, 2, 4, 4), low=0.5), 2, 2)],
    "pixel_shuffle": [Sample(T((1, 4, 2, 3)), 2)],
    "pixel_unshuffle": [Sample(T((1, 4, 6)), 2)],
    "channel_shuffle": [Sample(T((1, 6, 2)), 3)],
    "constant_pad_nd": [Sample(A, (1, 2), 3.0), Sample(A, (-1, 1, 0, 2))],
    "pad": [
        Sample(A, (1, 1)),
        Sample(A, (2, 1), "reflect"),
        Sample(CHANNELS, (3, 0), "replicate"),
        Sample(PLANES, (1, 2, 1, 0), "reflect"),
        Sample(CHANNELS, (1, 2), "circular"),
        Sample(CHANNELS, (-1, 2), "circular"),
    ],
    "scaled_dot_product_attention": [
        Sample(T((2, 2, 3)), T((2, 4, 3), seed=1), T((2, 4, 2), seed=2)),
        Sample(T((2, 3)), T((2, 3), seed=1), T((2, 3), seed=2), is_causal=True),
    ],
}
