"""Samples of reading and writing by indices and masks: indices that repeat, shorter ones, negative dims, 0-d
tensors.
"""
from tests.ops.sample import Sample, T

A, B, COMPLEX = T((3, 4)), T((3, 4), seed=1), T((3, 4), "complex128")
CUBE, CUBE_TOO = T((2, 3, 2)), T((2, 3, 2), seed=1)
ROW, ONE = T((4,), seed=2), T((), seed=3)
INTEGERS = T((3, 4), "int64", low=-5, high=5, requires_grad=False)
MASK, MASK_ROW = T((3, 4), "bool", seed=4, requires_grad=False), T((4,), "bool", seed=5, requires_grad=False)


def index(shape, size, seed=6, low=0):
    return T(shape, "int64", low=low, high=size, seed=seed, requires_grad=False)


ROWS, SHORT, COLUMNS, THREE = index((3, 4), 3), index((2, 3), 3), index((3, 4), 4), index((3,), 3)
PLACES = [(0, ROWS, B), (1, COLUMNS, B), (-2, SHORT, B)]
REDUCED = [(A, 0, ROWS, B), (A, -1, COLUMNS, B), (CUBE, 1, index((2, 3, 2), 3), CUBE_TOO)]
SLICES = [(A, 0, THREE, B), (A, 1, index((2,), 4), T((3, 2), seed=1)),
          (ONE, 0, index((1,), 1), T((), seed=1))]
DISTINCT = [(A, 0, index((1,), 3), T((1, 4), seed=1)), (A, -1, index((1,), 4), T((3, 1), seed=1)),
            (COMPLEX, 0, index((1,), 3), T((1, 4), "complex128", seed=1))]

SAMPLES = {
    "where": [Sample(MASK, A, B), Sample(MASK, A, ROW), Sample(MASK_ROW, ONE, B), Sample(MASK, A, 0.5),
              Sample(MASK, 2, B), Sample(MASK, INTEGERS, 1.5), Sample(MASK, 1.0, 2),
              Sample(MASK, COMPLEX, COMPLEX), Sample(MASK, COMPLEX, 1)],
    "masked_fill": [Sample(A, MASK, 1.5), Sample(A, MASK_ROW, 2), Sample(A, MASK, ONE),
                    Sample(INTEGERS, MASK, 3),
                    Sample(COMPLEX, MASK, 1j)],
    "masked_select": [Sample(A, MASK), Sample(ROW, MASK), Sample(A, MASK_ROW), Sample(INTEGERS, MASK)],
    "masked_scatter": [Sample(A, MASK, B), Sample(A, MASK_ROW, T((20,), seed=1))],
    "gather": [Sample(A, 0, ROWS), Sample(A, 1, COLUMNS), Sample(A, -2, SHORT),
               Sample(ROW, 0, index((6,), 4)),
               Sample(ONE, 0, index((2,), 1)), Sample(CUBE, 1, index((2, 5, 1), 3)),
               Sample(COMPLEX, 0, ROWS)],
    "index_select": [Sample(A, 0, THREE), Sample(A, -1, index((6,), 4)), Sample(ROW, 0, index((), 4)),
                     Sample(ONE, 0, index((1,), 1)), Sample(CUBE, 2, index((3,), 2)),
                     Sample(INTEGERS, 0, THREE)],
    "take": [Sample(A, index((2, 3), 12, low=-12)), Sample(ROW, index((6,), 4)), Sample(ONE, index((2,), 1))],
    "take_along_dim": [Sample(A, COLUMNS, 1), Sample(A, index((1, 4), 3), 0), Sample(A, index((5,), 12)),
                       Sample(A, index((3, 4), 3, low=-3), 0)],
    "scatter": [*(Sample(A, 0, index((1, 4), 3), T((1, 4))), Sample(A, 1, index((3, 1), 4), T((3, 1)))),
                *(Sample(A, d, i, 2.5) for d, i, _ in PLACES), Sample(INTEGERS, 0, ROWS, 3)],
    "scatter_add": [*(Sample(A, d, i, T((2, 3)) if i is SHORT else s) for d, i, s in PLACES),
                    Sample(COMPLEX, 0, ROWS, COMPLEX),
                    Sample(INTEGERS, 0, ROWS, INTEGERS), Sample(ROW, 0, index((6,), 4), T((6,)))],
    "scatter_reduce": [Sample(*given, reduce, include_self=own) for given in REDUCED for reduce in
                       ("sum", "prod", "mean", "amax", "amin")
                       for own in ((True, False) if given[0] is A else (True,))],
    "index_add": [*(Sample(*given) for given in SLICES), Sample(*SLICES[0], alpha=-2),
                  Sample(INTEGERS, 0, THREE, INTEGERS, alpha=2)],
    "index_copy": [Sample(*given) for given in (*DISTINCT, SLICES[2])],
    "index_fill": [Sample(A, 0, THREE, 1.5), Sample(A, 1, index((3,), 4, low=-4), 2),
                   Sample(A, 0, THREE, ONE),
                   Sample(INTEGERS, -1, index((1,), 4), 7)],
    "index_reduce": [Sample(*given, reduce, include_self=own) for given in SLICES[:2]
                     for reduce in ("prod", "mean", "amax", "amin")
                     for own in (True, False)],
    "index_put": [Sample(A, (index((1,), 3), index((1,), 4)), T((1,), seed=1)),
                  Sample(A, (THREE,), T((4,), seed=1), True),
                  Sample(A, (MASK,), ONE), Sample(CUBE, (index((2, 1), 2), index((3,), 3)), ONE, True)],
    "put": [Sample(A, index((1,), 12), T((1,))),
            Sample(A, index((2, 3), 12, low=-12), T((2, 3), seed=1), True),
            Sample(INTEGERS, index((1,), 12), T((1,), "int64"))],
    "nonzero": [Sample(MASK), Sample(INTEGERS), Sample(T((), "int64", low=1))],
    "nonzero_static": [Sample(MASK, size=3), Sample(MASK, size=15, fill_value=7)],
    "argwhere": [Sample(MASK), Sample(INTEGERS)],
    "unravel_index": [Sample(index((4,), 12), (3, 4)), Sample(index((2, 2), 5), 5)],
}
