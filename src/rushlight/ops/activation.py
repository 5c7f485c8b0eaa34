"""Activation functions: ``relu`` and its kin.

Each is one operator with a rule written in other operators, so that every higher derivative exists.
``flagged`` gives ``nn.functional`` the form with ``inplace=``.
"""
import copy
import math

import numpy as np

from ..kernels import activation as kernels
from ..kernels.random import rrelu_noise
from ..random import engine_of
from .call import invoke
from .declare import Array, both, composite, op
from .functional_form import flagged
from .late import torch
from .table import namespaces
from .tie import tied

F = namespaces["nn.functional"]


@op(function=False, out=False)
def piecewise(grad: Array, input: Array, slope, bounds=()):
    """``grad`` times the slope at ``input`` of a function that is made of straight pieces.

    It is an operator because PyTorch's gradients of such functions require grad for their input too: with
    zeros.
    """
    return grad * slope(input, *bounds)


piecewise.derivative(grad=lambda g, input, slope, bounds: both.piecewise(g, input, slope, bounds),
                     input=lambda g: g * 0)


# Where PyTorch asks which elements are *not* let through, a NaN is.

def _above(x, limit=0):
    return ~(x <= limit)


def _between(x, low, high):
    return (x > low) & (x < high)


def _not_beyond(x, low, high):
    return ~((x <= low) | (x >= high))


def _outside(x, limit):
    return ~((x <= limit) & (x >= -limit))


def _leaky(x, slope):
    return np.where(x > 0, x.dtype.type(1), x.dtype.type(slope))


def _not_zero(x):
    return x != 0


# Compared with an array of no dimensions, which NumPy takes faster than a Python number.
_ZEROS = {np.dtype(t): np.zeros((), t) for t in (np.float32, np.float64)}


def _relu_rule(g, out):
    # A result is never negative, so "not zero" means positive, or NaN, through which PyTorch lets the
    # gradient pass.
    if out.__class__ is np.ndarray:
        return g * (out != _ZEROS.get(out.dtype, 0))
    return piecewise(g, out, _not_zero)


@op(ufunc=kernels.relu, method=True, inplace="function")
def relu(input: Array):
    """``max(input, 0)``, element by element; NaN stays NaN.

    Example::

        >>> import rushlight as torch
        >>> torch.relu(torch.tensor([-1., 2.]))
        tensor([0., 2.])
    """
    return kernels.relu(input)


relu.derivative(input=_relu_rule)
flagged(relu)


@op(inplace="function")
def threshold(input: Array, threshold, value):
    """``input`` where it is greater than ``threshold``, else ``value``."""
    return kernels.threshold(input, threshold, value)


threshold.derivative(input=lambda g, input, threshold: both.piecewise(g, input, _above, (threshold,)))
flagged(threshold, ", threshold, value")


@op(promote="arith", space="nn.functional", out=False, inplace="function", method=False)
def hardtanh(input: Array, min_val=-1.0, max_val=1.0):
    """``input`` between ``min_val`` and ``max_val``; RuntimeError when ``min_val`` is greater than
    ``max_val``."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return kernels.hardtanh(input, min_val, max_val)


hardtanh.derivative(
    input=lambda g, input, min_val, max_val: both.piecewise(g, input, _not_beyond, (min_val, max_val))
)
flagged(hardtanh, ", min_val=-1.0, max_val=1.0")


@op(promote="arith", space="nn.functional", out=False, inplace=True)
def relu6(input: Array):
    """``min(max(input, 0), 6)``."""
    return kernels.relu6(input)


relu6.grad_name = "HardtanhBackward0"
relu6.derivative(input=lambda g, input: both.piecewise(g, input, _not_beyond, (0, 6)))
flagged(relu6)


def _elu_rule(g, input, alpha, scale, input_scale):
    bent = input <= 0                # a NaN counts as straight
    slope = both.exp(both.where(bent, input, 0.0) * input_scale) * (alpha * scale * input_scale)
    return both.where(bent, g * slope, g * scale)


@op(promote="arith", space="nn.functional", out=False, inplace="function")
def elu(input: Array, alpha=1.0):
    """``input`` where positive, else ``alpha * (exp(input) - 1)`` (Clevert and others 2015).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.elu(torch.tensor([-1., 2.]))
        tensor([-0.6321,  2.0000])
    """
    return kernels.elu(input, alpha, 1.0, 1.0)


elu.derivative(input=lambda g, input, alpha: _elu_rule(g, input, alpha, 1.0, 1.0))
flagged(elu, ", alpha=1.0")


@op(promote="arith", inplace="function", grad_name="CeluBackward0")
def celu(input: Array, alpha=1.0):
    """``max(0, input) + min(0, alpha * (exp(input / alpha) - 1))`` (Barron 2017)."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU\nUse a positive alpha.")
    return kernels.elu(input, alpha, 1.0, 1.0 / alpha)


