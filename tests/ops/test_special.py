"""Special functions: accuracy against the standard library and published values, corners, refusals."""
import math

import pytest

inf, nan = float("inf"), float("nan")
GRID = [x / 16 for x in range(-160, 161)]
EULER = 0.57721566490153286061


def values(t):
    return t.tolist()


def close(found, wanted, relative, absolute=0.0):
    for a, b in zip(found, wanted, strict=True):
        assert (a != a and b != b) or a == b or abs(a - b) <= absolute + relative * abs(b), (a, b)


def test_erf_and_erfc(torch):
    x = torch.tensor(GRID, dtype=torch.float64)
    close(values(torch.erf(x)), [math.erf(v) for v in GRID], 4e-16)
    close(values(torch.erfc(x)), [math.erfc(v) for v in GRID], 2e-15)
    close(values(torch.erf(x.float())), [math.erf(v) for v in GRID], 1.6e-7)
    close(values(torch.erfc(x.float())), [math.erfc(v) for v in GRID], 1e-5, 1e-38)
    corners = torch.tensor([inf, -inf, nan, 0.0, -0.0], dtype=torch.float64)
    close(values(torch.erf(corners)), [1, -1, nan, 0, 0], 0)
    close(values(torch.erfc(corners)), [0, 2, nan, 1, 1], 0)
    assert math.copysign(1, values(torch.erf(corners))[4]) == -1


def test_erfinv(torch):
    points = [0.0, 0.1, -0.5, 0.9, 0.999, -0.9999999, 1e-10, 1 - 2 ** -50]
    y = torch.erfinv(torch.tensor(points, dtype=torch.float64))
    close(values(torch.erf(y)), points, 1e-14)
    close(values(torch.erfinv(torch.tensor([1.0, -1.0, 1.5]))), [inf, -inf, nan], 0)


def test_lgamma(torch):
    points = [v for v in GRID if v > 0 or v != math.floor(v)] + [1e-5, 1 + 1e-9, 2 - 1e-9, 30.5, 171.0, 1e10,
                                                                 1e300]
    close(values(torch.lgamma(torch.tensor(points, dtype=torch.float64))), [math.lgamma(v) for v in points],
          2e-14, 3e-14)
    close(values(torch.lgamma(torch.tensor([0.0, -1.0, inf, nan]))), [inf, inf, inf, nan], 0)


def test_digamma_and_polygamma(torch):
    one = torch.tensor([1.0, 0.5, 2.0, -0.5], dtype=torch.float64)
    close(values(torch.digamma(one)), [-EULER, -EULER - 2 * math.log(2), 1 - EULER, 0.03648997397857652],
          1e-12)
    close(values(torch.polygamma(1, one)),
          [math.pi ** 2 / 6, math.pi ** 2 / 2, math.pi ** 2 / 6 - 1, 8.934802200544679], 1e-9)
    zeta3 = 1.2020569031595942
    close(values(torch.polygamma(2, one[:2])), [-2 * zeta3, -14 * zeta3], 1e-12)
    close(values(torch.polygamma(3, one[:1])), [math.pi ** 4 / 15], 1e-12)
    assert values(torch.polygamma(0, one)) == values(torch.digamma(one))
    assert values(one.polygamma(1)) == values(torch.polygamma(1, one))
    close(values(torch.digamma(torch.tensor([0.0, -0.0, -1.0, inf]))), [-inf, inf, nan, inf], 0)


def test_mvlgamma(torch, fails):
    x = torch.tensor([3.0, 4.5], dtype=torch.float64)
    wanted = [math.lgamma(v) + math.lgamma(v - 0.5) + math.log(math.pi) / 2 for v in (3.0, 4.5)]
    close(values(torch.mvlgamma(x, 2)), wanted, 1e-13)
    with fails(RuntimeError, "p has to be greater than or equal to 1"):
        torch.mvlgamma(x, 0)


def test_i0(torch):
    points = [0.0, 1.0, -1.0, 5.0, 19.9, 20.1, 100.0]
    wanted = [1.0, 1.2660658777520084, 1.2660658777520084, 27.239871823604442]
    found = values(torch.i0(torch.tensor(points, dtype=torch.float64)))
    close(found[:4], wanted, 1e-14)
    assert found[5] / found[4] == pytest.approx(math.exp(0.2) * math.sqrt(19.9 / 20.1), rel=1e-3)
    assert found[6] == pytest.approx(1.0737517071310738e42, rel=1e-12)


