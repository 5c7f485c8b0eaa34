"""Samples of the casts between dtypes through which gradients flow."""
from tests.ops.sample import Sample, T

A, COMPLEX = T((2, 3)), T((2, 2), "complex128")

SAMPLES = {
    "double": [Sample(A), Sample(T((2, 3), "float32", requires_grad=False))],
    "cdouble": [Sample(A), Sample(COMPLEX)],
    "long": [Sample(T((2, 3), requires_grad=False))],
    "bool": [Sample(T((2, 3), requires_grad=False)), Sample(T((2, 2), "complex128", requires_grad=False))],
}
