"""Arithmetic as PyTorch does it: integers that wrap around, division that rounds, refusals to the letter,
the operators of Python.
"""
import numpy as np
import pytest

inf, nan = float("inf"), float("nan")


def values(t):
    return t.tolist()


# ---------------------------------------------------------------- integers

def test_integers_wrap_around(torch):
    assert values(torch.tensor([200], dtype=torch.uint8) + torch.tensor([100], dtype=torch.uint8)) == [44]
    assert values(torch.tensor([100], dtype=torch.int8) * 3) == [44]
    assert values(torch.tensor([1], dtype=torch.uint8) + 300) == [45]
    assert values(-torch.tensor([1], dtype=torch.uint8)) == [255]


def test_division_of_integers(torch):
    a, b = torch.tensor([-7, 7, -7, 7]), torch.tensor([2, 2, -2, -2])
    assert values(a / b) == [-3.5, 3.5, 3.5, -3.5]
    assert (a / b).dtype == torch.float32
    assert values(a // b) == values(torch.div(a, b, rounding_mode="floor")) == [-4, 3, 3, -4]
    assert values(torch.div(a, b, rounding_mode="trunc")) == [-3, 3, 3, -3]
    assert values(a % b) == [1, 1, -1, -1]
    assert values(torch.fmod(a, b)) == [-1, 1, -1, 1]
    assert values(torch.tensor([1], dtype=torch.int8) / 300) == [pytest.approx(1 / 300)]


@pytest.mark.parametrize("call", [
    lambda t, i: i // 0, lambda t, i: i % 0, lambda t, i: t.fmod(i, 0), lambda t, i: i // (i - i),
    lambda t, i: t.div(i, 0, rounding_mode="trunc")])
def test_integers_divided_by_zero(torch, fails, call):
    with fails(RuntimeError, "ZeroDivisionError"):
        call(torch, torch.tensor([1, 2]))
    assert values(torch.tensor([1, -1, 0]) / 0)[:2] == [inf, -inf]


def test_powers_of_integers(torch, fails):
    assert values(torch.tensor([2, -3]) ** 3) == [8, -27]
    assert values(torch.tensor([1, -1, 2, -1]) ** torch.tensor([-1, -3, -1, -2])) == [1, -1, 0, 1]
    with fails(RuntimeError, "Integers to negative integer powers are not allowed."):
        torch.tensor([2]) ** -1
    with fails(RuntimeError, "value cannot be converted to type int8_t without overflow"):
        torch.tensor([2], dtype=torch.int8) ** 300


def test_rounding_division_of_floats(torch):
    a, b = torch.tensor([5.0, -5.0, 5.0, inf, 1.0]), torch.tensor([3.0, 3.0, -3.0, 2.0, 0.0])
    assert values(a % b)[:3] == [2, 1, -1]
    assert values(torch.fmod(a, b))[:3] == [2, -2, 2]
    assert values(a // b)[:3] == [1, -2, -2]
    assert values(a // b)[4] == inf
    assert str(values(torch.tensor([-6.0]) % 3)[0]) == "-0.0"


# ---------------------------------------------------------------- refusals

def test_refusals_of_bool(torch, fails):
    b, i = torch.tensor([True, False]), torch.tensor([1, 2])
    two = ("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
           "`logical_xor()` operator instead.")
    one = ("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
           "a mask, use the `~` or "
           "`logical_not()` operator instead.")
    with fails(RuntimeError, two):
        b - b
    for call in (lambda: b - 1, lambda: 1 - b, lambda: i - b):
        with fails(RuntimeError, one):
            call()
    with fails(RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported. If you are "
                             "trying to invert a mask"):
        -b
    with fails(RuntimeError, "The `+` operator, on a bool tensor is not supported."):
        +b
    with fails(NotImplementedError, "\"abs_cpu\" not implemented for 'Bool'"):
        abs(b)
    assert values(b + b) == [True, False]
    assert values(b * b) == [True, False]


def test_refusals_of_alpha(torch, fails):
    i, x, b = torch.tensor([1, 2]), torch.tensor([1.0, 2.0]), torch.tensor([True, False])
    with fails(RuntimeError, "For integral input tensors, argument alpha must not be a floating point "
                             "number."):
        torch.add(i, i, alpha=1.5)
    with fails(RuntimeError, "Boolean alpha only supported for Boolean results."):
        torch.add(i, i, alpha=True)
    with fails(RuntimeError, "For non-complex input tensors, argument alpha must not be a complex number."):
        torch.add(x, x, alpha=1j)
    assert values(torch.add(b, b, alpha=True)) == [True, False]
    assert values(torch.sub(x, x, alpha=3)) == [-2, -4]


def test_other_refusals(torch, fails):
    i, b = torch.tensor([1, 2]), torch.tensor([True, False])
    with fails(RuntimeError, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                             "'up'"):
        torch.div(i, 2, rounding_mode="up")
    for name, call in (("div_trunc_cpu", lambda: torch.div(b, b, rounding_mode="trunc")),
                       ("div_floor_cpu", lambda: b // b),
                       ("remainder_cpu", lambda: b % b), ("fmod_cpu", lambda: torch.fmod(b, b)),
                       ("pow", lambda: b ** b)):
        with fails(NotImplementedError, f"\"{name}\" not implemented for 'Bool'"):
            call()
    with fails(RuntimeError,
               "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"):
        i + torch.ones(3)


# ---------------------------------------------------------------- in place

def test_in_place(torch, fails):
    x = torch.tensor([1.0, 2.0])
    same = x
    x += 1
    x *= torch.tensor([2.0, 3.0])
    x -= 1
    x /= 2
    x **= 2
    assert same is x
    assert values(x) == [2.25, 16]
    assert values(x.add_(torch.ones(2), alpha=-0.25)) == [2, 15.75]
    assert values(x.add_(torch.tensor([1], dtype=torch.int64))) == [3, 16.75]
    assert x._version == 7
    with fails(RuntimeError, "result type Float can't be cast to the desired output type Long"):
        torch.tensor([1]).add_(1.5)
    with fails(RuntimeError, "output with shape [2] doesn't match the broadcast shape [3, 2]"):
        x.mul_(torch.ones(3, 2))
    with fails(RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation."):
        torch.ones(2, requires_grad=True).add_(1)
    with fails(RuntimeError, "In-place abs is not supported for complex tensors."):
        torch.tensor([1j]).abs_()
    with fails(RuntimeError,
               "the base given to float_power_ has dtype Float but the operation's result requires dtype "
               "Double"):
        x.float_power_(2)
    assert values(x) == [3, 16.75]


def test_in_place_under_no_grad_reaches_leaves_and_views(torch):
    leaf = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        leaf.add_(torch.ones(3), alpha=-0.5)
        leaf[1:] *= 4
    assert values(leaf) == [0.5, 2, 2]
    assert leaf.is_leaf
    assert leaf._version == 3        # the write through the view, and its assignment


def test_in_place_records(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.clone()
    y *= x
    y.add_(3)
    y.sum().backward()
    assert values(x.grad) == [2, 4]


def test_in_place_through_overlapping_memory_is_refused(torch, fails):
    with fails(RuntimeError,
               "unsupported operation: more than one element of the written-to tensor refers to a single "
               "memory "
                             "location. Please clone() the tensor before performing the operation."):
        torch.ones(1).expand(3).add_(1)


# ---------------------------------------------------------------- Python's operators

def test_reflected_operators(torch):
    x = torch.tensor([1.0, 4.0])
    assert values(2 + x) == [3, 6]
    assert values(2 - x) == [1, -2]
    assert values(2 * x) == [2, 8]
    assert values(2 / x) == [2, 0.5]
    assert values(9 // x) == [9, 2]
    assert values(9 % x) == [0, 1]
    assert values(2 ** x) == [2, 16]
    assert values(2 ** torch.tensor([3])) == [8]


@pytest.mark.parametrize(("symbol", "call"), [
    ("-", lambda x, y: x - y), ("/", lambda x, y: x / y), ("//", lambda x, y: x // y),
    ("%", lambda x, y: x % y),
    ("** or pow()", lambda x, y: x ** y), ("+", lambda x, y: x + y)])
def test_foreign_operands(torch, symbol, call):
    class Foreign:
        pass
    for other in ("a", None, Foreign()):
        with pytest.raises(TypeError, match="unsupported operand type"):
            call(torch.ones(2), other)


def test_foreign_operands_in_place(torch):
    x = torch.ones(2)
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+=: 'Tensor' and 'str'"):
        x += "a"


def test_a_foreign_class_may_answer(torch):
    class Foreign:
        def __radd__(self, other):
            return "radd"

        def __rpow__(self, other):
            return "rpow"
    assert torch.ones(2) + Foreign() == "radd"
    assert torch.ones(2) ** Foreign() == "rpow"


def test_numpy_operands(torch):
    x = torch.ones(2, requires_grad=True)
    for number in (np.float64(2), np.float32(2), np.int64(2)):
        left, right = number * x, x * number
        assert isinstance(left, torch.Tensor)
        assert left.dtype == right.dtype == torch.float32
        assert values(left) == values(right) == [2, 2]
        assert left.requires_grad
    with pytest.raises(TypeError,
                       match=r"unsupported operand type\(s\) for \*: 'numpy.ndarray' and 'Tensor'"):
        np.ones(2) * x


# ---------------------------------------------------------------- gradients at the corners

def gradient(torch, call, *numbers):
    inputs = [torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in numbers]
    return [g.item() for g in torch.autograd.grad(call(*inputs), inputs)]


def same(found, wanted):
    return all((a != a and b != b) or a == b for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize(("call", "numbers", "wanted"), [
    ("abs", [0.0], [0.0]), ("abs", [nan], [0.0]), ("sqrt", [0.0], [inf]), ("rsqrt", [0.0], [-inf]),
    ("reciprocal", [0.0], [-inf]),
    ("pow", [0.0, 0.0], [0.0, 0.0]), ("pow", [0.0, 1.0], [1.0, 0.0]), ("pow", [0.0, -1.0], [-inf, -inf]),
    ("pow", [-1.0, 2.0], [-2.0, nan]), ("float_power", [0.0, 0.0], [0.0, 0.0]),
    ("remainder", [5.0, 3.0], [1.0, -1.0]),
    ("fmod", [-5.0, 3.0], [1.0, 1.0])])
def test_gradients_at_the_corners(torch, call, numbers, wanted):
    assert same(gradient(torch, getattr(torch, call), *numbers), wanted)


def test_the_power_with_exponent_zero_has_no_slope(torch):
    assert gradient(torch, lambda x: x ** 0, 0.0) == [0.0]
    assert gradient(torch, lambda x: torch.div(x, 2, rounding_mode="floor"), 3.0) == [0.0]


@pytest.mark.parametrize(("call", "name"), [
    (lambda x, y: x + 2, "AddBackward0"), (lambda x, y: 2 - x, "RsubBackward1"),
    (lambda x, y: x ** 2, "PowBackward0"),
    (lambda x, y: x ** y, "PowBackward1"), (lambda x, y: 2 ** x, "PowBackward2"),
    (lambda x, y: 2 / x, "MulBackward0"),
    (lambda x, y: x % 2, "RemainderBackward0"), (lambda x, y: x % y, "RemainderBackward1"),
    (lambda x, y: x / y, "DivBackward0")])
def test_names_of_nodes(torch, call, name):
    x, y = torch.ones(2, requires_grad=True), torch.full((2,), 2.0)
    assert call(x, y).grad_fn.name() == name


def test_what_multiplication_saves(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2)
    node = (x * w).grad_fn
    assert node._saved_other is not None
    assert values(node._saved_other) == [1, 1]


# ---------------------------------------------------------------- half precision

def test_half_types_are_rounded_once(torch):
    x = torch.tensor([2049.0], dtype=torch.float32).half()
    assert values(x + torch.tensor([1.0]).half()) == [2048]
    big = torch.tensor([60000.0], dtype=torch.float16)
    assert values(big + big) == [inf]
    assert (torch.ones(2, dtype=torch.bfloat16) * 1.1).dtype == torch.bfloat16
    assert values(torch.tensor([3.0], dtype=torch.bfloat16) ** 2) == [9]