celu.derivative(input=lambda g, input, alpha: _elu_rule(g, input, alpha, 1.0, 1.0 / alpha))
flagged(celu, ", alpha=1.0")

# The fixed point of Klambauer and others 2017.
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@op(promote="arith", inplace="function", grad_name="EluBackward0")
def selu(input: Array):
    """``elu`` scaled so that activations keep mean 0 and variance 1 (Klambauer and others 2017)."""
    return kernels.elu(input, SELU_ALPHA, SELU_SCALE, 1.0)


selu.derivative(input=lambda g, input: _elu_rule(g, input, SELU_ALPHA, SELU_SCALE, 1.0))
flagged(selu)


@op(promote="arith", space="nn.functional", out=False, inplace="function")
def leaky_relu(input: Array, negative_slope=0.01):
    """``input`` where positive, else ``negative_slope * input``."""
    return kernels.leaky_relu(input, negative_slope)


leaky_relu.derivative(
    input=lambda g, input, negative_slope: both.piecewise(g, input, _leaky, (negative_slope,))
)
flagged(leaky_relu, ", negative_slope=0.01")


@op(promote="arith", method=True, function=False, name="_prelu_kernel")
def _prelu_kernel(input: Array, weight: Array):
    """``input`` where positive, else ``weight * input``; shapes broadcast."""
    return kernels.prelu(input, weight)


_prelu_kernel.derivative(
    input=lambda g, input, weight: tied(both.where(input > 0, g, g * weight), input),
    weight=lambda g, input: both.where(input > 0, 0.0, g * input))


@composite(method=True)
def prelu(input, weight):
    """``input`` where positive, else ``weight * input``, with one weight, or one for each channel (dimension
    1)."""
    if not input.is_floating_point():
        raise kernels.refuse("prelu_cpu", input._a.dtype)
    if input._a.dtype != weight._a.dtype:
        raise RuntimeError("prelu: Type promoting not supported. Got "
                           f"{input.dtype.scalar_name} and {weight.dtype.scalar_name}\nConvert one with "
                           ".to(dtype).")
    if weight.ndim and not (weight.ndim == 1 or weight._a.size == 1):
        raise RuntimeError("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
                           f"{weight.ndim}")
    count = weight._a.size
    if count != 1:
        if input.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.\nSeveral weights need a dimension of "
                               "channels.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if channels != count:
            raise RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter "
                               f"numbers = {count} and "
                               f"channel size = {channels}.")
    if weight.ndim and input.ndim != 1:
        weight = weight.reshape([count if i == 1 else 1 for i in range(input.ndim)])
    return _prelu_kernel(input, weight)


F["prelu"] = namespaces["torch"]["prelu"]


@op(promote="arith", space="nn.functional")
def softplus(input: Array, beta=1, threshold=20):
    """``log(1 + exp(beta * input)) / beta``; ``input`` itself where ``beta * input > threshold``."""
    return kernels.softplus(input, beta, threshold)


