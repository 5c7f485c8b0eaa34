"""Fourier transforms: what the samples do not say of them: refusals, ``out=``, inverses, nodes, precision."""

import math
import pickle
from functools import partial

import pytest

LINES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
PLANES = tuple(f"{name}{ending}" for name in LINES for ending in "2n")
FROM_REAL = ("rfft", "ihfft", "rfft2", "rfftn", "ihfft2", "ihfftn")
TO_REAL = ("irfft", "hfft", "irfft2", "irfftn", "hfft2", "hfftn")


def refused(call, kind, sentence):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("name", LINES + PLANES)
def test_refusals(torch, name):
    f = getattr(torch.fft, name)
    x, plane = torch.ones(4, 6), name in PLANES
    refused(lambda: f(x.half()), RuntimeError, "Unsupported dtype Half")
    refused(lambda: f(x.bfloat16()), RuntimeError, "Unsupported dtype BFloat16")
    refused(lambda: f(x, norm="odd"), RuntimeError, 'Invalid normalization mode: "odd"')
    refused(lambda: f(x, norm=1), TypeError, f"fft_{name}(): argument 'norm' must be str, not int")
    refused(lambda: f([1.0]), TypeError, f"fft_{name}(): argument 'input' (position 1) must be Tensor, not list")
    size = {"s": (0, 3)} if plane else {"n": 0}
    refused(lambda: f(x, **size), RuntimeError, "Invalid number of data points (0) specified")
    place = {"dim": (1, 5)} if plane else {"dim": 5}
    refused(lambda: f(x, **place), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 5)")
    wrong = torch.empty(0, dtype=torch.complex64 if name in TO_REAL else torch.float32)
    kind = "a floating point output tensor, but got ComplexFloat" if name in TO_REAL else "a complex output tensor, but got Float"
    called = "fftn" if name in ("ifft2", "ifftn") else name.replace("2", "n")
    refused(lambda: f(x, out=wrong), RuntimeError, f"{called} expects {kind}")


def test_refusals_of_one_dimension(torch):
    fft = torch.fft
    x = torch.ones(4, 6)
    refused(lambda: fft.fft(torch.tensor(1.0)), IndexError, "Dimension specified as -1 but tensor has no dimensions")
    refused(lambda: fft.fft(torch.ones(3, 0)), RuntimeError, "Invalid number of data points (0) specified")
    refused(lambda: fft.irfft(torch.ones(3, 1)), RuntimeError, "Invalid number of data points (0) specified")
    refused(lambda: fft.fft(x, 2.5), TypeError, "fft_fft(): argument 'n'")
    refused(lambda: fft.fft(x, dim=(1,)), TypeError, "fft_fft(): argument 'dim' must be int, not tuple")
    for name in ("rfft", "ihfft"):
        refused(partial(getattr(fft, name), x * 1j), RuntimeError, f"{name} expects a real input tensor, but got ComplexFloat")


def test_refusals_of_several_dimensions(torch):
    fft = torch.fft
    x = torch.ones(4, 6)
    refused(lambda: fft.fftn(x, dim=(0, -2)), RuntimeError, "FFT dims must be unique")
    refused(lambda: fft.fftn(x, s=(2, 2, 2)), RuntimeError, "Got shape with 3 values but input tensor only has 2 dimensions.")
    refused(lambda: fft.fft2(x, s=(2,)), RuntimeError, "When given, dim and shape arguments must have the same length")
    refused(lambda: fft.fft2(torch.tensor(1.0)), IndexError, "Dimension specified as -2 but tensor has no dimensions")
    refused(lambda: fft.fftn(x, s=2.5), TypeError, "fft_fftn(): argument 's' must be tuple of ints, not float")
    refused(lambda: fft.rfft2(x * 1j), RuntimeError, "rfftn expects a real-valued input tensor, but got ComplexFloat")
    refused(lambda: fft.ihfftn(x * 1j), RuntimeError, "Only supports floating-point dtypes, but found: ComplexFloat")
    for name in ("rfft", "irfft", "hfft", "ihfft"):
        refused(partial(getattr(fft, name + "n"), x, dim=()), RuntimeError, f"{name}n must transform at least one axis")
    assert fft.fftn(torch.tensor(2.0)).item() == 2


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_inverses_undo(torch, norm):
    x = torch.randn(3, 4, 5, dtype=torch.float64)
    z = torch.randn(3, 4, 5, dtype=torch.complex128)
    fft = torch.fft
    for n, s in ((5, None), (6, (4, 6))):
        wide = torch.nn.functional.pad(x, (0, n - 5))
        assert torch.allclose(fft.irfft(fft.rfft(x, n, norm=norm), n, norm=norm), wide)
        assert torch.allclose(fft.hfft(fft.ihfft(x, n, norm=norm), n, norm=norm), wide)
        s = s or (4, 5)
        assert torch.allclose(fft.irfft2(fft.rfft2(x, s, norm=norm), s, norm=norm), wide)
        assert torch.allclose(fft.hfft2(fft.ihfft2(x, s, norm=norm), s, norm=norm), wide)
    assert torch.allclose(fft.ifft(fft.fft(z, norm=norm), norm=norm), z)
    assert torch.allclose(fft.ifftn(fft.fftn(z, norm=norm), norm=norm), z)
    assert torch.equal(fft.ifftshift(fft.fftshift(x)), x)


