"""Linear algebra beyond its samples: errors, what decompositions must be, gradients of one triangle and of phases, second derivatives
through several results, odd matrices, ``out=``, and names that load when they are asked for."""
import pickle
import subprocess
import sys

import numpy as np
import pytest


def matrix(lib, *shape, dtype="float64", seed=0, grad=False):
    rng = np.random.default_rng([seed, *shape])
    a = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        a = a + 1j * rng.standard_normal(shape)
    t = lib.from_numpy(a.astype(dtype))
    return t.requires_grad_() if grad else t


def definite(lib, n, dtype="float64"):
    a = matrix(lib, n, n, dtype=dtype)
    return a @ a.mH + lib.eye(n, dtype=a.dtype)


def near(a, b, atol=1e-10):
    np.testing.assert_allclose(a.detach().resolve_conj().numpy(), b.detach().resolve_conj().numpy(), 1e-7, atol)


# ---------------------------------------------------------------- what factors must be

@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(60, 60), (2, 70, 55), (3, 55, 70), (120, 120), (1, 130)])
def test_lu_multiplies_to_the_matrix(torch, shape, dtype):
    """Sizes on both sides of the one at which factors are made by halves."""
    a = matrix(torch, *shape, dtype=dtype)
    p, lower, upper = torch.linalg.lu(a)
    near(p @ lower @ upper, a)
    assert float(lower.abs().max()) <= np.sqrt(2) + 1e-12       # pivots are the largest, in LAPACK's measure of complex numbers
    assert not lower.triu(1).any() and not upper.tril(-1).any()
    k = min(shape[-2:])
    assert torch.equal(lower.diagonal(dim1=-2, dim2=-1), torch.ones(*shape[:-2], k, dtype=a.dtype))
    factors, pivots = torch.linalg.lu_factor(a)
    for mine, again in zip(torch.lu_unpack(factors, pivots), (p, lower, upper)):
        near(mine, again)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_large_triangles_are_solved(torch, left, upper, unit):
    a = matrix(torch, 2, 150, 150) / 150 + torch.eye(150, dtype=torch.float64)
    b = matrix(torch, *((150, 4) if left else (4, 150)))
    x = torch.linalg.solve_triangular(a, b, upper=upper, left=left, unitriangular=unit)
    t = a.triu() if upper else a.tril()
    if unit:
        t = t - torch.diag_embed(t.diagonal(dim1=-2, dim2=-1)) + torch.eye(150, dtype=torch.float64)
    near(t @ x if left else x @ t, b.expand(2, *b.shape))


def test_a_zero_in_a_triangle_divides(torch):
    x = torch.linalg.solve_triangular(torch.tensor([[1., 0.], [0., 0.]]), torch.ones(2, 1), upper=True)
    assert x[1, 0] == float("inf")


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 40])
def test_ldl_solves(torch, n, hermitian, dtype):
    a = matrix(torch, 3, n, n, dtype=dtype)
    a = a + (a.mH if hermitian else a.mT)
    b = matrix(torch, 3, n, 2, dtype=dtype, seed=1)
    factors, pivots = torch.linalg.ldl_factor(a, hermitian=hermitian)
    near(a @ torch.linalg.ldl_solve(factors, pivots, b, hermitian=hermitian), b, 1e-9)
    near(torch.linalg.ldl_factor(a.tril(), hermitian=hermitian)[0], factors)        # the upper triangle is not read


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(90, 70), (2, 40, 40), (3, 2)])
def test_reflections_make_q(torch, shape, dtype):
    a = matrix(torch, *shape, dtype=dtype)
    h, tau = torch.geqrf(a)
    q, r = torch.linalg.qr(a)
    near(torch.linalg.householder_product(h, tau), q, 1e-9)
    near(h.triu()[..., :shape[-1], :], r, 1e-9)
    c = matrix(torch, *shape[:-1], 3, dtype=dtype, seed=1)
    whole = torch.linalg.qr(a, mode="complete")[0]
    near(torch.ormqr(h, tau, c), whole @ c, 1e-9)
    near(torch.ormqr(h, tau, c, transpose=True), whole.mH @ c, 1e-9)
    near(torch.ormqr(h, tau, c.mT.contiguous(), left=False), c.mT @ whole, 1e-9)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_factors_of_definite_matrices(torch, dtype):
    a = definite(torch, 5, dtype)
    lower = torch.linalg.cholesky(a)
    near(lower @ lower.mH, a)
    upper = torch.linalg.cholesky(a, upper=True)
    near(upper.mH @ upper, a)
    near(torch.cholesky_inverse(lower) @ a, torch.eye(5, dtype=a.dtype))
    near(torch.cholesky_inverse(upper, upper=True) @ a, torch.eye(5, dtype=a.dtype))
    values, vectors = torch.linalg.eigh(a)
    near(vectors @ torch.diag(values).to(a.dtype) @ vectors.mH, a)
    near(torch.linalg.pinv(a, hermitian=True) @ a, torch.eye(5, dtype=a.dtype))


