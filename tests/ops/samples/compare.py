"""Samples of comparisons, extremes of two, clamping and logic."""
from tests.ops.sample import Sample, T

A, B, ROW = T((2, 3)), T((2, 3), seed=1), T((3,), seed=2)
FIXED, FIXED_ROW = T((2, 3), requires_grad=False), T((3,), seed=2, requires_grad=False)
INTEGERS = T((2, 3), "int64", low=-3, high=3, requires_grad=False)
BOOLEANS, OTHER_BOOLEANS = T((2, 3), "bool", requires_grad=False), T((2, 3), "bool", seed=1,
                                                                     requires_grad=False)

ORDER = [Sample(FIXED, FIXED_ROW), Sample(FIXED, 0.5), Sample(INTEGERS, 1), Sample(BOOLEANS, OTHER_BOOLEANS)]
EXTREMES = [Sample(A, B), Sample(A, ROW), Sample(T(()), B), Sample(INTEGERS, INTEGERS)]
LOGIC = [Sample(FIXED, FIXED_ROW), Sample(BOOLEANS, OTHER_BOOLEANS), Sample(INTEGERS, BOOLEANS)]

SAMPLES = {
    "eq": ORDER, "ne": ORDER, "lt": ORDER, "le": ORDER, "gt": ORDER, "ge": ORDER,
    "maximum": EXTREMES, "minimum": EXTREMES, "fmax": EXTREMES, "fmin": EXTREMES,
    "clamp": [Sample(A, -0.5, 0.5), Sample(A, min=0), Sample(A, max=0.5), Sample(A, ROW),
              Sample(A, T((2, 3), low=-2, high=-1, seed=3), T((3,), low=0, high=1, seed=4)),
              Sample(INTEGERS, -1, 1)],
    "clamp_min": [Sample(A, 0.1), Sample(A, ROW)],
    "clamp_max": [Sample(A, 0.1), Sample(A, ROW)],
    "logical_and": LOGIC, "logical_or": LOGIC, "logical_xor": LOGIC,
    "logical_not": [Sample(FIXED), Sample(BOOLEANS), Sample(INTEGERS)],
    "isclose": [Sample(FIXED, FIXED), Sample(FIXED, FIXED_ROW, rtol=0.5),
                Sample(INTEGERS, INTEGERS, equal_nan=True)],
    "allclose": [Sample(FIXED, FIXED), Sample(FIXED, FIXED_ROW)],
    "equal": [Sample(FIXED, FIXED), Sample(FIXED, FIXED_ROW)],
}