def test_out_receives_the_result(torch):
    x = torch.arange(6.0)
    for name in LINES:
        wanted = getattr(torch.fft, name)(x)
        out = torch.empty(0, dtype=wanted.dtype)
        assert getattr(torch.fft, name)(x, out=out) is out
        assert torch.equal(out, wanted)
    x.requires_grad_()
    refused(lambda: torch.fft.fft(x, out=torch.empty(0, dtype=torch.complex64)), RuntimeError,
            "_fft_r2c(): functions with out=... arguments don't support automatic differentiation")


def test_nodes_and_gradients(torch):
    x = torch.arange(5.0, dtype=torch.float64, requires_grad=True)
    assert torch.fft.rfft(x).grad_fn.name() == "FftR2CBackward0"
    assert torch.fft.fft(x * 1j).grad_fn.name() == "FftC2CBackward0"
    y = torch.fft.irfft(x, 7)
    assert y.grad_fn.name() == "FftC2RBackward0"
    assert torch.fft.fft(x, 3).grad_fn.next_functions[0][0].name() == "SliceBackward0"
    # the energy of a signal is that of its spectrum, so the gradient is the signal
    energy = torch.fft.fft(x, norm="ortho").abs().square().sum()
    gradient, = torch.autograd.grad(energy, x)
    assert torch.allclose(gradient, 2 * x)


def test_frequencies(torch):
    fft = torch.fft
    assert fft.fftfreq(5, 0.5).tolist() == pytest.approx([0, 0.4, 0.8, -0.8, -0.4])
    assert fft.rfftfreq(5, 0.5).tolist() == pytest.approx([0, 0.4, 0.8])
    assert fft.fftfreq(3, requires_grad=True).requires_grad
    out = torch.empty(0, dtype=torch.float64)
    assert fft.fftfreq(4, out=out) is out and out.tolist() == [0, 0.25, -0.5, -0.25]
    assert math.isnan(fft.fftfreq(2, 0)[0].item())
    refused(lambda: fft.fftfreq(4, dtype=torch.int64), RuntimeError, "fftfreq requires a floating point or complex dtype")
    refused(lambda: fft.rfftfreq(4, dtype=torch.int64), RuntimeError, "rfftfreq requires a floating point or complex dtype")
    refused(lambda: fft.fftfreq(4, dtype=torch.complex64), NotImplementedError, "\"arange_cpu\" not implemented for 'ComplexFloat'")
    refused(lambda: fft.fftfreq(-1), RuntimeError, "Trying to create tensor with negative dimension -1: [-1]")
    refused(lambda: fft.fftfreq(4, dtype=torch.float64, out=torch.empty(0)), RuntimeError,
            "dtype Double does not match dtype of out parameter (Float)")
    refused(lambda: fft.fftfreq(2.5), TypeError, "fft_fftfreq(): argument 'n' (position 1) must be int, not float")
    refused(lambda: fft.fftshift(torch.ones(2), dim=4), IndexError, "Dimension out of range")


def test_single_precision_stays_single(torch):
    x = torch.randn(64)
    assert torch.fft.fft(x).dtype is torch.complex64
    assert torch.fft.irfft(torch.fft.rfft(x)).dtype is torch.float32
    assert torch.fft.fft(torch.arange(4)).dtype is torch.complex64


def test_a_batch_of_nothing_has_a_spectrum(rushlight):
    """PyTorch's library refuses it."""
    assert rushlight.fft.rfft(rushlight.zeros(0, 4)).shape == (0, 3)
    assert rushlight.fft.fftn(rushlight.zeros(0, 4), dim=(1,)).shape == (0, 4)


def test_functions_of_the_pages_are_pickled_by_name(rushlight):
    for page in (rushlight.fft, rushlight.special, rushlight.signal.windows):
        for name in page.__all__:
            function = getattr(page, name)
            assert pickle.loads(pickle.dumps(function)) is function
    for function in (rushlight.stft, rushlight.igamma, rushlight.hann_window):
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__module__ == "rushlight"