def test_eigenvectors_of_real_matrices_are_complex(torch):
    a = matrix(torch, 4, 4, dtype="float32")
    values, vectors = torch.linalg.eig(a)
    assert values.dtype is vectors.dtype is torch.complex64
    np.testing.assert_allclose((a.to(torch.complex64) @ vectors).numpy(), (vectors * values).numpy(), 0, 1e-5)


# ---------------------------------------------------------------- gradients

def symmetric(a):
    return (a + a.mH) / 2


CASES = {
    "cholesky": lambda torch, a: torch.linalg.cholesky(symmetric(a @ a.mH) + torch.eye(3, dtype=a.dtype)).abs(),
    "upper cholesky": lambda torch, a: torch.linalg.cholesky(a @ a.mH + torch.eye(3, dtype=a.dtype), upper=True).abs(),
    "cholesky_inverse": lambda torch, a: torch.cholesky_inverse(torch.linalg.cholesky(a @ a.mH + torch.eye(3, dtype=a.dtype))).abs(),
    "cholesky_solve": lambda torch, a: torch.cholesky_solve(a, torch.linalg.cholesky(a @ a.mH + torch.eye(3, dtype=a.dtype))).abs(),
    "eigh": lambda torch, a: (torch.linalg.eigh(symmetric(a))[0], torch.linalg.eigh(symmetric(a))[1].abs()),
    "eigvalsh": lambda torch, a: torch.linalg.eigvalsh(symmetric(a), "U"),
    "eig": lambda torch, a: (torch.linalg.eig(a)[0].abs(), torch.linalg.eig(a)[1].abs()),
    "svd": lambda torch, a: tuple(x.abs() for x in torch.linalg.svd(a[:2], full_matrices=False)),
    "tall svd": lambda torch, a: tuple(x.abs() for x in torch.linalg.svd(a[:, :2], full_matrices=False)),
    "U alone": lambda torch, a: torch.linalg.svd(a)[0].abs(),
    "product of singular vectors": lambda torch, a: torch.view_as_real(polar(torch, a) + 0j),
    "lu_solve": lambda torch, a: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), a.mT).abs(),
    "slogdet": lambda torch, a: (torch.view_as_real(torch.linalg.slogdet(a)[0] + 0j), torch.linalg.slogdet(a)[1]),
    "lstsq": lambda torch, a: tuple(x.abs() for x in torch.linalg.lstsq(a[:, :2], a, driver="gelsd")[:2]),
    "pinv": lambda torch, a: torch.linalg.pinv(a[:2]).abs(),
    "cond": lambda torch, a: torch.linalg.cond(a, "nuc"),
}


def polar(torch, a):
    u, _, vh = torch.linalg.svd(a)
    return u @ vh


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_of_one_triangle_and_without_phase(torch, name, dtype):
    a = matrix(torch, 3, 3, dtype=dtype, seed=3, grad=True)

    def function(a):
        return CASES[name](torch, a)
    assert torch.autograd.gradcheck(function, (a,))
    if name != "slogdet" or dtype == "float64":
        assert torch.autograd.gradgradcheck(function, (a,), atol=1e-4)


def test_gradients_are_torch_s(rushlight):
    """Where the input is not what it is taken for (not symmetric), PyTorch's own formula decides."""
    torch = pytest.importorskip("torch")
    for name in ("eigh", "cholesky", "svd", "qr"):
        made = []
        for lib in (rushlight, torch):
            a = (definite(lib, 3) + matrix(lib, 3, 3).triu(1)).requires_grad_()
            result = getattr(lib.linalg, name)(a)
            result = [result] if name == "cholesky" else list(result)
            weights = [matrix(lib, *r.shape, seed=5 + i) for i, r in enumerate(result)]
            made.append(lib.autograd.grad(sum((r.abs() * w).sum() for r, w in zip(result, weights)), a)[0])
        near(*made)


