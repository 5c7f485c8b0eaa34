"""Operations on the bits of integers, which on bool are logic; and the operators & | ^ ~ << >> of Tensor.

Shifting by a negative count, or by at least as many places as the type has bits, leaves nothing: 0, or -1
for the right shift of negative numbers.
"""
import numpy as np

from ..kernels.pointwise import kind_of, shift_left, shift_right
from ..tensor import Tensor
from .arithmetic import reflected
from .declare import Array, Operand, op
from .generate import inplace_function, operator_function

__all__ = []


def _bitwise(name, function, symbol):
    def kernel(input: Operand, other: Operand):
        return function(input, other)
    kernel.__name__ = name
    kernel.__doc__ = (f"``input {symbol} other``, bit by bit.\n\nInteger and bool dtypes only, else "
                      "NotImplementedError.")
    return op(promote="arith", ufunc=function, integers=True, method=True, inplace=True, differentiable=False,
              refuse=(name + "_cpu", "fc"))(kernel)


bitwise_and = _bitwise("bitwise_and", np.bitwise_and, "&")
bitwise_or = _bitwise("bitwise_or", np.bitwise_or, "|")
bitwise_xor = _bitwise("bitwise_xor", np.bitwise_xor, "^")


@op(promote="arith", ufunc=np.invert, integers=True, method=True, inplace=True, differentiable=False,
    refuse=("bitwise_not_cpu", "fc"))
def bitwise_not(input: Array):
    """``~input``: every bit flipped; for bool the logical not. Integer and bool dtypes only, else
    NotImplementedError.
    """
    return np.invert(input)


@op(promote="arith", method=True, inplace=True, differentiable=False, refuse=("lshift_cpu", "bfc"))
def bitwise_left_shift(input: Operand, other: Operand):
    """``input << other``: the bits moved up. Integer dtypes only, else NotImplementedError."""
    return shift_left(input, other)


@op(promote="arith", method=True, inplace=True, differentiable=False, refuse=("rshift_cpu", "bfc"))
def bitwise_right_shift(input: Operand, other: Operand):
    """``input >> other``: the bits moved down, the sign kept. Integer dtypes only, else
    NotImplementedError.
    """
    return shift_right(input, other)


def _invert(self):
    """``~self``."""
    if kind_of(self._a) in "fc":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors"
                        "\nCompare first, or convert with .bool().")
    return bitwise_not.public(self)


for _name, _op in (("and", bitwise_and), ("or", bitwise_or), ("xor", bitwise_xor),
                   ("lshift", bitwise_left_shift),
                   ("rshift", bitwise_right_shift)):
    setattr(Tensor, f"__{_name}__", operator_function(_op))
    setattr(Tensor, f"__i{_name}__", inplace_function(_op, operator=True))
    setattr(Tensor, f"__r{_name}__", reflected(_op.public))
Tensor.__invert__ = _invert