def gradients(torch, call, *numbers):
    inputs = [torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in numbers]
    return [g.item() for g in torch.autograd.grad(call(*inputs), inputs)]


@pytest.mark.parametrize(("name", "numbers", "wanted"), [
    ("xlogy", [0.0, 0.0], [0.0, nan]), ("xlogy", [0.0, -1.0], [0.0, 0.0]), ("xlogy", [1.0, 0.0], [-inf, inf]),
    ("sinc", [0.0], [0.0]), ("i0", [0.0], [0.0]), ("erfinv", [1.0], [inf]), ("erfinv", [2.0], [nan]),
    ("logit", [2.0], [nan]),
    ("logit", [0.0], [inf]), ("logaddexp", [-inf, -inf], [nan, nan]), ("logaddexp", [inf, 1.0], [1.0, 0.0]),
    ("nextafter", [1.0, 2.0], [1.0, 0.0]), ("nextafter", [1.0, 1.0], [0.0, 0.0])])
def test_gradients_at_the_corners(torch, name, numbers, wanted):
    close(gradients(torch, getattr(torch, name), *numbers), wanted, 0)


def test_second_derivative_of_i0(torch):
    x = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    first, = torch.autograd.grad(torch.i0(x).sum(), x, create_graph=True)
    second, = torch.autograd.grad(first.sum(), x)
    close(values(second), [0.5, 1.2660658777520084 - 0.5651591039924851], 1e-13)


def test_logit_clamps(torch):
    x = torch.tensor([0.05, 0.1, 0.5, 1.5], dtype=torch.float64, requires_grad=True)
    y = torch.logit(x, 0.1)
    y.sum().backward()
    close(values(y), [math.log(1 / 9), math.log(1 / 9), 0, math.log(9)], 1e-12, 1e-15)
    close(values(x.grad), [0, 1 / 0.09, 4, 0], 1e-12)


def test_values_at_the_corners(torch):
    assert values(torch.sinc(torch.tensor([0.0, 0.5]))) == [1, pytest.approx(2 / math.pi)]
    close(values(torch.xlogy(torch.tensor([0.0, 0.0, 2.0]), torch.tensor([0.0, nan, 0.0]))), [0, nan, -inf],
          0)
    close(values(torch.logaddexp(torch.tensor([1000.0, -inf]), torch.tensor([1000.0, -inf]))),
          [1000 + math.log(2), -inf], 1e-6)
    assert values(torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor([0.5]))) == [0, 0.5, 1]
    assert values(torch.sigmoid(torch.tensor([-1000.0, 0.0, 1000.0]))) == [0, 0.5, 1]
    assert values(torch.sigmoid(torch.tensor([0]))) == [0.5]


@pytest.mark.parametrize(("call", "kind", "text"), [
    (lambda t: t.erf(t.tensor([1j])), NotImplementedError,
     "\"erf_vml_cpu\" not implemented for 'ComplexFloat'"),
    (lambda t: t.logaddexp(t.tensor([1]), t.tensor([1])), NotImplementedError,
     "\"logaddexp_cpu\" not implemented for 'Long'"),
    (lambda t: t.nextafter(t.tensor([1]), t.tensor([1])), NotImplementedError,
     "\"nextafter_cpu\" not implemented for 'Long'"),
    (lambda t: t.heaviside(t.ones(1), t.ones(1).double()), RuntimeError,
     "heaviside is not yet implemented for tensors with different dtypes."),
    (lambda t: t.polygamma(-1, t.ones(1)), RuntimeError, "polygamma(n, x) does not support negative n."),
    (lambda t: t.heaviside(t.ones(1, requires_grad=True), t.ones(1)).sum().backward(), RuntimeError,
     "derivative for aten::heaviside is not implemented")])
def test_refusals(torch, fails, call, kind, text):
    with fails(kind, text):
        call(torch)


def test_half_types(torch):
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.tensor([0.5, 1.5], dtype=dtype)
        assert torch.erf(x).dtype == dtype
        assert torch.lgamma(x).dtype == dtype
        assert values(torch.erf(x))[0] == pytest.approx(math.erf(0.5), rel=1e-2)
