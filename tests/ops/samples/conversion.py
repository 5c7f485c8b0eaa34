"""Samples of conversion: casts between dtypes through which gradients flow."""

from tests.ops.sample import Sample, T

REAL, COMPLEX = T((2, 3)), T((2, 2), "complex128")
PLAIN_REAL, PLAIN_COMPLEX = T((), requires_grad=False), T((), "complex128", requires_grad=False)

SAMPLES = {"type_as": [Sample(REAL, PLAIN_REAL), Sample(REAL, PLAIN_COMPLEX), Sample(COMPLEX, PLAIN_COMPLEX)]}