softplus.derivative(input=lambda g, input, beta, threshold: g * both.where(
    input * beta > threshold, 1.0, both.sigmoid(input * beta)))


@op(promote="arith", space="nn.functional", grad_name="LogSigmoidBackward0")
def logsigmoid(input: Array):
    """``log(sigmoid(input))``, without overflow."""
    return kernels.logsigmoid(input)


logsigmoid.derivative(input=lambda g, input: g * both.sigmoid(-input))


@op(promote="arith", space="nn.functional", out=False, inplace=True)
def silu(input: Array):
    """``input * sigmoid(input)``, also called swish (Hendrycks and Gimpel 2016).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.silu(torch.tensor([0., 2.]))
        tensor([0.0000, 1.7616])
    """
    return kernels.silu(input)


def _silu_rule(g, input):
    s = both.sigmoid(input)
    return g * both.conj(s * (1 + input * (1 - s)))


silu.derivative(input=_silu_rule)
flagged(silu)


@op(promote="arith", space="nn.functional", out=False, inplace=True)
def mish(input: Array):
    """``input * tanh(softplus(input))`` (Misra 2019)."""
    return kernels.mish(input)


def _mish_rule(g, input):
    t = both.tanh(both.softplus(input))
    return g * (t + input * both.sigmoid(input) * (1 - t * t))


mish.derivative(input=_mish_rule)
flagged(mish)


@op(promote="arith", space="nn.functional")
def gelu(input: Array, *, approximate="none"):
    """``input`` times the normal distribution function of it (Hendrycks and Gimpel 2016).

    ``approximate="tanh"`` takes ``input / 2 * (1 + tanh(sqrt(2/pi) * (input + 0.044715 input^3)))`` instead.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.functional.gelu(torch.tensor([-1., 1.]))
        tensor([-0.1587,  0.8413])
    """
    return kernels.gelu(input, approximate)


@op(function=False, out=False)
def normal_cdf(input: Array):
    """The normal distribution function, for the rule of gelu."""
    return kernels.normal_cdf(input)


def _density(x):
    return both.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))


def _gelu_rule(g, input, approximate):
    if approximate == "none":
        return g * (both.normal_cdf(input) + input * _density(input))
    c = math.sqrt(2 / math.pi)
    t = both.tanh(c * (input + 0.044715 * (input * input * input)))
    return g * (0.5 * (1 + t) + 0.5 * input * (1 - t * t) * (c * (1 + 3 * 0.044715 * (input * input))))


normal_cdf.derivative(input=lambda g, input: g * _density(input))
gelu.derivative(input=_gelu_rule)


@op(promote="arith", space="nn.functional", out=False, inplace=True)
def hardsigmoid(input: Array):
    """``relu6(input + 3) / 6``."""
    return kernels.hardsigmoid(input)


hardsigmoid.derivative(input=lambda g, input: both.piecewise(g * (1 / 6), input, _between, (-3, 3)))
flagged(hardsigmoid)


@op(promote="arith", space="nn.functional", out=False, inplace=True)
def hardswish(input: Array):
    """``input * relu6(input + 3) / 6`` (Howard and others 2019)."""
    return kernels.hardswish(input)


hardswish.derivative(input=lambda g, input: g * both.where(
    input <= -3, 0.0, both.where(input < 3, input * (1 / 3) + 0.5, 1.0)))
flagged(hardswish)


@op(promote="arith", method=True)
def hardshrink(input: Array, lambd=0.5):
    """0 where ``-lambd <= input <= lambd``, else ``input``."""
    return kernels.hardshrink(input, lambd)


hardshrink.derivative(input=lambda g, input, lambd: both.piecewise(g, input, _outside, (lambd,)))
F["hardshrink"] = namespaces["torch"]["hardshrink"]


@op(promote="arith", space="nn.functional")
def softshrink(input: Array, lambd=0.5):
    """``input`` moved towards 0 by ``lambd``; RuntimeError for a negative ``lambd``."""
    return kernels.softshrink(input, lambd)


