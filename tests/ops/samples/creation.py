"""Samples of the operators that fill and make tensors like others."""

from tests.ops.sample import Sample, T

A, COMPLEX, WHOLE = T((2, 3)), T((2, 2), "complex128"), T((2, 3), "int64", requires_grad=False)
PLAIN = T((2, 3), requires_grad=False)

SAMPLES = {
    "fill": [Sample(A, 2.5), Sample(COMPLEX, 1j), Sample(WHOLE, 3), Sample(A, T((), seed=1))],
    "zeros_like": [Sample(PLAIN), Sample(WHOLE)],
    "ones_like": [Sample(PLAIN), Sample(WHOLE)],
    "full_like": [Sample(PLAIN, 2.5), Sample(WHOLE, 3)],
}
