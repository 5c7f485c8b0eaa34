"""Samples of products: every pairing of vectors, matrices and stacks, broadcast stacks, empty ones, integers,
complex numbers.
"""
from tests.ops.sample import Sample, T

V, W, M, N = T((3,)), T((3,), seed=1), T((2, 3)), T((3, 4), seed=1)
STACK, TALL, ONE = T((2, 2, 3)), T((2, 3, 2), seed=1), T((), seed=2)
CV, CM, CN = T((3,), "complex128"), T((2, 3), "complex128"), T((3, 2), "complex128", seed=1)
IV, IM, IN = (T(s, "int64", low=-5, high=5, requires_grad=False) for s in ((3,), (2, 3), (3, 2)))
SQUARE, SUM, CSUM = T((3, 3)), T((2, 4), seed=3), T((2, 2), "complex128", seed=3)


def empty(*shape):
    return T(shape, requires_grad=False)


SAMPLES = {
    "matmul": [Sample(V, W), Sample(M, V), Sample(V, N), Sample(M, N), Sample(STACK, V), Sample(STACK, N),
               Sample(M, TALL),
               Sample(V, TALL), Sample(STACK, TALL), Sample(T((3, 1, 2, 3)), TALL),
               Sample(T((1, 2, 3)), TALL),
               Sample(CM, CN), Sample(CV, CN), Sample(IM, IN), Sample(IM, IV),
               Sample(empty(2, 0), empty(0, 3)),
               Sample(empty(2, 2, 0), empty(0, 3)), Sample(empty(0, 2, 3), N)],
    "mm": [Sample(M, N), Sample(CM, CN), Sample(IM, IN), Sample(empty(2, 0), empty(0, 3))],
    "bmm": [Sample(STACK, TALL), Sample(empty(0, 2, 3), empty(0, 3, 2))],
    "mv": [Sample(M, V), Sample(CM, CV), Sample(IM, IV)],
    "dot": [Sample(V, W), Sample(CV, CV), Sample(IV, IV), Sample(empty(0), empty(0))],
    "vdot": [Sample(V, W), Sample(CV, T((3,), "complex128", seed=1))],
    "addmm": [Sample(SUM, M, N), Sample(T((4,)), M, N, beta=0.5, alpha=-2), Sample(ONE, M, N),
              Sample(CSUM, CM, CN, alpha=2j),
              Sample(SUM, M, N, beta=0)],
    "addmv": [Sample(T((2,)), M, V), Sample(ONE, M, V, beta=2, alpha=0.5)],
    "addr": [Sample(T((3, 4)), V, T((4,)), beta=2, alpha=0.5), Sample(T((4,)), V, T((4,)))],
    "addbmm": [Sample(T((2, 2)), STACK, TALL, beta=0.5, alpha=2)],
    "baddbmm": [Sample(T((2, 2, 2)), STACK, TALL, beta=0.5, alpha=2), Sample(T((2,)), STACK, TALL)],
    "outer": [Sample(V, T((2,))), Sample(CV, CV), Sample(IV, V)],
    "inner": [Sample(V, W), Sample(M, T((4, 3))), Sample(M, ONE), Sample(CM, CV)],
    "kron": [Sample(V, T((2,))), Sample(M, T((2, 2), seed=1)), Sample(M, V), Sample(ONE, M)],
    "tensordot": [Sample(M, N, 1), Sample(M, T((2, 3), seed=1)), Sample(M, N, 0),
                  Sample(STACK, TALL, ([2, 0], [1, 0]))],
    "cross": [Sample(V, W, 0), Sample(SQUARE, T((1, 3)), 1), Sample(CV, CV, -1)],
    "matrix_power": [Sample(SQUARE, 0), Sample(SQUARE, 1), Sample(T((2, 2, 2)), 5)],
    "matrix_exp": [Sample(SQUARE), Sample(T((2, 2, 2), low=-4, high=4)), Sample(T((2, 2), "complex128"))],
}
