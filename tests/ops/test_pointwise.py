"""Functions of each element: corners, dtypes, complex parts, refusals."""
import math

import pytest

inf, nan = float("inf"), float("nan")


def values(t):
    return t.tolist()


def gradients(torch, call, *numbers):
    inputs = [torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in numbers]
    return [g.item() for g in torch.autograd.grad(call(*inputs), inputs)]


def same(found, wanted):
    return all((a != a and b != b) or a == b for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize(("name", "numbers", "wanted"), [
    ("atan2", [0.0, 0.0], [0.0, 0.0]), ("hypot", [0.0, 0.0], [nan, nan]),
    ("copysign", [0.0, 1.0], [0.0, 0.0]),
    ("copysign", [-2.0, 1.0], [-1.0, 0.0]), ("asin", [1.0], [inf]), ("acosh", [0.5], [nan]),
    ("nan_to_num", [inf], [0.0]),
    ("nan_to_num", [nan], [0.0]), ("angle", [-1.0], [0.0]), ("ceil", [1.5], [0.0]), ("frac", [1.5], [1.0]),
    ("sign", [2.0], [0.0]),
    ("ldexp", [1.5, 2.0], [4.0, 1.5 * 4 * math.log(2)])])
def test_gradients_at_the_corners(torch, name, numbers, wanted):
    found = gradients(torch, getattr(torch, name), *numbers)
    assert same(found, [pytest.approx(w) if math.isfinite(w) and w else w for w in wanted])


def test_rounding(torch, fails):
    x = torch.tensor([-2.5, -0.5, 0.5, 1.5, 2.345])
    assert values(torch.round(x)) == [-2, 0, 0, 2, 2]
    assert values(torch.round(torch.tensor([1234.5]), decimals=-2)) == [1200]
    assert values(torch.round(x, decimals=1))[-1] == pytest.approx(2.3)
    assert values(torch.ceil(x)) == [-2, 0, 1, 2, 3]
    assert values(torch.floor(x)) == [-3, -1, 0, 1, 2]
    assert values(torch.trunc(x)) == values(torch.fix(x)) == [-2, 0, 0, 1, 2]
    assert torch.floor(torch.tensor([1, 2])).dtype == torch.int64
    for name in ("ceil", "floor", "trunc"):
        with fails(NotImplementedError, f"\"{name}_vml_cpu\" not implemented for 'Bool'"):
            getattr(torch, name)(torch.tensor([True]))
        with fails(NotImplementedError, f"{name} is not supported for complex inputs"):
            getattr(torch, name)(torch.tensor([1j]))
    with fails(NotImplementedError, "\"frac_cpu\" not implemented for 'Long'"):
        torch.frac(torch.tensor([1]))


def test_signs(torch, fails):
    x = torch.tensor([-2.0, -0.0, 0.0, nan])
    assert values(torch.sign(x)) == [-1, 0, 0, 0]
    assert values(torch.signbit(x))[:3] == [True, True, False]
    assert values(torch.sgn(torch.tensor([3 + 4j, 0j],
                                         dtype=torch.complex128))) == [pytest.approx(0.6 + 0.8j), 0j]
    assert values(torch.sign(torch.tensor([True, False]))) == [True, False]
    with fails(NotImplementedError,
               "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn "
                                    "instead."):
        torch.sign(torch.tensor([1j]))


def test_integers_become_the_default_float(torch):
    i = torch.tensor([1, 4])
    for name in ("sqrt", "exp", "log", "sin", "tanh", "deg2rad", "reciprocal"):
        assert getattr(torch, name)(i).dtype == torch.float32
    torch.set_default_dtype(torch.float64)
    assert torch.sqrt(i).dtype == torch.float64
    with fails_to_cast(torch):
        torch.tensor([1, 4]).exp_()


def fails_to_cast(torch):
    return pytest.raises(RuntimeError,
                         match="result type Double can't be cast to the desired output type Long")


def test_frexp(torch, fails):
    m, e = torch.frexp(torch.tensor([8.0, -0.75, 0.0, inf]))
    assert values(m) == [0.5, -0.75, 0, inf]
    assert values(e) == [4, 0, 0, 0]
    assert e.dtype == torch.int32
    with fails(RuntimeError, "torch.frexp() only supports floating-point dtypes"):
        torch.frexp(torch.tensor([1]))


def test_divisors(torch):
    assert values(torch.gcd(torch.tensor([12, -8, 0]), torch.tensor([18, 12, 5]))) == [6, 4, 5]
    assert values(torch.lcm(torch.tensor([4, -6]), torch.tensor([6, 4]))) == [12, 12]


def test_fused_arithmetic(torch, fails):
    a, b, c = torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([4.0])
    assert values(torch.addcmul(a, b, c, value=0.5)) == [5]
    assert values(torch.addcdiv(a, b, c, value=2)) == [2]
    assert values(a.clone().addcmul_(b, c)) == [9]
    assert values(torch.lerp(a, b, 0.25)) == [1.25]
    assert values(torch.lerp(a, b, torch.tensor([0.75]))) == [1.75]
    i = torch.tensor([1])
    with fails(RuntimeError, "Integer division with addcdiv is no longer supported"):
        torch.addcdiv(a, i, i)
    with fails(RuntimeError, "expected dtype float for `end` but got dtype double"):
        torch.lerp(a, b.double(), 0.5)
    with fails(NotImplementedError, "\"lerp_kernel_scalar\" not implemented for 'Long'"):
        torch.lerp(i, i, 0.5)


# ---------------------------------------------------------------- complex numbers

def test_parts_are_views(torch):
    z = torch.tensor([1 + 2j, 3 - 4j])
    z.real[0] = 5
    z.imag.mul_(2)
    assert values(z) == [5 + 4j, 3 - 8j]
    pairs = torch.view_as_real(z)
    pairs[1, 0] = 7
    assert values(z) == [5 + 4j, 7 - 8j]
    assert values(torch.view_as_complex(pairs)) == values(z)
    x = torch.ones(2)
    assert torch.real(x) is x
    assert torch.conj(x) is x


def test_parts_of_non_contiguous_tensors(torch):
    z = torch.arange(6).reshape(2, 3).to(torch.complex64) * (1 + 2j)
    assert values(torch.view_as_real(z.t())[1]) == [[1, 2], [4, 8]]
    assert values(torch.view_as_real(z[:, ::2])[0]) == [[0, 0], [2, 4]]
    assert torch.view_as_real(torch.tensor(1j)).shape == (2,)
    assert torch.view_as_real(torch.ones(0, 3, dtype=torch.complex64)).shape == (0, 3, 2)


def test_gradients_through_parts(torch):
    z = torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex128, requires_grad=True)
    (z.real ** 2).sum().backward()
    assert values(z.grad) == [2, 6]
    z.grad = None
    z.imag.sum().backward()
    assert values(z.grad) == [1j, 1j]
    z.grad = None
    z.abs().sum().backward()
    assert values(z.grad)[1] == pytest.approx(0.6 - 0.8j)


