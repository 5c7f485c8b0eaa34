"""Samples of the functions of ``torch.masked``: with a mask of the input's shape, with one that broadcasts, and without.

Where central differences are to be taken something counts in every row, as those of an infinite or missing result mean nothing.
"""
from tests.ops.sample import Sample, T

A, B = T((2, 3), seed=2), T((2, 3), seed=6)
MASK = T((2, 3), "bool", seed=5, requires_grad=False)           # [[1 0 0] [1 1 0]]
MORE = T((2, 3), "bool", seed=1, requires_grad=False)           # [[0 1 1] [1 1 1]]
ROW = T((3,), "bool", seed=4, requires_grad=False)              # [0 1 1]
COLUMN = T((3, 1), "bool", seed=3, requires_grad=False)         # [[1] [0] [0]]
NUMBERS = T((3,), "int64", low=0, high=3, seed=2, requires_grad=False)
CUBE = T((2, 3, 2), seed=5)
SCALAR, ONE = T((), seed=3), T((), "int64", low=1, high=2, requires_grad=False)
WHOLE = T((2, 3), "int64", low=-5, high=5, requires_grad=False)
SMALL = T((2, 3), "int32", low=-5, high=5, requires_grad=False)
COMPLEX = T((2, 3), "complex128", seed=3)
FIXED = T((2, 3), seed=2, requires_grad=False)
SINGLE = "dtype:float32"

REDUCED = [Sample(A, 1, mask=MASK), Sample(A, (-1,), keepdim=True, mask=ROW), Sample(CUBE, (0, 1), mask=COLUMN), Sample(A),
           Sample(SCALAR, mask=ONE), Sample(FIXED, 1, dtype=SINGLE, mask=NUMBERS)]
SUMS = [*REDUCED, Sample(SMALL, 0, mask=MASK), Sample(COMPLEX, 1, mask=MASK), Sample(FIXED, 0, mask=MASK)]
EXTREMES = [*REDUCED, Sample(WHOLE, 0, mask=MASK), Sample(SMALL, mask=ROW), Sample(FIXED, 0, mask=MASK)]
POSITIONS = [Sample(A, 1, mask=MASK), Sample(A, 1, keepdim=True, mask=ROW), Sample(A), Sample(A, 0, dtype="dtype:int64", mask=MASK),
             Sample(WHOLE, mask=ROW)]
ALONG = [Sample(A, 1, mask=MASK), Sample(A, -1, mask=ROW), Sample(CUBE, 1, mask=COLUMN), Sample(A, 0), Sample(SCALAR, 0, mask=ONE),
         Sample(FIXED, 1, dtype=SINGLE, mask=NUMBERS), Sample(FIXED, 0, mask=MASK)]
RUNNING = [*ALONG, Sample(SMALL, 1, mask=MASK), Sample(COMPLEX, 0, mask=MASK)]
VARIANCES = [Sample(A, 1, mask=MORE), Sample(A, 1, False, mask=MORE), Sample(A, None, correction=0, mask=ROW),
             Sample(CUBE, (0, 2), keepdim=True), Sample(WHOLE, None, mask=MASK), Sample(COMPLEX, 1, False, mask=MORE),
             Sample(FIXED, 1, mask=MASK), Sample(FIXED, 0, correction=3, dtype=SINGLE, mask=MORE)]
ORDERS = (2, 1, 3.5, float("inf"), float("-inf"))

SAMPLES = {
    "masked.sum": SUMS,
    "masked.prod": SUMS,
    "masked.amax": EXTREMES,
    "masked.amin": EXTREMES,
    "masked.argmax": POSITIONS,
    "masked.argmin": POSITIONS,
    "masked.mean": [*REDUCED, Sample(WHOLE, 1, dtype=SINGLE, mask=MASK), Sample(COMPLEX, 1, mask=MASK), Sample(FIXED, 0, mask=MASK)],
    "masked.median": [Sample(A, mask=MORE), Sample(A, 1, keepdim=True, mask=ROW), Sample(CUBE, 0), Sample(WHOLE, 1, mask=MORE),
                      Sample(FIXED, 0, mask=MASK)],
    "masked.logsumexp": [*REDUCED, Sample(WHOLE, 1, mask=MASK), Sample(FIXED, 0, mask=MASK)],
    "masked.norm": [*(Sample(A, p, 1, mask=MORE) for p in ORDERS), Sample(A, mask=ROW), Sample(A, 2, (0, 1), keepdim=True),
                    Sample(COMPLEX, 2, 1, mask=MORE), Sample(FIXED, 0, 0, mask=MASK)],
    "masked.var": VARIANCES,
    "masked.std": VARIANCES,
    "masked.cumsum": RUNNING,
    "masked.cumprod": RUNNING,
    "masked.softmax": ALONG,
    "masked.log_softmax": [Sample(A, 1), Sample(CUBE, 1), Sample(SCALAR, 0, mask=ONE), Sample(FIXED, 1, mask=MASK),
                           Sample(FIXED, 0, dtype=SINGLE, mask=ROW)],
    "masked.softmin": ALONG,
    "masked.normalize": [*(Sample(A, p, 1, mask=MORE) for p in ORDERS), Sample(A, 2, -1, mask=ROW), Sample(CUBE, 2, 0, eps=1.5),
                         Sample(COMPLEX, 2.0, 1, mask=MORE), Sample(FIXED, 2, 0, mask=MASK)],
    "masked.logaddexp": [Sample(A, B), Sample(A, B, input_mask=ONE, other_mask=ONE), Sample(FIXED, FIXED, other_mask=ROW),
                         Sample(FIXED, FIXED, dtype=SINGLE), Sample(FIXED, FIXED, input_mask=MASK, other_mask=MASK)],
}
