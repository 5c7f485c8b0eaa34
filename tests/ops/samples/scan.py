"""Samples of the scans, and of finite differences and sums."""
from tests.ops.sample import Sample, T

ALONG = [Sample(T((2, 3)), 1), Sample(T((2, 3, 2)), -2), Sample(T(()), 0)]

SAMPLES = {
    "cumsum": ALONG,
    "cumprod": ALONG,
    "cummax": ALONG,
    "cummin": ALONG,
    "logcumsumexp": ALONG,
    "diff": [Sample(T((2, 4))), Sample(T((2, 4)), 2, 1),
             Sample(T((4, 2)), 1, 0, T((1, 2), seed=1), T((2, 2), seed=2))],
    "gradient": [Sample(T((3, 4))), Sample(T((3, 4)), dim=1, spacing=0.5, edge_order=2)],
    "trapezoid": [Sample(T((2, 4))), Sample(T((2, 4)), dx=0.5, dim=0), Sample(T((2, 4)), T((4,), seed=1))],
    "cumulative_trapezoid": [Sample(T((2, 4))), Sample(T((2, 4)), dx=0.5, dim=0),
                             Sample(T((2, 4)), T((4,), seed=1))],
}
