"""Short-time Fourier transforms and windows: inverses, warnings, refusals."""

import warnings

import pytest

PAGE = "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall".split()
MAIN = "bartlett_window blackman_window hamming_window hann_window kaiser_window".split()
CALLED = {name: "general_cosine" for name in ("general_hamming", "hamming", "hann", "nuttall")}


def refused(call, kind, sentence):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(kind) as caught:
            call()
    assert str(caught.value).startswith(sentence), str(caught.value)


# ---------------------------------------------------------------- stft and istft

@pytest.mark.parametrize(("n_fft", "hop", "size"), [(8, None, None), (9, 2, 7), (16, 4, 16)])
@pytest.mark.parametrize("normalized", [False, True])
def test_a_signal_comes_back(torch, n_fft, hop, size, normalized):
    x = torch.randn(3, 50, dtype=torch.float64)
    window = torch.hann_window(size or n_fft, dtype=torch.float64) + 0.1
    kwargs = {"hop_length": hop, "win_length": size, "window": window, "normalized": normalized}
    spectra = torch.stft(x, n_fft, return_complex=True, **kwargs)
    assert spectra.shape[:2] == (3, n_fft // 2 + 1)
    back = torch.istft(spectra, n_fft, length=50, **kwargs)
    assert torch.allclose(back, x)
    assert torch.equal(x.stft(n_fft, return_complex=True, **kwargs), spectra)
    assert torch.equal(spectra.istft(n_fft, length=50, **kwargs), back)
    z = torch.randn(40, dtype=torch.complex128)
    whole = torch.stft(z, n_fft, **kwargs)
    assert whole.shape[0] == n_fft
    assert torch.allclose(torch.istft(whole, n_fft, return_complex=True, length=40, **kwargs), z)


def test_a_frame_is_a_spectrum(torch):
    x = torch.randn(20, dtype=torch.float64)
    window = torch.hann_window(8, dtype=torch.float64)
    made = torch.stft(x, 8, 3, window=window, center=False, return_complex=True)
    assert made.shape == (5, 5)
    for i in range(5):
        assert torch.allclose(made[:, i], torch.fft.rfft(x[3 * i:3 * i + 8] * window))
    parts = torch.stft(x, 8, 3, window=window, center=False, onesided=False, return_complex=True)
    assert parts.shape == (8, 5) and torch.allclose(parts[:5], made)


def test_warnings(torch):
    """PyTorch gives each once in a process, so that only rushlight can be held to it here."""
    x = torch.arange(16.0)
    window = torch.ones(4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.stft(x, 4, return_complex=True)
        torch.stft(x, 4, window=window, return_complex=False)
        spectra = torch.stft(x, 4, window=window, return_complex=True)
        torch.istft(spectra, 4)
        torch.istft(spectra, 4, window=window, length=30)
    if torch.__name__ == "torch":
        return
    said = [str(w.message) for w in caught]
    assert [s.split(".")[0] for s in said] == ["A window was not provided", "stft with return_complex=False is deprecated",
                                               "A window was not provided", "The length of signal is shorter than the length parameter"]
    assert all(w.filename == __file__ for w in caught)


def test_refusals_of_stft(torch):
    x = torch.arange(20.0)
    head = "stft(torch.FloatTensor[{}], n_fft={}, hop_length={}, win_length={}, window={}, normalized=0, onesided=None, " \
           "return_complex=1, align_to_window=None) : "

    def stft(*args, **kwargs):
        return lambda: torch.stft(*args, **{"return_complex": True, **kwargs})
    refused(lambda: torch.stft(x, 8), RuntimeError, "stft requires the return_complex parameter be given for real inputs")
    refused(stft(x[:0].view(0, 1, 1), 1, 1, center=False), RuntimeError,
            head.format("0, 1, 1", 1, 1, 1, "None") + "expected a 1D or 2D tensor")
    refused(stft(x, 30, center=False), RuntimeError, head.format(20, 30, 7, 30, "None") + "expected 0 < n_fft < 20, but got n_fft=30")
    refused(stft(x, 8, 0), RuntimeError, head.format(28, 8, 0, 8, "None") + "expected hop_length > 0, but got hop_length=0")
    refused(stft(x, 8, 2, 9), RuntimeError, head.format(28, 8, 2, 9, "None") + "expected 0 < win_length <= n_fft, but got win_length=9")
    refused(stft(x, 8, window=torch.ones(7)), RuntimeError,
            head.format(28, 8, 2, 8, "torch.FloatTensor{[7]}") + "expected a 1D window tensor of size equal to win_length=8, but got ")
    refused(stft(torch.arange(20), 8), RuntimeError, "stft(torch.LongTensor[28], ")
    refused(stft(x.half(), 8), RuntimeError, "MKL FFT doesn't support tensors of type: Half")
    refused(stft(x * 1j, 8, onesided=True), RuntimeError, "Cannot have onesided output if window or input is complex")
    refused(stft(x, 8, align_to_window=True), RuntimeError, "stft align_to_window should only be set when center = false")
    refused(stft(x, 8.0), TypeError, "stft() " if torch.__name__ == "torch" else "stft(): argument 'n_fft'")


def test_refusals_of_istft(torch):
    x = torch.ones(5, 6, dtype=torch.complex64)
    head = "istft(CPUComplexFloatType[5, 6], n_fft={}, hop_length={}, win_length={}, window={}, center={}, normalized=0, onesided={}, " \
           "length=None, return_complex=0) "

    def istft(*args, **kwargs):
        return lambda: torch.istft(*args, **kwargs)
    refused(istft(x.real, 8), RuntimeError, "istft requires a complex-valued input tensor matching the output from stft")
    refused(istft(x[:0], 8), RuntimeError, "istft(CPUComplexFloatType[0, 6], ")
    refused(istft(x[0], 8), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got -3)")
    refused(istft(x[None, None], 8), RuntimeError, "istft(CPUComplexFloatType[1, 1, 5, 6], ")
    frequency = ": expected the frequency dimension (3rd to the last) of the input tensor to match "
    refused(istft(x, 10), RuntimeError,
            head.format(10, 2, 10, "None", 1, "None") + frequency + "n_fft / 2 + 1 when onesided=True, but got 5")
    refused(istft(x, 8, onesided=False), RuntimeError,
            head.format(8, 2, 8, "None", 1, 0) + frequency + "n_fft when onesided=False, but got 5")
    refused(istft(x, 8, 9), RuntimeError, head.format(8, 9, 8, "None", 1, "None") + ": expected 0 < hop_length <= win_length")
    refused(istft(x, 8, 1, 9), RuntimeError, head.format(8, 1, 9, "None", 1, "None") + ": expected 0 < win_length <= n_fft")
    refused(istft(x, 8, window=torch.ones(7)), RuntimeError,
            head.format(8, 2, 8, "torch.FloatTensor{[7]}", 1, "None") + ": Invalid window shape. window has to be 1D and length of ")
    refused(istft(x, 8, window=torch.hann_window(8), center=False), RuntimeError,
            head.format(8, 2, 8, "torch.FloatTensor{[8]}", 0, "None") + "window overlap add min: 1")
    refused(istft(x, 8, return_complex=True), RuntimeError, "Cannot have onesided output if window or input is complex")
    refused(istft(x, 8, window=torch.ones(8) * 1j), RuntimeError, "Complex windows are incompatible with return_complex=False")
    refused(istft(x, 8, length=0), RuntimeError, "min(): Expected reduction dim to be specified for input.numel() == 0.")
    refused(istft(x, 8.0), TypeError, "istft(): argument 'n_fft' (position 2) must be int, not float")


# ---------------------------------------------------------------- windows

@pytest.mark.parametrize("name", MAIN)
def test_refusals_of_windows(torch, name):
    f = getattr(torch, name)
    refused(lambda: f(-1), RuntimeError, f"{name} requires non-negative window_length, got window_length=-1")
    refused(lambda: f(4.0), TypeError, f"{name}(): argument 'window_length' (position 1) must be int, not float")
    refused(lambda: f(4, dtype=torch.int64), RuntimeError,
            f"{name} expects floating point dtypes, got: TensorOptions(dtype=long int, device=cpu, "
            "layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))")
    refused(lambda: f(4, dtype=torch.complex64), NotImplementedError, "\"arange_cpu\" not implemented for 'ComplexFloat'")
    refused(lambda: f(4, 1), TypeError, f"{name}()")
    assert f(1, dtype=torch.complex64).tolist() == [1]
    assert f(5, requires_grad=True).requires_grad
    assert f(torch.tensor(4)).shape == (4,)
    assert torch.equal(f(6), f(7, False)[:6])


@pytest.mark.parametrize("name", PAGE)
def test_refusals_of_the_page(torch, name):
    extra = {"a": [0.5, 0.5]} if name == "general_cosine" else {}

    def f(*args, **kwargs):
        return getattr(torch.signal.windows, name)(*args, **extra, **kwargs)
    called = CALLED.get(name, name)
    refused(lambda: f(-1), ValueError, f"{called} requires non-negative window length, got M=-1")
    refused(lambda: f(4, dtype=torch.float16), ValueError, f"{called} expects float32 or float64 dtypes, got: torch.float16")
    refused(lambda: f(0, dtype=torch.int64), ValueError, f"{called} expects float32 or float64 dtypes, got: torch.int64")
    refused(lambda: f(4.0), TypeError, "")
    refused(lambda: f("a"), TypeError, "'<' not supported between instances of 'str' and 'int'")
    refused(lambda: f(4, False), TypeError, f"{name}() takes 1 positional argument but 2 ")
    assert f(5, requires_grad=True).requires_grad
    for n in (1, 2, 5, 8):
        symmetric = f(n)
        assert torch.allclose(symmetric, symmetric.flip(0), atol=1e-6)
        assert f(n, sym=False).shape == (n,)
        if n > 1:
            assert torch.allclose(f(n, sym=False), f(n + 1)[:n], atol=1e-6)


def test_refusals_of_parameters(torch):
    page = torch.signal.windows
    refused(lambda: page.gaussian(5, std=0), ValueError, "Standard deviation must be positive, got: 0 instead.")
    refused(lambda: page.exponential(5, tau=-2.0), ValueError, "Tau must be positive, got: -2.0 instead.")
    refused(lambda: page.exponential(5, center=1.0), ValueError, "Center must be None for symmetric windows")
    refused(lambda: page.kaiser(5, beta=-3.0), ValueError, "beta must be non-negative, got: -3.0 instead.")
    refused(lambda: page.general_cosine(5, a=3.0), TypeError, "Coefficients must be a list/tuple")
    refused(lambda: page.general_cosine(5, a=[]), ValueError, "Coefficients cannot be empty")
    assert page.general_cosine(0, a=[]).shape == (0,)
    assert page.kaiser(5, beta=0).tolist() == [1] * 5
    torch.set_default_dtype(torch.float64)
    assert page.hann(5).dtype is torch.float64 and torch.hann_window(5).dtype is torch.float64
