"""Random numbers: new tensors, and tensors filled in place.

The streams are PyTorch's, bit for bit; ``kernels.random`` says where each comes from. In-place fills visit the elements in the
order of memory, as PyTorch does.
"""
import numpy as np

from .. import dtypes
from ..autograd import modes, views
from ..kernels import random as kernel
from ..kernels import random_discrete as discrete
from ..kernels import random_normal as gaussian
from ..kernels import random_rejection as rejection
from ..random import engine_of
from ..tensor import Tensor, user_place
from . import call
from ._factory import check_place, check_sizes, finish, numpy_dtype, overriding, publish, refill_out, sizes
from .declare import Array, op

__all__ = []


# ---------------------------------------------------------------- new tensors

def _new(function, name, size, draw, generator, out, dtype, layout, device, requires_grad, pin_memory, named):
    """What rand, randn share: ``draw(engine, shape, numpy dtype)`` in a tensor."""
    if named:
        size = _size_keyword(name, size, named)
    if not modes.plain:
        taken, result = overriding(function, (*size, out), size, {"dtype": dtype, "out": out, "generator": generator})
        if taken:
            return result
    check_place(layout, device, pin_memory)
    numpy = numpy_dtype(dtype, name) if dtype is not None else out._a.dtype if out is not None else \
        dtypes.get_default_dtype().numpy
    shape = sizes(size, name)
    check_sizes(shape, name)
    array = draw(engine_of(generator), shape, numpy)
    if out is not None:
        return refill_out(out, array, name)
    return finish(array, requires_grad, name)


def _size_keyword(name, size, named):
    given = named.pop("size", None)
    if named.pop("names", None) is not None:
        raise RuntimeError(f"{name}(): rushlight has no named tensors\nLeave names out.")
    if named:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
    return (given,) if given is not None else size


@publish
def rand(*size, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, **named):
    """Uniform numbers from [0, 1), of shape ``size``, floating or complex.

    Example::

        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.rand(3)
        tensor([0.4963, 0.7682, 0.0885])
    """
    return _new(rand, "rand", size, kernel.uniform, generator, out, dtype, layout, device, requires_grad, pin_memory, named)


@publish
def randn(*size, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, **named):
    """Numbers from the standard normal distribution, of shape ``size``, floating or complex.

    Example::

        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.randn(3)
        tensor([ 1.5410, -0.2934, -2.1788])
    """
    return _new(randn, "randn", size, gaussian.normal, generator, out, dtype, layout, device, requires_grad, pin_memory, named)


def _integer(value, name, argument):
    if isinstance(value, Tensor) and value.numel() == 1 or hasattr(value, "__index__"):
        return int(value)
    raise TypeError(f"{name}(): argument '{argument}' must be int, not {type(value).__name__}\nPass a whole number.")


@publish
def randint(*args, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, low=None,
            high=None, size=None):
    """``randint(low=0, high, size)``: whole numbers from [low, high), int64 unless ``dtype`` says other.

    RuntimeError for an empty range or one that the dtype cannot hold.

    Example::

        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.randint(10, (3,))
        tensor([4, 9, 3])
    """
    given = list(args)
    if size is None:
        if not given:
            raise TypeError("randint() missing the argument 'size'\nCall randint(high, size) or randint(low, high, size).")
        size = given.pop()
    if len(given) == 2:
        low, high = given
    elif len(given) == 1 and high is None:
        high = given[0]
    elif len(given) == 1:
        low = given[0]
    if high is None or isinstance(size, int):
        raise TypeError("randint() received an invalid combination of arguments - got "
                        f"({', '.join(type(a).__name__ for a in args)})\nCall randint(high, size) or randint(low, high, size).")
    if not modes.plain:
        taken, result = overriding(randint, (out,), args, {"dtype": dtype})
        if taken:
            return result
    check_place(layout, device, pin_memory)
    numpy = numpy_dtype(dtype, "randint") if dtype is not None else out._a.dtype if out is not None else np.dtype(np.int64)
    shape = sizes((size,), "randint")
    check_sizes(shape, "randint")
    array = discrete.random_from_to(engine_of(generator), shape, numpy, _integer(low, "randint", "low") if low is not None else 0,
                                    _integer(high, "randint", "high"))
    if out is not None:
        return refill_out(out, array, "randint")
    return finish(array, requires_grad, "randint")


