"""Short-time Fourier transforms: ``stft`` and ``istft``, written over the transforms of ``fourier``.

A signal is cut into frames that overlap, each frame is weighted with a window and transformed. The inverse adds the frames up
again and divides by what the windows add up to. This family loads when it is first asked for (``asked``).
"""
import operator
import warnings

from .. import dtypes
from ..tensor import Tensor
from . import table
from ._reduced import need_tensor
from .declare import composite
from .fourier import c2c, c2r, r2c
from .late import F, torch
from .padding import constant_pad_nd
from .splitting import _unfold_backward

__all__ = ["stft", "istft"]

_NO_WINDOW = "A window was not provided. A rectangular window will be applied"
_SAY_ONES = "To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."


def _whole(name, argument, position, value, optional=False):
    if value is None and optional:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, not {type(value).__name__}"
                        "\nPass a whole number.")
    return operator.index(value)


def _shown(value):
    """A flag or a number as PyTorch's sentences have it."""
    return "None" if value is None else str(int(value))


def _kind(t):
    return f"torch.{t.dtype.scalar_name}Tensor"


def _check_window(window, name):
    if window is not None and not isinstance(window, Tensor):
        raise TypeError(f"{name}(): argument 'window' (position 5) must be Tensor, not {type(window).__name__}"
                        "\nConvert it with torch.as_tensor.")


def _filled_up(window, win_length, n_fft, like):
    """The window with zeros on both sides up to the size of a frame; of ones where none was given and one is needed."""
    if win_length == n_fft:
        return window
    if window is None:
        window = torch.ones(win_length, dtype=like)
    left = (n_fft - win_length) // 2
    return constant_pad_nd.public(window, [left, n_fft - win_length - left])


# ---------------------------------------------------------------- forwards

