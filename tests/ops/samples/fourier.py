"""Samples of the Fourier transforms."""
from tests.ops.sample import Sample, T

A, ROW, C = T((2, 5)), T((4,), seed=1), T((3, 4), "complex128")
CUBE, HALF = T((2, 3, 4), seed=2), T((2, 3), "complex128", seed=3)
INTEGERS = T((2, 3), "int64", requires_grad=False)

ANY = [Sample(A), Sample(C, norm="ortho"), Sample(A, 3, 0, "forward"), Sample(C, n=6), Sample(INTEGERS)]
REAL = [Sample(A), Sample(A, 4, 0, "ortho"), Sample(T((3, 4)), n=7, norm="forward"), Sample(INTEGERS)]
HALVES = [Sample(HALF), Sample(HALF, n=5), Sample(HALF, 3, norm="ortho"), Sample(A, 2, 0, "forward"), Sample(T((1, 1)), n=1)]
ANY_N = [Sample(A), Sample(HALF, s=(3, 2), norm="ortho"), Sample(CUBE, s=(-1, 3), dim=(0, 2), norm="forward"), Sample(INTEGERS),
         Sample(HALF, dim=())]
REAL_N = [Sample(A), Sample(T((3, 4)), s=(4, 3), norm="ortho"), Sample(CUBE, dim=(2, 0), norm="forward"), Sample(INTEGERS, dim=(1,))]
HALVES_N = [Sample(HALF), Sample(HALF, s=(2, 3), norm="ortho"), Sample(CUBE, s=(2, -1), dim=(1, 2), norm="forward"),
            Sample(T((2, 2, 2), "complex128", seed=4), dim=(2, 0))]
SHIFTS = [Sample(A), Sample(ROW), Sample(CUBE, dim=(0, 2)), Sample(A, -1)]
FREQUENCIES = [Sample(5), Sample(4, d=0.5), Sample(3, 2.0, dtype="dtype:float64"), Sample(6, dtype="dtype:bfloat16"), Sample(0)]

SAMPLES = {
    "fft.fft": ANY, "fft.ifft": ANY, "fft.rfft": REAL, "fft.ihfft": REAL, "fft.irfft": HALVES, "fft.hfft": HALVES,
    **{f"fft.{name}{ending}": samples for name, samples in (("fft", ANY_N), ("ifft", ANY_N), ("rfft", REAL_N), ("ihfft", REAL_N),
                                                            ("irfft", HALVES_N), ("hfft", HALVES_N)) for ending in "2n"},
    "fft.fftshift": SHIFTS, "fft.ifftshift": SHIFTS, "fft.fftfreq": FREQUENCIES, "fft.rfftfreq": FREQUENCIES,
}
