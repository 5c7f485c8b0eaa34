"""Samples of the functions of ``torch.special`` that are not in the main namespace, and of igamma and igammac."""
from tests.ops.sample import Sample, T

A, ONE = T((2, 3)), T((), seed=3)
POSITIVE = T((2, 3), low=0.3, high=4)
FIXED = T((2, 3), low=0.3, high=4, seed=5, requires_grad=False)
LARGE = T((2, 3), low=25, high=60, seed=6, requires_grad=False)
WIDE = T((3, 4), low=-40, high=40, seed=4)
INTEGERS = T((2, 3), "int64", low=1, high=5, requires_grad=False)
SMALL = T((3,), "int64", low=1, high=3, requires_grad=False)
BETWEEN = T((2, 3), low=0.05, high=0.95)
REAL = [Sample(A), Sample(ONE), Sample(INTEGERS)]
# PyTorch's Bessel functions err by up to 1e-6 between 4 and 15, and its airy_ai between -5 and -2; test_special_page measures ours there.
BESSEL = [Sample(T((3, 4), low=0.1, high=4)), Sample(T((3, 4), low=20, high=40)), Sample(SMALL)]
SHARES = [Sample(FIXED, POSITIVE), Sample(LARGE, T((2, 3), low=25, high=60)), Sample(FIXED, T((3,), low=0.1, high=2, seed=2))]
POLYNOMIALS = """chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h
    hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u
    shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w""".split()
DEGREES = T((2, 3), "int64", low=-1, high=14, seed=1, requires_grad=False)

SAMPLES = {
    "igamma": SHARES, "igammac": SHARES,
    "special.zeta": [Sample(T((2, 3), low=1.2, high=6, requires_grad=False), POSITIVE), Sample(2.5, POSITIVE),
                     Sample(T((3,), low=1.5, high=3, requires_grad=False), 1.0), Sample(3, T((2, 2), low=-2.9, high=-2.1))],
    "special.i0e": [*REAL, Sample(WIDE)], "special.i1": REAL, "special.i1e": [*REAL, Sample(WIDE)],
    **{f"special.{name}": BESSEL for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0",
                                              "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0",
                                              "scaled_modified_bessel_k1", "spherical_bessel_j0")},
    "special.airy_ai": [Sample(A), Sample(T((3, 4), low=-20, high=-6)), Sample(T((3, 4), low=0, high=9)), Sample(INTEGERS)],
    "special.entr": [Sample(POSITIVE), Sample(INTEGERS)],
    "special.erfcx": [*REAL, Sample(T((2, 3), low=-3, high=40))],
    "special.log_ndtr": [*REAL, Sample(T((2, 3), low=-30, high=5))],
    "special.ndtr": REAL,
    "special.ndtri": [Sample(BETWEEN), Sample(T((2, 3), low=1e-6, high=0.02))],
    "special.xlog1py": [Sample(A, POSITIVE), Sample(A, 2.0), Sample(2.0, POSITIVE), Sample(INTEGERS, T((3,), low=0, high=3))],
    **{f"special.{name}": [Sample(A, DEGREES), Sample(T((3,), low=-0.99, high=0.99), 9), Sample(1.25, DEGREES), Sample(INTEGERS, 3)]
       for name in POLYNOMIALS},
}
