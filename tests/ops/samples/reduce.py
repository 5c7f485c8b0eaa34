"""Samples of the reductions, the norms and the statistics."""
from tests.ops.sample import Sample, T

inf = float("inf")

BY_DIM = [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3, 2)), (0, -1), True), Sample(T(()))]
EXTREMES = [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3)), -2, True), Sample(T(()))]
VARIANCES = [Sample(T((2, 3))), Sample(T((2, 3)), 1),
             Sample(T((2, 3, 2)), (0, -1), correction=0, keepdim=True), Sample(T((4, 3)), 0, correction=2)]

SAMPLES = {
    "sum": BY_DIM,
    "nansum": BY_DIM,
    "mean": BY_DIM,
    "nanmean": BY_DIM,
    "prod": [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3)), -2, True), Sample(T(()))],
    "amax": BY_DIM,
    "amin": BY_DIM,
    "aminmax": [Sample(T((2, 3))), Sample(T((2, 3)), dim=1), Sample(T((2, 3)), dim=-2, keepdim=True)],
    "max": EXTREMES,
    "min": EXTREMES,
    "argmax": [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3)), 0, True)],
    "argmin": [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3)), 0, True)],
    "all": [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3), low=0, high=1), (0, 1), True)],
    "any": [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3), low=0, high=1), (0, 1), True)],
    "count_nonzero": [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3, 2)), (0, 1))],
    "var": VARIANCES,
    "std": VARIANCES,
    "var_mean": VARIANCES,
    "std_mean": VARIANCES,
    "cov": [Sample(T((2, 4))), Sample(T((4,))), Sample(T((2, 4)), correction=0)],
    "corrcoef": [Sample(T((2, 4))), Sample(T((3, 5), seed=1))],
    "norm": [Sample(T((2, 3))), Sample(T((2, 3)), 1), Sample(T((2, 3)), 3, 1),
             Sample(T((2, 3)), inf, 0, True), Sample(T((2, 3)), 1.5, (0, 1)), Sample(T((2, 3)), "nuc")],
    "dist": [Sample(T((2, 3)), T((2, 3), seed=1)), Sample(T((2, 3)), T((3,), seed=1), 1),
             Sample(T((2, 3)), T((2, 1), seed=1), inf)],
    "renorm": [Sample(T((3, 4)), 2, 0, 1.0), Sample(T((3, 4)), 1, -1, 0.5)],
    "logsumexp": [Sample(T((2, 3)), 1), Sample(T((2, 3)), (0, 1), True), Sample(T(()), 0)],
    "cdist": [Sample(T((3, 2)), T((4, 2), seed=1)), Sample(T((2, 3, 2)), T((1, 4, 2), seed=1), 1.0),
              Sample(T((3, 2)), T((4, 2), seed=1), 3.0)],
    "pdist": [Sample(T((4, 2))), Sample(T((4, 2)), 1.0)],
}