softshrink.derivative(input=lambda g, input, lambd: both.piecewise(g, input, _outside, (lambd,)))


@composite(space="nn.functional")
def tanhshrink(input):
    """``input - tanh(input)``."""
    return input - input.tanh()


@composite(space="nn.functional")
def softsign(input):
    """``input / (1 + abs(input))``."""
    return input / (1 + input.abs())


@op(promote="arith", space="nn.functional")
def glu(input: Array, dim=-1):
    """The first half of ``input`` along ``dim`` times the sigmoid of the second (Dauphin and others 2016).

    Raises RuntimeError where ``dim`` has an odd size.
    """
    return kernels.glu(input, dim)


def _halves(x, dim):
    n = x.shape[dim] // 2
    lead = (slice(None),) * (dim % x.ndim)
    return x[(*lead, slice(None, n))], x[(*lead, slice(n, None))]


def _glu_rule(g, input, dim):
    a, b = _halves(input, dim)
    s = both.sigmoid(b)
    return both.cat([g * s, g * a * (s * (1 - s))], dim)


glu.derivative(input=_glu_rule)


@op(
    function=False,
    out=False,
    extras=("slopes",),
    name="rrelu_with_noise",
    grad_name="RreluWithNoiseBackward0",
    inplace=True,
)
def rrelu_with_noise(input: Array, lower, upper):
    """``rrelu`` in training: each negative element gets a slope of its own."""
    kernels.only_floating("rrelu_with_noise_out_cpu", input)
    with_slopes = rrelu_noise(engine_of(None), input, lower, upper)
    return input * with_slopes, {"slopes": with_slopes}


rrelu_with_noise.derivative(input=lambda g, input, slopes: tied(g * slopes, input))


MEAN_SLOPE = copy.copy(leaky_relu)          # PyTorch names the node alike in training and evaluation
MEAN_SLOPE.grad_name, MEAN_SLOPE.plans = "RreluWithNoiseBackward0", {}


def _check_rrelu(lower, upper):
    for name, v in (("lower", lower), ("upper", upper)):
        if not math.isfinite(v):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {v:g}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound"
                           f"\nThey are {lower:g} and {upper:g}.")


@composite
def rrelu(input, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    """``leaky_relu`` whose slope is drawn uniformly from [lower, upper] for each element in training, else
    their mean."""
    _check_rrelu(lower, upper)
    if training:
        return rrelu_with_noise(input, lower, upper)
    return invoke(MEAN_SLOPE, (input, (lower + upper) / 2))


def rrelu_(input, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    """In-place version of ``rrelu``."""
    _check_rrelu(lower, upper)
    if training:
        return rrelu_with_noise.inplace_public(input, lower, upper)
    return leaky_relu.inplace_public(input, (lower + upper) / 2)


def _f_rrelu(input, lower=1 / 8, upper=1 / 3, training=False, inplace=False):
    """``rrelu``, with ``inplace``."""
    return (rrelu_ if inplace else rrelu)(input, lower, upper, training)


namespaces["torch"]["rrelu_"] = F["rrelu_"] = rrelu_
composite(_f_rrelu, space="nn.functional", name="rrelu")


@composite(space="nn.functional")
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample from the Gumbel-softmax distribution (Jang and others 2016); one-hot in value if ``hard``."""
    noise = -torch.empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = torch.zeros_like(logits).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft


for _name in ("sigmoid", "tanh"):
    def _forward(input, _name=_name):
        return getattr(input, _name)()
    _forward.__doc__ = f"``torch.{_name}(input)``."
    composite(_forward, space="nn.functional", name=_name)

for _name in ("relu_", "selu_", "celu_", "threshold_"):
    F[_name] = namespaces["torch"][_name]
F["_threshold"] = F["threshold"]            # PyTorch's other name for it
