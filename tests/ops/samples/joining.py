"""Samples of the operators that join tensors and lay out grids."""

from tests.ops.sample import Sample, T

A, B, ROW, OTHER_ROW, ONE = T((2, 3)), T((2, 3), seed=1), T((3,), seed=2), T((3,), seed=3), T((), seed=4)
CUBE, COMPLEX, WHOLE = T((2, 3, 2), seed=5), T((2, 3), "complex128"), T((2, 3), "int64", requires_grad=False)

SAMPLES = {
    "cat": [
        Sample([A, B]),
        Sample([A, B], 1),
        Sample((A, T((1, 3), seed=6)), -2),
        Sample([A, COMPLEX]),
        Sample([A, WHOLE], 0),
        Sample([T((0,)), A], 1),
    ],
    "stack": [
        Sample([A, B]),
        Sample([A, B], -1),
        Sample((ROW, OTHER_ROW), 1),
        Sample([ONE, ONE]),
        Sample([A, COMPLEX], 1),
    ],
    "hstack": [Sample([A, B]), Sample([ROW, OTHER_ROW]), Sample([ONE, ONE])],
    "vstack": [Sample([A, B]), Sample([ROW, A]), Sample([ONE, ONE])],
    "dstack": [Sample([A, B]), Sample([ROW, OTHER_ROW]), Sample([CUBE, A])],
    "column_stack": [Sample([A, B]), Sample([ROW, OTHER_ROW]), Sample([ONE, ONE])],
    "block_diag": [Sample(A, ROW), Sample(ONE, A, COMPLEX)],
    "meshgrid": [
        Sample(ROW, T((2,)), indexing="ij"),
        Sample(ROW, T((2,)), indexing="xy"),
        Sample(ROW, ONE, T((2,)), indexing="xy"),
    ],
    "cartesian_prod": [Sample(ROW, T((2,))), Sample(ROW)],
    "combinations": [Sample(ROW), Sample(ROW, 3), Sample(ROW, 2, True)],
    # PyTorch 2.13 cannot differentiate its own vander.
    "vander": [
        Sample(T((3,), requires_grad=False)),
        Sample(T((3,), requires_grad=False), 2, True),
        Sample(T((3,), "int64", requires_grad=False), 4),
    ],
}
