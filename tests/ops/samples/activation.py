"""Samples of the activation functions and the softmax family."""
from tests.ops.sample import Sample, T

A, ONE, WIDE = T((2, 3)), T((), seed=3), T((2, 4), low=-5, high=5)
EVERYWHERE = [Sample(A), Sample(ONE), Sample(WIDE)]

SAMPLES = {
    **{
        name: EVERYWHERE
        for name in (
            "relu",
            "relu6",
            "elu",
            "selu",
            "celu",
            "gelu",
            "silu",
            "mish",
            "softplus",
            "softsign",
            "hardtanh",
            "hardsigmoid",
            "hardswish",
            "hardshrink",
            "softshrink",
            "tanhshrink",
            "logsigmoid",
            "leaky_relu",
        )
    },
    "threshold": [Sample(A, 0.1, 5.0), Sample(WIDE, -1, 0)],
    "prelu": [Sample(A, T((1,), seed=1)), Sample(A, T((3,), seed=1)), Sample(T((2, 3, 2)), T((3,), seed=1))],
    "rrelu": [Sample(A), Sample(A, 0.1, 0.3)],
    "glu": [Sample(WIDE), Sample(WIDE, 0)],
    "softmax": [
        Sample(A, 1),
        Sample(A, 0),
        Sample(ONE, 0),
        Sample(T((2, 3, 2)), 1),
        Sample(T((2, 2), low=-300, high=300), 1),
    ],
    "log_softmax": [Sample(A, 1), Sample(A, -2), Sample(ONE, 0), Sample(T((2, 3, 2)), 1)],
    "softmin": [Sample(A, 1)],
    "normalize": [Sample(A), Sample(A, 3.0, 0)],
}
