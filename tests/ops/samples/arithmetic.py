"""Samples of arithmetic: both operands tensors that broadcast, a number, a 0-d tensor, complex numbers."""
from tests.ops.sample import Sample, T

A, B, ROW, ONE = T((2, 3)), T((2, 3), seed=1), T((3,), seed=2), T((), seed=3)
POSITIVE = T((2, 3), low=0.5, high=3)
DIVISOR, DIVISOR_ROW = T((2, 3), low=0.5, high=2, seed=1), T((3,), low=0.5, high=2, seed=2)
COMPLEX, OTHER_COMPLEX = T((2, 2), "complex128"), T((2, 2), "complex128", seed=1)
INTEGERS = T((2, 3), "int64", low=-5, high=5, requires_grad=False)

ONE_ARGUMENT = [Sample(A), Sample(ONE), Sample(COMPLEX)]
TWO = [Sample(A, B), Sample(A, ROW), Sample(A, ONE), Sample(A, 2.5), Sample(COMPLEX, OTHER_COMPLEX),
       Sample(INTEGERS, 3)]

SAMPLES = {
    "add": [*TWO, Sample(A, B, alpha=2), Sample(A, 2, alpha=0.5)],
    "sub": [*TWO, Sample(A, B, alpha=2), Sample(A, 2, alpha=0.5)],
    "rsub": [*TWO, Sample(A, B, alpha=2)],
    "mul": TWO,
    "div": [Sample(A, DIVISOR), Sample(A, DIVISOR_ROW), Sample(A, 2.5), Sample(COMPLEX, OTHER_COMPLEX),
            Sample(INTEGERS, 2),
            Sample(A, DIVISOR, rounding_mode="trunc"), Sample(INTEGERS, -2, rounding_mode="trunc"),
            Sample(INTEGERS, -2, rounding_mode="floor")],
    "floor_divide": [Sample(T((2, 3), requires_grad=False),
                            T((3,), low=0.5, high=2, seed=2, requires_grad=False)),
                     Sample(INTEGERS, -2)],
    "remainder": [Sample(A, DIVISOR), Sample(A, -0.7), Sample(INTEGERS, -3)],
    "fmod": [Sample(A, DIVISOR), Sample(A, 0.7), Sample(INTEGERS, -3)],
    "reciprocal": [Sample(POSITIVE), Sample(COMPLEX)],
    "neg": ONE_ARGUMENT,
    "positive": ONE_ARGUMENT,
    "abs": [Sample(A), Sample(ONE)],      # complex has no in-place form: see test_pointwise
    "pow": [Sample(POSITIVE, B), Sample(A, 2), Sample(A, 3), Sample(POSITIVE, 0.5), Sample(POSITIVE, -1.5),
            Sample(A, 0),
            Sample(2.5, A), Sample(COMPLEX, OTHER_COMPLEX), Sample(INTEGERS, 2)],
    "float_power": [Sample(POSITIVE, B), Sample(A, 2), Sample(2, A), Sample(INTEGERS, 2)],
    "sqrt": [Sample(POSITIVE), Sample(COMPLEX)],
    "rsqrt": [Sample(POSITIVE), Sample(COMPLEX)],
    "square": ONE_ARGUMENT,
}
