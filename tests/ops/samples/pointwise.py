"""Samples of the functions of each element, of complex parts and of what is finite."""
from tests.ops.sample import Sample, T

A, B, ROW, ONE = T((2, 3)), T((2, 3), seed=1), T((3,), seed=2), T((), seed=3)
POSITIVE = T((2, 3), low=0.5, high=3)
INSIDE = T((2, 3), low=-0.9, high=0.9)
BEYOND = T((2, 3), low=1.1, high=3)
COMPLEX, OTHER_COMPLEX = T((2, 2), "complex128"), T((2, 2), "complex128", seed=1)
INTEGERS, OTHERS = (T((2, 3), "int64", low=-9, high=9, seed=s, requires_grad=False) for s in (0, 1))
FIXED, FIXED_COMPLEX = T((2, 3), requires_grad=False), T((2, 2), "complex128", requires_grad=False)

SMOOTH = [Sample(A), Sample(ONE), Sample(COMPLEX), Sample(INTEGERS)]
LOGARITHM = [Sample(POSITIVE), Sample(COMPLEX)]
REAL = [Sample(A), Sample(ONE)]
QUESTION = [Sample(FIXED), Sample(INTEGERS)]
FUSED = [Sample(A, B, POSITIVE), Sample(A, ROW, POSITIVE, value=0.5),
         Sample(COMPLEX, OTHER_COMPLEX, OTHER_COMPLEX, value=2)]

SAMPLES = {
    **{name: SMOOTH for name in ("exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asinh",
                                 "atan", "sgn")},
    **{name: LOGARITHM for name in ("log", "log1p", "log2", "log10")},
    "asin": [Sample(INSIDE), Sample(COMPLEX)],
    "acos": [Sample(INSIDE), Sample(COMPLEX)],
    "atanh": [Sample(INSIDE), Sample(COMPLEX)],
    "acosh": [Sample(BEYOND), Sample(COMPLEX)],
    "atan2": [Sample(A, B), Sample(A, ROW)],
    "hypot": [Sample(A, B), Sample(A, ROW)],
    "deg2rad": REAL, "rad2deg": REAL, "ceil": REAL, "floor": REAL, "trunc": REAL, "frac": REAL, "sign": REAL,
    "round": [Sample(A), Sample(A, decimals=1), Sample(A, decimals=-1), Sample(INTEGERS)],
    "frexp": REAL,
    "ldexp": [Sample(A, B), Sample(A, T((3,), "int64", low=0, high=4, requires_grad=False))],
    "signbit": QUESTION, "isnan": [*QUESTION, Sample(FIXED_COMPLEX)],
    "isinf": [*QUESTION, Sample(FIXED_COMPLEX)],
    "isfinite": [*QUESTION, Sample(FIXED_COMPLEX)], "isposinf": QUESTION, "isneginf": QUESTION,
    "isreal": [*QUESTION, Sample(FIXED_COMPLEX)],
    "copysign": [Sample(A, B), Sample(A, -1.0)],
    "addcmul": FUSED, "addcdiv": FUSED,
    "lerp": [Sample(A, B, 0.3), Sample(A, ROW, T((2, 3), seed=4)), Sample(COMPLEX, OTHER_COMPLEX, 0.7)],
    "gcd": [Sample(INTEGERS, OTHERS)], "lcm": [Sample(INTEGERS, OTHERS)],
    "nan_to_num": [Sample(A), Sample(A, 1.0, 2.0, -2.0), Sample(INTEGERS)],
    "conj": [Sample(COMPLEX), Sample(A)], "conj_physical": [Sample(COMPLEX), Sample(A)],
    "resolve_conj": [Sample(COMPLEX)], "resolve_neg": [Sample(COMPLEX)],
    "real": [Sample(COMPLEX), Sample(A)], "imag": [Sample(COMPLEX)],
    "view_as_real": [Sample(COMPLEX), Sample(T((), "complex128"))],
    "view_as_complex": [Sample(T((3, 2))), Sample(T((2,)))],
    "complex": [Sample(A, B), Sample(A, ROW)],
    "polar": [Sample(POSITIVE, B)],
    "angle": [Sample(COMPLEX), Sample(A)],
}