@publish
def randperm(n, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """The numbers 0 ... n - 1 in random order, int64 unless ``dtype`` says other.

    Example::

        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.randperm(4)
        tensor([0, 1, 3, 2])
    """
    check_place(layout, device, pin_memory)
    numpy = numpy_dtype(dtype, "randperm") if dtype is not None else out._a.dtype if out is not None else np.dtype(np.int64)
    array = discrete.randperm(engine_of(generator), _integer(n, "randperm", "n"), numpy)
    if out is not None:
        return refill_out(out, array, "randperm")
    return finish(array, requires_grad, "randperm")


def _like(name, input, draw, generator, dtype, layout, device, pin_memory, requires_grad, memory_format):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}\nPass a Tensor.")
    check_place(layout, device, pin_memory)
    numpy = numpy_dtype(dtype, name) if dtype is not None else input._a.dtype
    engine = engine_of(generator)
    array = kernel.drawn_like(input._a, lambda shape: draw(engine, shape, numpy))
    if memory_format is not None and memory_format.__repr__() == "torch.contiguous_format":
        array = np.ascontiguousarray(array)
    return finish(array, requires_grad, name)


@publish
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=None):
    """Uniform numbers from [0, 1) in the shape and dtype of ``input``."""
    if not modes.plain:
        taken, result = overriding(rand_like, (input,), (input,), {"dtype": dtype})
        if taken:
            return result
    return _like("rand_like", input, kernel.uniform, generator, dtype, layout, device, pin_memory, requires_grad, memory_format)


@publish
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=None):
    """Standard normal numbers in the shape and dtype of ``input``."""
    if not modes.plain:
        taken, result = overriding(randn_like, (input,), (input,), {"dtype": dtype})
        if taken:
            return result
    return _like("randn_like", input, gaussian.normal, generator, dtype, layout, device, pin_memory, requires_grad, memory_format)


@publish
def randint_like(input, *args, low=0, high=None, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
                 requires_grad=False, memory_format=None):
    """``randint_like(input, low=0, high)``: whole numbers from [low, high) in the shape and dtype of ``input``."""
    if len(args) == 2:
        low, high = args
    elif len(args) == 1:
        high = args[0] if high is None else high
    if high is None:
        raise TypeError("randint_like() missing the argument 'high'\nCall randint_like(input, high) or randint_like(input, low, high).")
    if not modes.plain:
        taken, result = overriding(randint_like, (input,), (input, low, high), {"dtype": dtype})
        if taken:
            return result
    bounds = _integer(low, "randint_like", "low"), _integer(high, "randint_like", "high")
    return _like("randint_like", input, lambda e, shape, numpy: discrete.random_from_to(e, shape, numpy, *bounds), generator, dtype,
                 layout, device, pin_memory, requires_grad, memory_format)


# ---------------------------------------------------------------- drawn from tensors

@op(function=False, name="_bernoulli", grad_name="BernoulliBackward0")
def _bernoulli(input: Array, generator):
    """Zeros and ones with the probabilities in ``input``."""
    return discrete.bernoulli_tensor(engine_of(generator), input, input.dtype)


_bernoulli.derivative(input=lambda g: g * 0)


def _no_derivative(name):
    def refuse(g):
        raise RuntimeError(f"derivative for aten::{name} is not implemented\nDraw from a detached tensor.")
    return refuse


@op(function=False, name="_bernoulli_p", grad_name="NotImplemented")
def _bernoulli_p(input: Array, p, generator):
    """Zeros and ones in the shape of ``input``, ones with probability ``p``."""
    engine = engine_of(generator)
    return kernel.drawn_like(input, lambda shape: discrete.bernoulli(engine, shape, input.dtype, p))


_bernoulli_p.derivative(input=_no_derivative("bernoulli"))


def _with_out(result, out, name):
    if out is None:
        return result
    call.put_out(out, result._a, name)
    return out


@publish(method=True)
def bernoulli(input, p=None, *, generator=None, out=None):
    """Zeros and ones: ones with the probabilities in ``input``, or with probability ``p``.

    Example::

        >>> import rushlight as torch
        >>> torch.bernoulli(torch.tensor([0., 1.]))
        tensor([0., 1.])
    """
    if not modes.plain:
        taken, result = overriding(bernoulli, (input, p), (input,) if p is None else (input, p), {"generator": generator})
        if taken:
            return result
    made = _bernoulli.public(input, generator) if p is None else _bernoulli_p.public(input, float(p), generator)
    return _with_out(made, out, "bernoulli")


@op(method=True, differentiable=False,
    out=lambda wanted, given: f"multinomial expects Long tensor out, got: {given.scalar_name}")
