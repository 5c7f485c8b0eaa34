"""Samples of the operations on bits."""
from tests.ops.sample import Sample, T

INTEGERS, OTHERS = (T((2, 3), "int64", low=-100, high=100, seed=s, requires_grad=False) for s in (0, 1))
BOOLEANS, OTHER_BOOLEANS = (T((2, 3), "bool", seed=s, requires_grad=False) for s in (0, 1))
COUNTS = T((3,), "int64", low=0, high=8, seed=2, requires_grad=False)

LOGIC = [Sample(INTEGERS, OTHERS), Sample(INTEGERS, 5), Sample(BOOLEANS, OTHER_BOOLEANS)]
SHIFTS = [Sample(INTEGERS, COUNTS), Sample(INTEGERS, 3), Sample(INTEGERS, -1), Sample(INTEGERS, 64),
          Sample(3, COUNTS)]

SAMPLES = {
    "bitwise_and": LOGIC, "bitwise_or": LOGIC, "bitwise_xor": LOGIC,
    "bitwise_not": [Sample(INTEGERS), Sample(BOOLEANS)],
    "bitwise_left_shift": SHIFTS, "bitwise_right_shift": SHIFTS,
}
