"""Samples of the special functions."""
from tests.ops.sample import Sample, T

A, ONE, ROW = T((2, 3)), T((), seed=3), T((3,), seed=2)
POSITIVE = T((2, 3), low=0.3, high=4)
INTEGERS = T((2, 3), "int64", low=1, high=5, requires_grad=False)
FIXED = T((2, 3), requires_grad=False)
BETWEEN = T((2, 3), low=0.1, high=0.9)
REAL = [Sample(A), Sample(ONE), Sample(INTEGERS)]

SAMPLES = {
    "erf": REAL, "erfc": REAL, "i0": REAL,
    "erfinv": [Sample(T((2, 3), low=-0.9, high=0.9))],
    "lgamma": [Sample(POSITIVE), Sample(T((2, 3), low=-2.9, high=-2.1)), Sample(INTEGERS)],
    "digamma": [Sample(POSITIVE), Sample(T((2, 3), low=-2.9, high=-2.1)), Sample(INTEGERS)],
    "polygamma": [Sample(n, POSITIVE) for n in (0, 1, 2, 4)] + [Sample(3, T((2, 3), low=-2.9, high=-2.1))],
    "mvlgamma": [Sample(T((2, 3), low=2.5, high=5), 1), Sample(T((2, 3), low=2.5, high=5), 4)],
    "sigmoid": [*REAL, Sample(T((2, 2), "complex128"))],
    "logit": [Sample(BETWEEN), Sample(BETWEEN, 0.2)],
    "sinc": [Sample(A), Sample(T((2, 2), "complex128"))],
    "xlogy": [Sample(A, POSITIVE), Sample(A, 2.0), Sample(2.0, POSITIVE)],
    "logaddexp": [Sample(A, ROW), Sample(T((2, 2), "complex128"), T((2, 2), "complex128", seed=1))],
    "logaddexp2": [Sample(A, ROW)],
    "heaviside": [Sample(FIXED, FIXED)],
    "nextafter": [Sample(FIXED, T((2, 3), seed=1, requires_grad=False))],
}