def multinomial(input: Array, num_samples, replacement=False, *, generator=None):
    """``num_samples`` indices per row of ``input`` (1-D or 2-D), drawn in proportion to its weights; int64.

    RuntimeError for weights that are negative, not finite, or all zero.

    Example::

        >>> import rushlight as torch
        >>> torch.multinomial(torch.tensor([0., 0., 1.]), 1)
        tensor([2])
    """
    return discrete.multinomial(engine_of(generator), input, num_samples, replacement)


@op(grad_name="PoissonBackward0")
def poisson(input: Array, generator=None):
    """Poisson counts with the rates in ``input``, in its dtype."""
    return rejection.poisson(engine_of(generator), input)


poisson.derivative(input=lambda g: g * 0)


@op(grad_name="NotImplemented")
def binomial(count: Array, prob: Array, generator=None):
    """Numbers of successes in ``count`` trials of probability ``prob``."""
    return rejection.binomial(engine_of(generator), *np.broadcast_arrays(count, prob))


binomial.derivative(count=_no_derivative("binomial"), prob=_no_derivative("binomial"))


@op(function=False, name="_normal_tensors", grad_name="NormalBackward0", differentiable=True)
def _normal_tensors(mean: Array, std: Array, generator):
    """Normal numbers with a mean and a deviation for each element."""
    return gaussian.normal_tensors(engine_of(generator), mean, std, np.result_type(mean, std))


_normal_tensors.derivative(mean=lambda g: g * 0, std=lambda g: g * 0)


@op(function=False, name="_normal_mean", grad_name="NormalBackward0")
def _normal_mean(mean: Array, std, generator):
    """Normal numbers with a mean for each element."""
    return gaussian.normal_tensors(engine_of(generator), mean, std, mean.dtype)


_normal_mean.derivative(mean=lambda g: g * 0)


@op(function=False, name="_normal_std", grad_name="NormalBackward0")
def _normal_std(std: Array, mean, generator):
    """Normal numbers with a deviation for each element."""
    return gaussian.normal_tensors(engine_of(generator), mean, std, std.dtype)


_normal_std.derivative(std=lambda g: g * 0)


@publish
def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
           pin_memory=False):
    """Normal numbers: ``mean`` and ``std`` are tensors that broadcast, or numbers (with ``size`` if both are).

    Example::

        >>> import rushlight as torch
        >>> torch.normal(torch.tensor([1., 2.]), 0.)
        tensor([1., 2.])
    """
    if not modes.plain:
        taken, result = overriding(normal, (mean, std), (mean, std) if size is None else (mean, std, size), {"generator": generator})
        if taken:
            return result
    if size is not None:
        check_place(layout, device, pin_memory)
        numpy = numpy_dtype(dtype, "normal") if dtype is not None else out._a.dtype if out is not None else \
            dtypes.get_default_dtype().numpy
        array = gaussian.normal(engine_of(generator), sizes((size,), "normal"), numpy, float(mean), float(std))
        return refill_out(out, array, "normal") if out is not None else finish(array, requires_grad, "normal")
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        call.broadcast_shapes(mean._a.shape, std._a.shape)
        made = _normal_tensors.public(mean, std, generator)
    elif isinstance(mean, Tensor):
        made = _normal_mean.public(mean, float(std), generator)
    elif isinstance(std, Tensor):
        made = _normal_std.public(std, float(mean), generator)
    else:
        raise TypeError("normal() received an invalid combination of arguments - got "
                        f"({type(mean).__name__}, {type(std).__name__})\nGive size= when mean and std are numbers.")
    return _with_out(made, out, "normal")


@op(function=False, name="_standard_gamma", grad_name="StandardGammaBackward0")
def _standard_gamma(input: Array, generator=None):
    """Gamma variates of the shapes in ``input`` and rate 1."""
    return rejection.standard_gamma(engine_of(generator), input)


# ---------------------------------------------------------------- in place

@op(function=False, name="_refill", grad_name="FillBackward0", inplace=True)
def _refill(input: Array, values):
    """``values``, as a function of ``input``."""
    return values


_refill.derivative(input=lambda g: g * 0)


def _fill(self, name, draw):
    """Write ``draw(shape)``, in the order of memory, into ``self`` and return it."""
    array = self._a
    if modes.state.grad and self._rg:
        views.check_writable(self)
        ordered = kernel.memory_order(array)
        values = np.empty_like(array)
        kernel.memory_order(values)[...] = draw(ordered.shape, array.flags.c_contiguous)
        return call.invoke_inplace(_refill, [self, values], name)
    call.check_overlap(array)
    ordered = kernel.memory_order(array)
    ordered[...] = draw(ordered.shape, array.flags.c_contiguous)
    self._bump((name, user_place()))
    return self


