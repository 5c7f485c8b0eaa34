"""Samples of short-time Fourier transforms and windows."""
from tests.ops.sample import Sample, T

ROWS, ONE, C = T((2, 12)), T((10,), seed=1), T((9,), "complex128", seed=2)
WINDOW, SHORT, TURNING = T((4,), low=0.5, high=1.5, seed=3), T((3,), low=0.5, high=1.5, seed=4), T((4,), "complex128", seed=5)
LONG = T((5,), low=0.5, high=1.5, seed=8)
HALF, WHOLE = T((2, 3, 5), "complex128", seed=6), T((4, 4), "complex128", seed=7)
LENGTHS = [Sample(6), Sample(5, False), Sample(1), Sample(0), Sample(window_length=4, dtype="dtype:float64"),
           Sample(4, dtype="dtype:float16")]
PAGE = [Sample(6), Sample(5, sym=False), Sample(1), Sample(0), Sample(4, dtype="dtype:float64")]

SAMPLES = {
    "stft": [Sample(ROWS, 4, window=WINDOW, return_complex=True), Sample(ONE, 4, 2, 3, SHORT, normalized=True, return_complex=True),
             Sample(ONE, 5, window=LONG, center=False, return_complex=True), Sample(C, 4, window=WINDOW, pad_mode="constant"),
             Sample(ONE, 4, window=TURNING, onesided=False),
             Sample(ONE, 5, 2, 3, SHORT, center=False, align_to_window=True, return_complex=True)],
    "istft": [Sample(HALF, 4, window=WINDOW), Sample(HALF, 4, 2, 3, SHORT, normalized=True, length=6), Sample(HALF, 5, 2, window=LONG),
              Sample(WHOLE, 4, window=WINDOW, center=False), Sample(WHOLE, 4, 2, window=TURNING, onesided=False, return_complex=True)],
    **{f"{name}_window": LENGTHS for name in ("bartlett", "blackman", "hann")},
    "hamming_window": [*LENGTHS, Sample(5, True, 0.6, 0.4)], "kaiser_window": [*LENGTHS, Sample(5, True, 3.0)],
    **{f"signal.windows.{name}": PAGE for name in ("bartlett", "blackman", "cosine", "hamming", "hann", "nuttall")},
    "signal.windows.exponential": [*PAGE, Sample(5, tau=2.5), Sample(5, center=1.0, sym=False)],
    "signal.windows.gaussian": [*PAGE, Sample(5, std=2.0)],
    "signal.windows.general_cosine": [Sample(s.args[0], a=[0.4, 0.3, 0.2, 0.1], **s.kwargs) for s in PAGE],
    "signal.windows.general_hamming": [*PAGE, Sample(5, alpha=0.7)],
    "signal.windows.kaiser": [*PAGE, Sample(5, beta=0.0)],
}