def test_refusals_of_views(torch, fails):
    with fails(RuntimeError, "imag is not implemented for tensors with non-complex dtypes."):
        torch.ones(2).imag
    with fails(RuntimeError, "view_as_real is only supported for complex tensors"):
        torch.view_as_real(torch.ones(2))
    for tensor, text in ((torch.ones(3), "Tensor must have a last dimension of size 2"),
                         (torch.ones(2, 2).t(), "Tensor must have a last dimension with stride 1"),
                         (torch.tensor(1.0), "Input tensor must have one or more dimensions"),
                         (torch.ones(2, 3)[:, :2],
                          "Tensor must have a stride divisible by 2 for all but last dimension"),
                         (torch.tensor([1, 2]),
                          "view_as_complex is only supported for half, float and double tensors, but got a "
                                                "tensor of scalar type: Long")):
        with fails(RuntimeError, text):
            torch.view_as_complex(tensor)


def test_making_complex_numbers(torch, fails):
    a, b = torch.tensor([3.0]), torch.tensor([4.0])
    z = torch.complex(a, b)
    assert values(z) == [3 + 4j]
    assert z.dtype == torch.complex64
    assert values(torch.polar(z.abs(), z.angle()))[0] == pytest.approx(3 + 4j)
    assert values(torch.angle(torch.tensor([-1.0, 2.0]))) == [pytest.approx(math.pi), 0]
    with fails(RuntimeError,
               "Expected object of scalar type Float but got scalar type Double for second argument"):
        torch.complex(a, b.double())
    with fails(RuntimeError,
               "Expected both inputs to be Half, Float or Double tensors but got Long and Long"):
        torch.complex(torch.tensor([1]), torch.tensor([1]))
    with fails(RuntimeError,
               "Expected object of scalar type ComplexFloat but got scalar type ComplexDouble for argument "
               "'out'"):
        torch.complex(a, b, out=torch.zeros(1, dtype=torch.complex128))


def test_conjugates(torch):
    z = torch.tensor([1 + 2j], requires_grad=True)
    assert values(z.conj().resolve_conj()) == [1 - 2j]
    assert values(torch.conj_physical(z)) == [1 - 2j]
    assert values(z.detach().clone().conj_physical_()) == [1 - 2j]
    assert torch.conj_physical(torch.tensor([True])).dtype == torch.bool


# ---------------------------------------------------------------- what is finite

def test_what_is_finite(torch, fails):
    x = torch.tensor([nan, inf, -inf, 1.0])
    assert values(x.isnan()) == [True, False, False, False]
    assert values(x.isinf()) == [False, True, True, False]
    assert values(x.isfinite()) == [False, False, False, True]
    assert values(x.isposinf()) == [False, True, False, False]
    assert values(x.isneginf()) == [False, False, True, False]
    assert values(x.half().isposinf()) == [False, True, False, False]
    assert values(torch.tensor([1, 2]).isfinite()) == [True, True]
    assert values(torch.tensor([1j, 1]).isreal()) == [False, True]
    assert values(torch.nan_to_num(x)) == [0, pytest.approx(3.4028234663852886e38),
                                           pytest.approx(-3.4028234663852886e38), 1]
    assert values(torch.nan_to_num(x, 1, 2, 3)) == [1, 2, 3, 1]
    with fails(RuntimeError, "isposinf does not support complex inputs."):
        torch.isposinf(torch.tensor([1j]))


def test_names_of_nodes(torch):
    x = torch.ones(2, requires_grad=True)
    for call, name in ((lambda: torch.round(x), "RoundBackward0"),
                       (lambda: torch.round(x, decimals=1), "RoundBackward1"),
                       (lambda: torch.fix(x), "TruncBackward0"),
                       (lambda: torch.lerp(x, x, 0.5), "LerpBackward0"),
                       (lambda: torch.lerp(x, x, x), "LerpBackward1"),
                       (lambda: torch.deg2rad(x), "Deg2RadBackward0"),
                       (lambda: (x + 0j).real, "SelectBackward0")):
        assert call().grad_fn.name() == name