@pytest.mark.parametrize("rank", [2, 1])
def test_determinants_of_singular_matrices_have_gradients(torch, rank):
    a = matrix(torch, 3, rank) @ matrix(torch, rank, 3, seed=1)
    a.requires_grad_()
    g, = torch.autograd.grad(torch.linalg.det(a), a)
    x = a.detach()
    cofactors = torch.stack([torch.linalg.cross(x[(i + 1) % 3], x[(i + 2) % 3]) for i in range(3)])
    np.testing.assert_allclose(g.numpy(), cofactors.numpy(), 1e-6, 1e-10)


def test_phases_are_refused(torch):
    for function in ("eig", "eigh", "svd"):
        a = definite(torch, 3, "complex128").requires_grad_()
        vectors = getattr(torch.linalg, function)(a)[0 if function == "svd" else 1]
        with pytest.raises(RuntimeError, match="are specified up to multiplication by e"):
            (vectors * matrix(torch, 3, 3, dtype="complex128")).real.sum().backward()


def test_what_has_no_derivative_says_so(torch):
    a = matrix(torch, 3, 3, grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::linalg_ldl_factor_ex is not implemented"):
        torch.linalg.ldl_factor(a)[0].sum().backward()
    with pytest.raises(NotImplementedError, match="the derivative for 'geqrf' is not implemented"):
        torch.geqrf(a)[0].sum().backward()
    with pytest.raises(RuntimeError, match="depends on Q, which is not computed when mode='r'"):
        torch.linalg.qr(a, mode="r")[1].sum().backward()
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete'"):
        torch.linalg.qr(a[:, :2], mode="complete")[1].sum().backward()


def test_lstsq_needs_no_gradient_of_ranks(torch):
    result = torch.linalg.lstsq(matrix(torch, 4, 2, grad=True), matrix(torch, 4, 1), driver="gelsd")
    assert [r.requires_grad for r in result] == [True, True, False, False]
    assert result.residuals.shape == (1,) and result.rank == 2 and result.singular_values.shape == (2,)


# ---------------------------------------------------------------- some of many eigenvalues

@pytest.mark.parametrize("options", [{}, {"k": 3}, {"k": 3, "largest": False}, {"k": 2, "n": 4}, {"k": 2, "method": "basic"}],
                         ids=str)
def test_lobpcg_finds_extreme_eigenvalues(torch, options):
    torch.manual_seed(0)
    a = torch.stack([definite(torch, 30), 2 * definite(torch, 30)])
    values, vectors = torch.lobpcg(a, **options)
    k = options.get("k", 1)
    assert values.shape == (2, k) and vectors.shape == (2, 30, k)
    all_of_them = torch.linalg.eigvalsh(a)
    near(values, all_of_them[:, :k] if options.get("largest") is False else all_of_them.flip(-1)[:, :k], 1e-6)
    np.testing.assert_allclose((a @ vectors).numpy(), (vectors * values[:, None]).numpy(), 0, 1e-4)


def test_lobpcg_with_another_measure_and_a_preconditioner(torch):
    a, b = definite(torch, 30), definite(torch, 30) + torch.eye(30, dtype=torch.float64)
    torch.manual_seed(0)
    values, vectors = torch.lobpcg(a, k=2, B=b, iK=torch.linalg.inv(a), largest=False)
    every = torch.linalg.eigvals(torch.linalg.solve(b, a)).real.sort()[0]
    near(values, every[:2], 1e-6)
    near(vectors.mT @ b @ vectors, torch.eye(2, dtype=torch.float64), 1e-8)


def test_lobpcg_stops_when_told(torch):
    seen = []

    def tracker(worker):
        seen.append((worker.ivars["istep"], worker.X.shape, worker.E.shape))
        worker.bvars["force_stop"] = len(seen) == 3
    torch.lobpcg(definite(torch, 30), k=2, tracker=tracker, X=matrix(torch, 30, 2, seed=7))
    assert len(seen) == 3 and seen[0][1:] == ((30, 2), (2,))


def test_lobpcg_has_a_gradient(rushlight):
    start = matrix(rushlight, 8, 2, seed=1)

    def function(a):
        values, vectors = rushlight.lobpcg(a, X=start, tol=1e-13)
        return values, vectors.abs()
    a = definite(rushlight, 8).requires_grad_()
    assert rushlight.autograd.gradcheck(function, (a,))
    assert rushlight.autograd.gradgradcheck(function, (a,), atol=1e-3)
    values, vectors = function(a)
    every, columns = rushlight.linalg.eigh(a)
    weight = matrix(rushlight, 8, 2, seed=2)
    mine, = rushlight.autograd.grad((vectors * weight).sum() + values[0], a)
    full, = rushlight.autograd.grad((columns.flip(-1)[:, :2].abs() * weight).sum() + every[-1], a)
    near(mine, full, 1e-7)
    with pytest.raises(ValueError, match=r"does not support backward with B != I yet"):
        rushlight.lobpcg(a, B=rushlight.eye(8, dtype=rushlight.float64))[0].sum().backward()


# ---------------------------------------------------------------- errors

SINGULAR = "The diagonal element 2 is zero, the inversion could not be completed because the input matrix is singular."
ERRORS = [
    ("torch.linalg.inv(ones(2, 2))", "LinAlg", "linalg.inv: " + SINGULAR),
    ("torch.inverse(stack([eye(2), ones(2, 2)]))", "LinAlg", "linalg.inv: (Batch element 1): " + SINGULAR),
    ("torch.linalg.inv_ex(ones(2, 2), check_errors=True)", "LinAlg", "linalg.inv_ex: " + SINGULAR),
    ("torch.linalg.tensorinv(ones(2, 2), ind=1)", "LinAlg", "inv: " + SINGULAR),
    ("torch.linalg.matrix_power(ones(2, 2), -1)", "LinAlg", "linalg.inv: " + SINGULAR),
    ("torch.linalg.inv(ones(2, 3))", RuntimeError, "linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices"),
    ("torch.linalg.inv(ones(2))", RuntimeError, "linalg.inv: The input tensor A must have at least 2 dimensions."),
    ("torch.linalg.inv(eye(2).long())", RuntimeError, "linalg.inv: Expected a floating point or complex tensor as input. Got Long"),
    ("torch.linalg.inv(eye(2).half())", RuntimeError, "linalg.inv: Low precision dtypes not supported. Got Half"),
    ("torch.linalg.solve(ones(2, 2), ones(2))", "LinAlg",
     "torch.linalg.solve: The solver failed because the input matrix is singular."),
    ("torch.linalg.solve(eye(2), ones(3, 1))", RuntimeError,
     "linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)"),
    ("torch.linalg.solve(eye(2), ones(2).double())", RuntimeError,
     "linalg.solve: Expected A and B to have the same dtype, but found A of type Float and B of type Double instead"),
    ("torch.linalg.solve_triangular(eye(2), ones(2), upper=True)", RuntimeError,
     "linalg.solve_triangular: The input tensor B must have at least 2 dimensions."),
    ("torch.linalg.cholesky(-eye(2))", "LinAlg", "linalg.cholesky: The factorization could not be completed because the input is not "
     "positive-definite (the leading minor of order 1 is not positive-definite)."),
    ("torch.linalg.cholesky(tensor([[1., 2.], [2., 1.]]))", "LinAlg", "linalg.cholesky: The factorization could not be completed because "
     "the input is not positive-definite (the leading minor of order 2 is not positive-definite)."),
    ("torch.cholesky_inverse(zeros(2, 2))", "LinAlg", "cholesky_inverse: The diagonal element 1 is zero"),
    ("torch.linalg.lu_factor(ones(2, 2))", RuntimeError, "torch.linalg.lu_factor: U[2,2] is zero and using it on lu_solve would result in"),
    ("torch.linalg.lu(eye(2), pivot=False)", RuntimeError, "linalg.lu_factor: LU without pivoting is not implemented on the CPU"),
    ("torch.linalg.lu_solve(eye(2), ones(2), eye(2))", RuntimeError, "linalg.lu_solve: pivots should be a Tensor of scalar type"),
    ("torch.linalg.svd(ones(2, 2) * float('nan'))", "LinAlg",
     "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values."),
    ("torch.linalg.svd(eye(2).half())", NotImplementedError, "\"linalg_svd_cpu\" not implemented for 'Half'"),
    ("torch.linalg.svd(eye(2), driver='gesvd')", RuntimeError, "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA"),
    ("torch.linalg.eig(ones(2, 2) / 0)", RuntimeError, "torch.linalg.eig: input tensor should not contain infs or NaNs."),
    ("torch.linalg.eig(eye(2).long())", RuntimeError, "Unknown Complex ScalarType for Long"),
    ("torch.linalg.eigh(eye(2), UPLO='X')", RuntimeError, "Expected UPLO argument to be 'L' or 'U', but got X"),
    ("torch.linalg.qr(eye(2), mode='x')", RuntimeError, "qr received unrecognized mode 'x' but expected one of 'reduced' (default)"),
    ("torch.linalg.householder_product(ones(2, 3), ones(2))", RuntimeError,
     "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"),
    ("torch.ormqr(ones(3, 2), ones(2), ones(2, 2))", RuntimeError, "torch.ormqr: other.shape[-2] must be equal to input.shape[-2]"),
    ("torch.linalg.lstsq(ones(3, 2), ones(3), driver='foo')", RuntimeError,
     "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"),
    ("torch.linalg.lstsq(ones(3, 2), ones(3), driver='gels')", "LinAlg", "torch.linalg.lstsq: The least squares solution could not be "
     "computed because the input matrix does not have full rank (error code: 2)."),
    ("torch.linalg.lstsq(ones(3, 2), ones(2))", RuntimeError, "torch.linalg.lstsq: input.size(-2) should match other.size(-1)"),
    ("torch.linalg.pinv(ones(2))", RuntimeError, "linalg.pinv(Float{[2]}): expected a tensor with 2 or more dimensions of float"),
    ("torch.linalg.matrix_rank(ones(2))", RuntimeError, "torch.linalg.matrix_rank: The input tensor input must have at least 2 dim"),
    ("torch.linalg.cond(eye(2), p=3)", RuntimeError, "linalg.cond got an invalid norm type: 3"),
    ("torch.linalg.cond(ones(2, 3), p='fro')", RuntimeError, "linalg.cond(ord=fro): A must be batches of square matrices"),
    ("torch.linalg.matrix_norm(eye(2), ord=3)", RuntimeError, "linalg.matrix_norm: Order 3 not supported."),
    ("torch.linalg.matrix_norm(eye(2), dim=(0, 0))", RuntimeError, "linalg.matrix_norm: dims must be different. Got (0, 0)"),
    ("torch.linalg.norm(ones(2, 2, 2), ord=2)", RuntimeError,
     "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D."),
    ("torch.linalg.norm(eye(2), 'fro', dim=0)", RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got 0"),
    ("torch.linalg.multi_dot([eye(2)])", RuntimeError, "multi_dot(): expected at least 2 tensors but got 1"),
    ("torch.linalg.multi_dot([eye(2), ones(3, 2)])", RuntimeError,
     "multi_dot(): tensors 0 and 1 with shapes [2, 2] and [3, 2] cannot be multiplied"),
    ("torch.linalg.tensorsolve(ones(2, 2), ones(3))", RuntimeError,
     "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got 2 != 3"),
    ("torch.linalg.vander(ones(2), N=1)", RuntimeError, "N must be greater than 1."),
    ("torch.linalg.vecdot(ones(2), ones(2).double())", RuntimeError, "linalg.vecdot: Expected x and y to have the same dtype"),
    ("torch.linalg.inv(3)", TypeError, "linalg_inv(): argument 'A' (position 1) must be Tensor, not int"),
    ("torch.linalg.inv(eye(2), out=zeros(2, 2).double())", RuntimeError, "Expected out tensor to have dtype float, but got double instead"),
    ("torch.pca_lowrank(eye(3), q=4)", ValueError, "q(=4) must be non-negative integer and not greater than min(m, n)=3"),
    ("torch.lobpcg(eye(4), k=2)", ValueError, "LOBPCG algorithm is not applicable when the number of A rows (=4) is smaller than 3 x"),
    ("torch.lobpcg(ones(2, 3))", AssertionError, "A must be square, got shape torch.Size([2, 3])"),
    ("torch.solve(eye(2), eye(2))", RuntimeError, "This function was deprecated since version 1.9 and is now removed."),
    ("eye(2).symeig()", RuntimeError, "This function was deprecated since version 1.9 and is now removed."),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[e[0] for e in ERRORS])
def test_errors(torch, call, kind, text):
    names = {n: getattr(torch, n) for n in ("ones", "zeros", "eye", "stack", "tensor")}
    with pytest.raises(torch.linalg.LinAlgError if kind == "LinAlg" else kind) as caught:
        eval(call, {"torch": torch, **names})
    assert str(caught.value).startswith(text)


def test_linalg_error_is_a_runtime_error(torch):
    assert issubclass(torch.linalg.LinAlgError, RuntimeError) and torch.linalg.LinAlgError.__name__ == "_LinAlgError"


def test_errors_travel(rushlight):
    error = pickle.loads(pickle.dumps(rushlight.linalg.LinAlgError("text")))
    assert type(error) is rushlight.linalg.LinAlgError and str(error) == "text"


def test_one_bad_matrix_does_not_spoil_the_others(torch):
    a = torch.stack([torch.eye(2), torch.zeros(2, 2), 2 * torch.eye(2)])
    inverse, info = torch.linalg.inv_ex(a)
    assert info.tolist() == [0, 1, 0] and info.dtype is torch.int32
    near(inverse[2], torch.eye(2) / 2)
    solution, info = torch.linalg.solve_ex(a, torch.ones(2, 1))
    assert info.tolist() == [0, 1, 0]
    near(solution[2], torch.full((2, 1), 0.5))
    factor, info = torch.linalg.cholesky_ex(a)
    assert info.tolist() == [0, 1, 0]
    near(factor[2], torch.eye(2) * 2 ** 0.5, 1e-6)
    assert torch.linalg.lu_factor_ex(a).info.tolist() == [0, 1, 0]
    assert torch.linalg.ldl_factor_ex(a).info.tolist() == [0, 1, 0]


def test_nan_in_is_nan_out(torch):
    a = torch.full((2, 2), float("nan"))
    assert torch.linalg.inv(a).isnan().all() and torch.linalg.det(a).isnan()
    assert torch.linalg.eigh(a)[0].isnan().all()
    assert torch.linalg.solve(a, torch.ones(2)).isnan().all()


def test_infinity_gives_nan_and_spoils_nothing_else(rushlight, capfd):
    """LAPACK would print about it."""
    a = rushlight.stack([rushlight.eye(2), rushlight.full((2, 2), float("inf"))])
    assert rushlight.linalg.svdvals(a)[0].tolist() == [1, 1] and rushlight.linalg.svdvals(a)[1].isnan().all()
    assert all(x[1].isnan().all() and not x[0].isnan().any() for x in rushlight.linalg.svd(a))
    assert rushlight.linalg.matrix_rank(a).tolist() == [2, 0] and rushlight.linalg.pinv(a)[1].isnan().all()
    with pytest.raises(rushlight.linalg.LinAlgError, match=r"linalg\.svd: \(Batch element 1\): The algorithm failed"):
        rushlight.linalg.svdvals(a - a)
    with pytest.raises(rushlight.linalg.LinAlgError, match="non-finite"):
        rushlight.linalg.lstsq(a, a)
    assert capfd.readouterr() == ("", "")


def test_results_lie_in_order(rushlight):
    a, b = definite(rushlight, 3), matrix(rushlight, 2, 3)
    for made in (rushlight.linalg.solve(a, b, left=False), *rushlight.linalg.lu(matrix(rushlight, 2, 4, 3)),
                 rushlight.linalg.lu_solve(*rushlight.linalg.lu_factor(a), b, left=False), *rushlight.linalg.svd(b)):
        assert made.is_contiguous()


# ---------------------------------------------------------------- names

DEPRECATED = {
    "qr": "torch.qr is deprecated in favor of torch.linalg.qr",
    "cholesky": "torch.cholesky is deprecated in favor of torch.linalg.cholesky",
    "lu": "torch.lu is deprecated in favor of torch.linalg.lu_factor",
    "nuclear_norm": "at::nuclear_norm is deprecated",
}


@pytest.mark.parametrize("name", DEPRECATED)
def test_deprecated_names_warn(rushlight, name):
    with pytest.warns(UserWarning, match=DEPRECATED[name].replace(".", r"\.")) as caught:
        getattr(rushlight, name)(definite(rushlight, 2))
    assert caught[0].filename == __file__


def test_results_are_named(torch):
    a = definite(torch, 3)
    for result, name, fields in (
            (torch.linalg.svd(a), "linalg_svd", ("U", "S", "Vh")), (torch.linalg.qr(a), "linalg_qr", ("Q", "R")),
            (torch.linalg.lu(a), "linalg_lu", ("P", "L", "U")), (torch.linalg.eigh(a), "linalg_eigh", ("eigenvalues", "eigenvectors")),
            (torch.linalg.slogdet(a), "linalg_slogdet", ("sign", "logabsdet")), (torch.svd(a), "svd", ("U", "S", "V")),
            (torch.linalg.lstsq(a, a), "linalg_lstsq", ("solution", "residuals", "rank", "singular_values")),
            (torch.lu_unpack(*torch.linalg.lu_factor(a)), "lu_unpack", ("P", "L", "U"))):
        assert repr(result).startswith(f"torch.return_types.{name}(\n{fields[0]}=")
        assert type(result) is getattr(torch.return_types, name)
        assert all(getattr(result, f) is r for f, r in zip(fields, result))


def test_return_types_are_those_of_torch(rushlight):
    torch = pytest.importorskip("torch")
    there = {n for n in dir(torch.return_types) if n.startswith("linalg_") and not n.endswith("_out")}
    assert sorted(there - set(dir(rushlight.return_types))) == []
    with pytest.raises(AttributeError, match="has no attribute 'linalg_q'"):
        rushlight.return_types.linalg_q


def test_out_of_several_results(torch):
    a = definite(torch, 3)
    out = torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.float64)
    made = torch.linalg.eigh(a, out=out)
    assert made[0] is out[0]
    near(out[0], torch.linalg.eigvalsh(a))
    lu = tuple(torch.empty(0, dtype=torch.float64) for _ in range(3))
    torch.linalg.lu(a, out=lu)
    near(lu[0] @ lu[1] @ lu[2], a)


def test_names_of_nodes(torch):
    a = definite(torch, 3).requires_grad_()
    names = {"inv": "LinalgInvExBackward0", "det": "LinalgDetBackward0", "cholesky": "LinalgCholeskyExBackward0",
             "eigvals": "LinalgEigBackward0", "svdvals": "LinalgSvdBackward0", "pinv": "LinalgPinvBackward0", "cond": "SqueezeBackward1"}
    assert {n: getattr(torch.linalg, n)(a).grad_fn.name() for n in names} == names
    assert torch.linalg.lu(a).L.grad_fn.name() == "LinalgLuBackward0" and torch.linalg.lu(a).P.grad_fn is None


def test_everything_of_torch_exists(rushlight):
    torch = pytest.importorskip("torch")
    there = {n for n in dir(torch.linalg) if not n.startswith("_") and (callable(getattr(torch.linalg, n)))}
    assert sorted(there - set(dir(rushlight.linalg))) == []


PROGRAM = """
import sys
import rushlight as torch
assert not any("linalg" in m for m in sys.modules if m.startswith("rushlight")), "it loads with the package"
a = torch.eye(2) * 2
assert {ask}.tolist() == {answer}
assert torch.Tensor.det is not None and torch.det(a) == 4
"""


@pytest.mark.parametrize(("ask", "answer"), [("a.inverse()", [[.5, 0], [0, .5]]), ("torch.inverse(a)", [[.5, 0], [0, .5]]),
                                             ("torch.linalg.inv(a)", [[.5, 0], [0, .5]]), ("torch.Tensor.det(a)", 4.0),
                                             ("torch.matrix_power(a, -1)", [[.5, 0], [0, .5]])])
def test_it_loads_when_first_asked_for(ask, answer):
    done = subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM.format(ask=ask, answer=answer)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_functions_travel(rushlight):
    for name in rushlight.linalg.__all__:
        thing = getattr(rushlight.linalg, name)
        assert pickle.loads(pickle.dumps(thing)) is thing, name
    assert pickle.loads(pickle.dumps(rushlight.Tensor.det)) is rushlight.Tensor.det


def test_subclasses_see_calls(rushlight):
    seen = []

    class Watched(rushlight.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(function.__name__)
            return super().__torch_function__(function, types, args, kwargs)
    a = rushlight.eye(2).as_subclass(Watched)
    rushlight.linalg.inv(a)
    rushlight.linalg.svd(a)
    a.det()
    assert [n for n in seen if n in ("linalg_inv", "linalg_svd", "det")] == ["linalg_inv", "linalg_svd", "det"]