@composite(method=True)
def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False, onesided=None,
         return_complex=None, align_to_window=None):
    """The short-time Fourier transform: the spectra of frames of a signal, a column for each.

    Args:
        input: a real or complex signal, or a batch of them in rows.
        n_fft: the length of a frame.
        hop_length: the distance of frames, by default a quarter of their length.
        win_length: the length of the window, by default the frame's; zeros are put on both sides of a shorter one.
        window: the weights within a frame, by default ones.
        center: pad the signal at both ends, as ``pad_mode`` says, so that the first frame has its middle at its start.
        normalized: divide by the root of ``n_fft``.
        onesided: only the first half of each spectrum, which is the default of real signals.
        return_complex: must be given for real signals; False gives real and imaginary parts as a last dimension (deprecated).
        align_to_window: without ``center``, let the first window and not the first frame begin at the signal's start.

    RuntimeError for signals that are not one- or two-dimensional, of integers or half types; for lengths that do not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.stft(torch.arange(8.), 4, window=torch.hann_window(4), return_complex=True).shape
        torch.Size([3, 9])
    """
    need_tensor("stft", "input", input)
    n_fft = _whole("stft", "n_fft", 2, n_fft)
    hop, size = _whole("stft", "hop_length", 3, hop_length, True), _whole("stft", "win_length", 4, win_length, True)
    _check_window(window, "stft")
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false\nLeave it out.")
    if center:
        dims = input.ndim
        input = F.pad(input.view([1] * (3 - dims) + list(input.shape)), [n_fft // 2, n_fft // 2], pad_mode)
        input = input.view(input.shape[-dims:])
    hop, size = n_fft // 4 if hop is None else hop, n_fft if size is None else size
    if window is None:
        warnings.warn(f"{_NO_WINDOW},which is known to cause spectral leakage. Other windows such as torch.hann_window or "
                      f"torch.hamming_window are recommended to reduce spectral leakage.{_SAY_ONES}", stacklevel=3)
    two_sided = input.dtype.is_complex or window is not None and window.dtype.is_complex
    if not return_complex:
        if return_complex is None and not two_sided:
            raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further require that "
                               "return_complex=True in a future PyTorch release.\nPass return_complex=True.")
        if return_complex is not None:
            warnings.warn("stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
                          "all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on "
                          "the complex output to recover the old return format.", stacklevel=3)
    as_parts = return_complex is not None and not return_complex

    def wrong(text):
        shown = "None" if window is None else f"{_kind(window)}{{{list(window.shape)}}}"
        return RuntimeError(f"stft({_kind(input)}{list(input.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={size}, window={shown}, "
                            f"normalized={_shown(normalized)}, onesided={_shown(onesided)}, return_complex={_shown(return_complex)}, "
                            f"align_to_window={_shown(align_to_window)}) : {text}")
    if input.dtype.category < dtypes.FLOATING:
        raise wrong("expected a tensor of floating point or complex values\nConvert it with .float().")
    if input.ndim not in (1, 2):
        raise wrong("expected a 1D or 2D tensor\nSignals are rows.")
    alone = input.ndim == 1
    frames = input.unsqueeze(0) if alone else input
    length = frames.shape[1]
    if not 0 < n_fft <= length:
        raise wrong(f"expected 0 < n_fft < {length}, but got n_fft={n_fft}\nA frame is part of the signal.")
    if hop <= 0:
        raise wrong(f"expected hop_length > 0, but got hop_length={hop}\nIt is the distance of frames.")
    if not 0 < size <= n_fft:
        raise wrong(f"expected 0 < win_length <= n_fft, but got win_length={size}\nA window fits into a frame.")
    if window is not None and (window.ndim != 1 or window.shape[0] != size):
        raise wrong(f"expected a 1D window tensor of size equal to win_length={size}, but got window with size {list(window.shape)}")
    if align_to_window and size < n_fft:
        left = (n_fft - size) // 2
        frames = constant_pad_nd.public(frames, [left, n_fft - size - left])
    weights = _filled_up(window, size, n_fft, frames.dtype)
    frames = frames.unfold(1, n_fft, hop)
    if weights is not None:
        frames = frames * weights
    if frames.dtype.low_precision:
        raise RuntimeError(f"MKL FFT doesn't support tensors of type: {frames.dtype.scalar_name}\nTransform x.float().")
    if two_sided and onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex\nLeave onesided out.")
    how = 1 if normalized else 0
    made = c2c.public(frames, (2,), how, True) if two_sided else r2c.public(frames, (2,), how, onesided is None or bool(onesided))
    made = made.transpose(1, 2)
    if alone:
        made = made.squeeze(0)
    return torch.view_as_real(made) if as_parts else made


# ---------------------------------------------------------------- back

@composite(method=True)
def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None,
          return_complex=False):
    """The inverse of ``stft``, given the same numbers and the same window.

    Args:
        input: complex spectra in columns, or a batch of such.
        length: cut the signal off at this length, or fill it up with zeros to it, with a warning.
        return_complex: the signal was complex.

    The others are those of ``stft``. RuntimeError for real input, sizes that do not fit, and where all windows are 0.

    Example::

        >>> import rushlight as torch
        >>> window = torch.hann_window(4)
        >>> torch.istft(torch.stft(torch.arange(8.), 4, window=window, return_complex=True), 4, window=window).round()
        tensor([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    need_tensor("istft", "input", input)
    n_fft = _whole("istft", "n_fft", 2, n_fft)
    hop, size = _whole("istft", "hop_length", 3, hop_length, True), _whole("istft", "win_length", 4, win_length, True)
    length = _whole("istft", "length", 9, length, True)
    _check_window(window, "istft")
    hop, size = n_fft // 4 if hop is None else hop, n_fft if size is None else size
    if window is None:
        warnings.warn(f"{_NO_WINDOW}.Please provide the same window used by stft to make the inversion lossless.{_SAY_ONES}",
                      stacklevel=3)

    def wrong(text):
        shown = "None" if window is None else f"{_kind(window)}{{{list(window.shape)}}}"
        return RuntimeError(f"istft(CPU{input.dtype.scalar_name}Type{list(input.shape)}, n_fft={n_fft}, hop_length={hop}, "
                            f"win_length={size}, window={shown}, center={_shown(center)}, normalized={_shown(normalized)}, "
                            f"onesided={_shown(onesided)}, length={_shown(length)}, return_complex={_shown(return_complex)}) {text}")
    if not input.dtype.is_complex:
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
                           "\nSee torch.view_as_complex.")
    if input.ndim < 2:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-1 - input.ndim}, {input.ndim}], but got {-2 - input.ndim})"
                         "\nSpectra are columns.")
    if not input.numel():
        raise wrong(": input tensor cannot be empty.")
    if input.ndim not in (2, 3):
        raise wrong(f": expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}\nThe parts of complex numbers count as one.")
    count, points = input.shape[-1], input.shape[-2]
    half = points != n_fft if onesided is None else bool(onesided)
    if points != (n_fft // 2 + 1 if half else n_fft):
        wanted = "n_fft / 2 + 1 when onesided=True" if half else "n_fft when onesided=False"
        raise wrong(f": expected the frequency dimension (3rd to the last) of the input tensor to match {wanted}, but got {points}")
    if not 0 < hop <= size:
        raise wrong(": expected 0 < hop_length <= win_length\nElse parts of the signal are in no frame.")
    if not 0 < size <= n_fft:
        raise wrong(": expected 0 < win_length <= n_fft\nA window fits into a frame.")
    if window is not None and (window.ndim != 1 or window.shape[0] != size):
        raise wrong(": Invalid window shape. window has to be 1D and length of `win_length`")
    real = input.dtype.to_real()
    weights = _filled_up(torch.ones(size, dtype=real) if window is None else window, size, n_fft, real)
    alone = input.ndim == 2
    spectra = (input.unsqueeze(0) if alone else input).transpose(1, 2)
    how = 1 if normalized else 2
    if return_complex:
        if half:
            raise RuntimeError("Cannot have onesided output if window or input is complex\nA half spectrum is that of a real signal.")
        frames = c2c.public(spectra, (2,), how, False)
    else:
        if window is not None and window.dtype.is_complex:
            raise RuntimeError("Complex windows are incompatible with return_complex=False\nPass return_complex=True.")
        if not half:
            spectra = spectra[:, :, :n_fft // 2 + 1]
        frames = c2r.public(spectra, (2,), how, n_fft)
    whole = n_fft + hop * (count - 1)
    signal = _unfold_backward.public(frames * weights, (frames.shape[0], whole), 1, n_fft, hop)
    envelope = _unfold_backward.public((weights ** 2).expand(1, count, n_fft), (1, whole), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else -(n_fft // 2) if center else whole
    end = max(end, start) if length is not None else end
    signal, envelope = signal[:, start:end], envelope[:, start:end]
    if (envelope.abs().min() < 1e-11).item():
        raise wrong("window overlap add min: 1\nSomewhere all windows are 0: the signal cannot be told there.")
    signal = signal / envelope
    if alone:
        signal = signal.squeeze(0)
    if end > whole:
        warnings.warn("The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
                      "Please check your center and hop_length settings.", stacklevel=3)
        signal = constant_pad_nd.public(signal, [0, end - whole])
    return signal


table.settle_homes()
