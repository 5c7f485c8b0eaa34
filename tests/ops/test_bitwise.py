"""The operators on bits."""
import pytest


def values(t):
    return t.tolist()


def test_operators(torch):
    a, b = torch.tensor([12, 10]), torch.tensor([10, 3])
    assert values(a & b) == [8, 2]
    assert values(a | b) == [14, 11]
    assert values(a ^ b) == [6, 9]
    assert values(~a) == [-13, -11]
    assert values(6 & a) == [4, 2]
    assert values(1 | a) == [13, 11]
    assert values(1 ^ a) == [13, 11]
    t, f = torch.tensor([True, True]), torch.tensor([True, False])
    assert values(t & f) == [True, False]
    assert values(t ^ f) == [False, True]
    assert values(~f) == [False, True]


def test_in_place(torch):
    a = torch.tensor([12, 10])
    same = a
    a &= 10
    a |= torch.tensor([1, 1])
    a ^= 3
    a <<= 2
    a >>= 1
    assert same is a
    assert values(a) == [20, 16]


def test_shifts_beyond_the_width(torch):
    a = torch.tensor([5, -5])
    assert values(a << 1) == [10, -10]
    assert values(a << 64) == values(a << -1) == [0, 0]
    assert values(a >> 1) == [2, -3]
    assert values(a >> 70) == values(a >> -1) == [0, -1]
    assert values(1 << torch.tensor([3, 4])) == [8, 16]
    assert values(torch.tensor([255], dtype=torch.uint8) << 1) == [254]


@pytest.mark.parametrize(("call", "text"), [
    (lambda x, b: x & x, "\"bitwise_and_cpu\" not implemented for 'Float'"),
    (lambda x, b: x.half() | 1, "\"bitwise_or_cpu\" not implemented for 'Half'"),
    (lambda x, b: x << 1, "\"lshift_cpu\" not implemented for 'Float'"),
    (lambda x, b: b >> b, "\"rshift_cpu\" not implemented for 'Bool'")])
def test_refusals(torch, fails, call, text):
    with fails(NotImplementedError, text):
        call(torch.ones(2), torch.tensor([True, False]))


def test_not_of_floats(torch, fails):
    with fails(TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors"):
        ~torch.ones(2)
    with fails(RuntimeError, "result type Float can't be cast to the desired output type Long"):
        torch.tensor([1]).bitwise_and_(torch.ones(1))
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for &: 'Tensor' and 'str'"):
        torch.tensor([1]) & "a"
