"""Samples of linear algebra: stacks, empty matrices, complex numbers, wide and tall.

Where only one triangle of a Hermitian matrix is read, central differences of single elements mean nothing, and complex eigenvectors
have a free phase: such gradients are checked in ``test_linalg.py``, and the samples here ask for none.
"""
from tests.ops.sample import Sample, T

A, B, C = T((3, 3)), T((3, 2), seed=1), T((2, 2), "complex128")
STACK, MANY = T((2, 2, 2)), T((2, 3, 2), seed=2)
WIDE, TALL, V = T((2, 3)), T((3, 2)), T((3,), seed=3)
CB, CTALL = T((2, 1), "complex128", seed=1), T((3, 2), "complex128")


def fixed(*shape, dtype="float64", **options):
    """A tensor that asks for no gradient."""
    return T(shape, dtype, requires_grad=False, **options)


EMPTY = fixed(0, 0)
POSITIVE = fixed(2, 2, low=1, high=2, seed=11)      # definite, as its lower triangle says
POSITIVES = fixed(2, 1, 1, low=1)
HERMITIAN = fixed(3, 3)
PIVOTS = fixed(3, dtype="int32", low=1, high=4)
LAST = fixed(3, dtype="int32", low=3, high=4)

SAMPLES = {
    "linalg.inv": [Sample(A), Sample(STACK), Sample(C), Sample(EMPTY)],
    "linalg.inv_ex": [Sample(A), Sample(C)],
    "linalg.solve": [Sample(A, B), Sample(A, V), Sample(STACK, T((2, 2), seed=5)), Sample(C, CB), Sample(A, T((2, 3), seed=1), left=False),
                     Sample(T((2, 2)), T((3, 2, 1), seed=1)), Sample(EMPTY, fixed(0, 2))],
    "linalg.solve_ex": [Sample(A, B), Sample(STACK, T((2, 2), seed=5))],
    "linalg.solve_triangular": [Sample(A, B, upper=True), Sample(A, B, upper=False, unitriangular=True),
                                Sample(A, T((2, 3), seed=1), upper=True, left=False), Sample(C, CB, upper=False),
                                Sample(T((1, 2, 2)), T((3, 2, 1), seed=1), upper=True)],
    "linalg.tensorinv": [Sample(T((2, 2, 4))), Sample(T((3, 3)), ind=1)],
    "linalg.tensorsolve": [Sample(T((2, 2, 4)), T((2, 2), seed=1)), Sample(T((4, 2, 2)), T((2, 2), seed=1), dims=(0,))],
    "linalg.det": [Sample(A), Sample(STACK), Sample(C), Sample(EMPTY), Sample(T((1, 1)))],
    "linalg.slogdet": [Sample(A), Sample(STACK), Sample(C), Sample(fixed(2, 0, 0))],
    "linalg.lu_factor": [Sample(A), Sample(MANY), Sample(WIDE), Sample(C), Sample(EMPTY)],
    "linalg.lu_factor_ex": [Sample(A), Sample(TALL)],
    "linalg.lu": [Sample(A), Sample(TALL), Sample(T((2, 2, 3))), Sample(CTALL), Sample(fixed(0, 3))],
    "linalg.lu_solve": [Sample(A, PIVOTS, B), Sample(A, PIVOTS, B, adjoint=True), Sample(A, PIVOTS, T((2, 3), seed=1), left=False),
                        Sample(C, fixed(2, dtype="int32", low=1, high=3), CB),
                        Sample(C, fixed(2, dtype="int32", low=1, high=3), T((1, 2), "complex128"), left=False, adjoint=True)],
    "linalg.cholesky": [Sample(POSITIVE), Sample(POSITIVES), Sample(EMPTY)],
    "linalg.cholesky_ex": [Sample(POSITIVE), Sample(fixed(1, 1, low=-2, high=-1))],
    "linalg.ldl_factor": [Sample(HERMITIAN), Sample(fixed(2, 4, 4, seed=1)), Sample(fixed(3, 3, dtype="complex128", seed=2)),
                          Sample(fixed(3, 3, dtype="complex128", seed=2), hermitian=True)],
    "linalg.ldl_factor_ex": [Sample(HERMITIAN), Sample(fixed(2, 0, 0))],
    "linalg.ldl_solve": [Sample(HERMITIAN, LAST, fixed(3, 2, seed=1)),
                         Sample(fixed(2, 2, dtype="complex128"), fixed(2, dtype="int32", low=-2, high=-1), fixed(2, 1, dtype="complex128"),
                                hermitian=True)],
    "linalg.qr": [Sample(A), Sample(TALL), Sample(WIDE), Sample(MANY), Sample(fixed(3, 2), mode="complete"), Sample(fixed(3, 2), mode="r"),
                  Sample(fixed(3, 0), mode="complete")],
    "linalg.householder_product": [Sample(TALL, T((2,), seed=1)), Sample(T((2, 2, 1)), T((2, 1), seed=1)),
                                   Sample(CTALL, T((1,), "complex128", seed=1)), Sample(fixed(3, 0), fixed(0))],
    "linalg.eig": [Sample(fixed(2, 2)), Sample(fixed(2, 2, 2, seed=3)), Sample(EMPTY)],
    "linalg.eigvals": [Sample(A), Sample(C), Sample(fixed(3, 3))],
    "linalg.eigh": [Sample(HERMITIAN), Sample(HERMITIAN, "U"), Sample(fixed(2, 0, 0))],
    "linalg.eigvalsh": [Sample(HERMITIAN), Sample(fixed(2, 2, 2), UPLO="U")],
    "linalg.svd": [Sample(T((2, 2))), Sample(TALL, full_matrices=False), Sample(T((3, 4)), full_matrices=False), Sample(fixed(0, 3))],
    "linalg.svdvals": [Sample(A), Sample(MANY), Sample(CTALL), Sample(fixed(2, 3))],
    "linalg.pinv": [Sample(TALL), Sample(T((2, 2, 3))), Sample(CTALL), Sample(fixed(3, 3), rtol=0.5), Sample(fixed(3, 3), hermitian=True),
                    Sample(fixed(0, 3))],
    "linalg.matrix_rank": [Sample(fixed(3, 3)), Sample(fixed(2, 3, 2), atol=2.0), Sample(fixed(3, 3), hermitian=True), Sample(fixed(0, 3))],
    "linalg.lstsq": [Sample(TALL, T((3, 2), seed=1)), Sample(TALL, T((3, 2), seed=1), driver="gels"),
                     Sample(fixed(3, 2), fixed(3), driver="gelsd"),
                     Sample(WIDE, T((2, 1), seed=1)), Sample(CTALL, T((3, 1), "complex128", seed=1)),
                     Sample(fixed(2, 3, 2), fixed(2, 3), driver="gelss")],
    "linalg.vector_norm": [Sample(A), Sample(A, 3, 1), Sample(C, 1)],
    "linalg.matrix_norm": [Sample(A), Sample(A, 1), Sample(A, float("inf"), keepdim=True), Sample(A, 2), Sample(A, -2), Sample(A, "nuc"),
                           Sample(T((2, 3, 2)), -1, dim=(2, 0)), Sample(C, "nuc"), Sample(fixed(0, 2), 2)],
    "linalg.norm": [Sample(A), Sample(V, 3), Sample(A, 2), Sample(A, "fro"), Sample(A, 1, dim=0),
                    Sample(A, "nuc", dim=(0, 1), keepdim=True)],
    "linalg.cond": [Sample(A), Sample(STACK), Sample(A, -2), Sample(HERMITIAN, 1), Sample(HERMITIAN, "fro"), Sample(A, "nuc"),
                    Sample(EMPTY)],
    "linalg.matmul": [Sample(A, B), Sample(A, V)],
    "linalg.matrix_exp": [Sample(A), Sample(C)],
    "linalg.matrix_power": [Sample(A, 3), Sample(A, -2), Sample(A, 0), Sample(C, -1)],
    "linalg.cross": [Sample(A, T((1, 3), seed=3)), Sample(B, T((3, 1), seed=4), dim=0)],
    "linalg.diagonal": [Sample(T((2, 3, 3))), Sample(A, offset=1)],
    "linalg.vecdot": [Sample(A, V), Sample(C, C), Sample(V, V), Sample(B, B, dim=0)],
    "linalg.multi_dot": [Sample([A, B]), Sample([V, A, B]), Sample([A, B, T((2, 4)), T((4,))])],
    "linalg.vander": [Sample(V), Sample(TALL, N=4), Sample(fixed(3, dtype="int64"))],
    # the older names
    "inverse": [Sample(A)],
    "pinverse": [Sample(TALL)],
    "det": [Sample(A)],
    "slogdet": [Sample(A)],
    "logdet": [Sample(POSITIVE), Sample(T((3, 3), seed=2)), Sample(C)],
    "cholesky": [Sample(POSITIVE)],
    "cholesky_inverse": [Sample(HERMITIAN), Sample(HERMITIAN, True)],
    "cholesky_solve": [Sample(B, HERMITIAN), Sample(B, HERMITIAN, True), Sample(CB, fixed(2, 2, dtype="complex128"))],
    "qr": [Sample(A), Sample(fixed(3, 2), some=False)],
    "svd": [Sample(T((2, 2))), Sample(TALL), Sample(fixed(3, 2), compute_uv=False)],
    "geqrf": [Sample(fixed(3, 2)), Sample(fixed(2, 2, 3))],
    "orgqr": [Sample(TALL, T((2,), seed=1))],
    "ormqr": [Sample(TALL, T((2,), seed=1), T((3, 2), seed=4)), Sample(TALL, T((2,), seed=1), T((2, 3), seed=4), left=False),
              Sample(TALL, T((2,), seed=1), B, transpose=True), Sample(CTALL, T((2,), "complex128", seed=1), CTALL, transpose=True),
              Sample(CTALL, T((2,), "complex128", seed=1), T((1, 3), "complex128"), left=False)],
    "lu": [Sample(A), Sample(TALL, get_infos=True)],
    "lu_solve": [Sample(B, A, PIVOTS)],
    "lu_unpack": [Sample(A, PIVOTS), Sample(T((3, 2)), fixed(2, dtype="int32", low=1, high=4)),
                  Sample(HERMITIAN, PIVOTS, unpack_data=False),
                  Sample(WIDE, fixed(2, dtype="int32", low=1, high=3), unpack_pivots=False)],
    "triangular_solve": [Sample(B, A), Sample(B, A, False, True), Sample(B, A, unitriangular=True), Sample(T((2, 3, 2)), T((1, 3, 3)))],
    "frobenius_norm": [Sample(A, (0, 1)), Sample(A, 1, True)],
    "nuclear_norm": [Sample(A)],
    "svd_lowrank": [Sample(fixed(5, 4), 3), Sample(fixed(5, 4), 3, M=fixed(5, 4, seed=1))],
    "pca_lowrank": [Sample(fixed(5, 4), 3), Sample(fixed(5, 4), 3, center=False)],
}