def _inplace(name, what, draw, parameters):
    """Declare ``Tensor.<name>``: ``parameters`` are (name, default) pairs, ``draw(engine, shape, dtype, contiguous, *values)``."""
    names = [p for p, _ in parameters]

    def fill(self, *args, generator=None, **kwargs):
        if not modes.plain:
            taken, result = overriding(fill, (self,), (self, *args), {**kwargs, "generator": generator})
            if taken:
                return result
        values = list(args) + [d for _, d in parameters[len(args):]]
        if len(args) > len(parameters):
            raise TypeError(f"{name}() takes at most {len(parameters)} positional arguments ({len(args)} given)")
        for key, v in kwargs.items():
            if key == "from_" or key not in names:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'\nIt takes {', '.join(names)}.")
            values[names.index(key)] = v
        engine = engine_of(generator)
        dtype = self._a.dtype
        return _fill(self, name, lambda shape, contiguous: draw(engine, shape, dtype, contiguous, *values))
    fill.__doc__ = what
    return publish(name=name, method=True, as_function=False)(fill)


def _number(x):
    return x.item() if isinstance(x, Tensor) else x


_inplace("uniform_", "Fill with uniform numbers from [from, to).",
         lambda e, shape, d, c, low, high: kernel.uniform(e, shape, d, float(low), float(high)), [("from", 0.0), ("to", 1.0)])
_inplace("normal_", "Fill with normal numbers of the given mean and standard deviation.",
         lambda e, shape, d, c, mean, std: gaussian.normal(e, shape, d, float(mean), float(std), contiguous=c),
         [("mean", 0.0), ("std", 1.0)])
_inplace("log_normal_", "Fill with exp of normal numbers of the given mean and standard deviation.",
         lambda e, shape, d, c, mean, std: gaussian.log_normal(e, shape, d, float(mean), float(std)), [("mean", 1.0), ("std", 2.0)])
_inplace("exponential_", "Fill with exponentially distributed numbers of rate ``lambd``.",
         lambda e, shape, d, c, lambd: kernel.exponential(e, shape, d, float(lambd)), [("lambd", 1.0)])
_inplace("cauchy_", "Fill with Cauchy distributed numbers.",
         lambda e, shape, d, c, median, sigma: kernel.cauchy(e, shape, d, float(median), float(sigma)), [("median", 0.0), ("sigma", 1.0)])
_inplace("geometric_", "Fill with the number of trials up to the first success, each of probability ``p``.",
         lambda e, shape, d, c, p: discrete.geometric(e, shape, d, _number(p)), [("p", None)])


_OPEN = object()


@publish(method=True, as_function=False)
def random_(self, *args, generator=None, to=_OPEN, **named):
    """Fill with whole numbers: ``random_()`` over the dtype's range, ``random_(to)`` from 0, ``random_(from, to)``.

    ``to`` itself is left out; ``to=None`` stands for the largest that the dtype holds.
    """
    if not modes.plain:
        taken, result = overriding(random_, (self,), (self, *args), {"generator": generator})
        if taken:
            return result
    low = named.pop("from", None)
    if named:
        raise TypeError(f"random_() got an unexpected keyword argument '{next(iter(named))}'\nIt takes from and to.")
    engine = engine_of(generator)
    dtype = self._a.dtype
    if len(args) == 2:
        low, high = args
    elif len(args) == 1 and to is _OPEN and low is None:
        low, high = 0, args[0]
    elif len(args) == 1:
        low, high = args[0], to
    else:
        high = to
    if low is None and high is _OPEN:
        return _fill(self, "random_", lambda shape, c: discrete.random(engine, shape, dtype))
    high = None if high is None or high is _OPEN else int(high)
    return _fill(self, "random_", lambda shape, c: discrete.random_from_to(engine, shape, dtype, int(low or 0), high))


@publish(method=True, as_function=False)
def bernoulli_(self, p=0.5, *, generator=None):
    """Fill with zeros and ones, ones with probability ``p``: a number, or a tensor that broadcasts to this one's shape."""
    if not modes.plain:
        taken, result = overriding(bernoulli_, (self, p), (self, p), {"generator": generator})
        if taken:
            return result
    engine = engine_of(generator)
    dtype = self._a.dtype
    if isinstance(p, Tensor):
        wide = np.broadcast_to(p._a, self._a.shape).transpose(kernel.memory_axes(self._a)) if not self._a.flags.c_contiguous \
            else np.broadcast_to(p._a, self._a.shape)
        return _fill(self, "bernoulli_", lambda shape, c: discrete.bernoulli_tensor(engine, wide, dtype))
    return _fill(self, "bernoulli_", lambda shape, c: discrete.bernoulli(engine, shape, dtype, float(p)))

