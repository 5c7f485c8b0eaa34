"""Are the gradients right? Backward against central differences.

Everything is compared as real numbers: a complex value is its two parts, and the derivative of Re(out) and Im(out) with respect to
Re(in) and Im(in) is what a backward with gradient 1 and 1j returns in PyTorch's convention (the gradient's parts are the partial
derivatives). So one Jacobian serves real and complex functions alike.
"""
import itertools
import warnings

import numpy as np

from .. import dtypes
from ..tensor import Tensor, wrap
from . import modes
from .api import grad as compute_grad

__all__ = ["gradcheck", "gradgradcheck", "GradcheckError", "get_numerical_jacobian", "get_analytical_jacobian"]


class GradcheckError(RuntimeError):
    """Raised by ``gradcheck`` and ``gradgradcheck``."""


def _tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _is_differentiable(t):
    return isinstance(t, Tensor) and t.requires_grad and t.dtype.category >= dtypes.FLOATING


def _parts(array):
    """An array's numbers as one real vector: for complex ones real and imaginary parts in turn."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _width(t):
    return t._a.size * (2 if t.dtype.is_complex else 1)


def _outputs(fn, inputs):
    return [o for o in _tuple(fn(*inputs)) if isinstance(o, Tensor)]


def _evaluate(fn, inputs):
    with modes.no_grad():
        return [_parts(o._a).astype(np.float64) for o in _outputs(fn, inputs) if o.dtype.category >= dtypes.FLOATING]


def _numerical(fn, inputs, target, eps):
    """d(outputs) / d(target): one matrix (input numbers x output numbers) per differentiable output."""
    array = target._a
    columns = []
    steps = (eps, 1j * eps) if array.dtype.kind == "c" else (eps,)
    for index in itertools.product(*map(range, array.shape)):
        kept = array[index]
        for step in steps:
            try:
                array[index] = kept + step
                high = _evaluate(fn, inputs)
                array[index] = kept - step
                low = _evaluate(fn, inputs)
            finally:
                array[index] = kept
            columns.append([(h - low_) / (2 * eps) for h, low_ in zip(high, low)])
    return [np.array(rows).reshape(len(columns), -1) for rows in zip(*columns)] if columns else []


def _analytical(output, target):
    """d(output) / d(target) by one backward per number of the output, and whether each backward repeated itself."""
    made = np.zeros((_width(target), _width(output)))
    again = np.zeros_like(made)
    for k in range(_width(output)):
        for store in (made, again):
            seed = np.zeros(output._a.size, output._a.dtype)
            _parts_of(seed)[k] = 1
            g, = compute_grad(output, target, wrap(seed.reshape(output._a.shape)), retain_graph=True, allow_unused=True)
            if g is not None:
                if g.dtype is not target.dtype:
                    raise GradcheckError("Backward is not reentrant: a gradient has another dtype than its input")
                store[:, k] = _parts(g._a)
    return made, again


def _parts_of(array):
    return array.view(array.real.dtype) if array.dtype.kind == "c" else array


def _close(a, b, rtol, atol):
    return np.allclose(a, b, rtol, atol, equal_nan=False)


def _mismatch(analytical, numerical, o, i):
    return (f"Jacobian mismatch for output {o} with respect to input {i},\nnumerical:{wrap(np.asarray(numerical))!r}\n"
            f"analytical:{wrap(np.asarray(analytical))!r}\n")


def _check_inputs(inputs):
    found = False
    for i, t in enumerate(inputs):
        if not (isinstance(t, Tensor) and t.requires_grad):
            continue
        if t.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. This check will "
                          "likely fail if all the inputs are not of double precision floating point or complex. ", stacklevel=4)
        if any(s == 0 and n > 1 for s, n in zip(t._a.strides, t._a.shape)):
            raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                               "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                               ".contiguous on the input before passing it to gradcheck.")
        found = True
        if t.grad_fn is not None:
            t.retain_grad()
    if not found:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have "
                         "requires_grad=True.")


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
              check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
              check_backward_ad=True, fast_mode=False, masked=None):
    """Compare the gradients of ``func`` at ``inputs`` with central differences of step ``eps``.

    Give float64 or complex128 inputs. True, or GradcheckError that shows both Jacobians (False with ``raise_exception=False``).
    ``fast_mode`` compares one random projection of them.

    Example::

        >>> import rushlight as torch
        >>> x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradcheck(torch.tanh, x)
        True
    """
    if check_forward_ad or check_batched_forward_grad:
        raise NotImplementedError("rushlight has no forward-mode differentiation yet\nLeave check_forward_ad out.")
    try:
        return _check(func, _tuple(inputs), eps, atol, rtol, nondet_tol, check_undefined_grad, check_batched_grad, fast_mode)
    except GradcheckError:
        if raise_exception:
            raise
        return False


def _check(func, inputs, eps, atol, rtol, nondet_tol, check_undefined_grad, check_batched_grad, fast_mode):
    _check_inputs(inputs)
    with modes.enable_grad():
        outputs = _outputs(func, inputs)
    targets = [(i, t) for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.requires_grad]
    live = [o for o in outputs if _is_differentiable(o)]
    if not live:
        for _, t in targets:
            for n in _numerical(func, inputs, t, eps):
                if not _close(n, 0, 0, 1e-6):
                    raise GradcheckError("Numerical gradient for function expected to be zero")
        return True
    smooth = [o for o in outputs if o.dtype.category >= dtypes.FLOATING]
    for i, t in targets:
        numerical = _numerical(func, inputs, t, eps)
        for j, o in enumerate(smooth):
            numeric = numerical[j] if numerical else np.zeros((_width(t), _width(o)))
            if not _is_differentiable(o):
                if not _close(numeric, 0, 0, 1e-6):
                    raise GradcheckError("Numerical gradient for function expected to be zero")
                continue
            made, again = _analytical(o, t)
            if not _close(made, again, 0, nondet_tol) if nondet_tol else not np.array_equal(made, again, equal_nan=True):
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
                    "values, although analytical gradient matches numerical gradient. The tolerance for nondeterminism was "
                    f"{nondet_tol}.")
            if fast_mode:
                rng = np.random.default_rng(0)
                u, v = rng.standard_normal(made.shape[0]), rng.standard_normal(made.shape[1])
                u, v = u / (np.linalg.norm(u) or 1), v / (np.linalg.norm(v) or 1)
                wrong = not _close(u @ made @ v, u @ numeric @ v, rtol, atol)
            else:
                wrong = not _close(made, numeric, rtol, atol)
            if wrong:
                raise GradcheckError(_mismatch(made, numeric, j, i))
    _check_seed_used(live, [t for _, t in targets])
    if check_undefined_grad:
        _check_undefined(func, inputs)
    if check_batched_grad:
        _check_batched(live, [t for _, t in targets])
    return True


def _check_seed_used(outputs, targets):
    """A zero gradient must give zero."""
    zeros = [wrap(np.zeros_like(o._a)) for o in outputs]
    for g in compute_grad(outputs, targets, zeros, retain_graph=True, allow_unused=True):
        if g is not None and np.any(g._a != 0):
            raise GradcheckError("backward not multiplied by grad_output")


def _check_undefined(func, inputs):
    """Rules must stand gradients that are not there."""
    outputs = [o for o in _outputs(func, inputs) if _is_differentiable(o)]
    targets = [t for t in inputs if isinstance(t, Tensor) and t.requires_grad]
    for k in range(len(outputs)):
        compute_grad([outputs[k]], targets, [wrap(np.ones_like(outputs[k]._a))], retain_graph=True, allow_unused=True)


def _check_batched(outputs, targets):
    """Batched gradients must be those computed one by one."""
    rng = np.random.default_rng(0)
    for o in outputs:
        seeds = wrap(rng.standard_normal((3, *o._a.shape)).astype(o._a.dtype))
        together = compute_grad(o, targets, seeds, retain_graph=True, allow_unused=True, is_grads_batched=True)
        for row in range(3):
            alone = compute_grad(o, targets, seeds[row], retain_graph=True, allow_unused=True)
            for a, b in zip(alone, together):
                if a is not None and not np.allclose(a._a, b._a[row]):
                    raise GradcheckError("For output 0 and input 0: batched gradients differ from those computed one by one")


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
                  check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False):
    """``gradcheck`` of the gradients of ``func``: are second derivatives right?

    ``grad_outputs``: the gradients to start from (random numbers if left out); they are inputs of the check too.
    """
    inputs = _tuple(inputs)
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        seeds = []
        for o in _outputs(func, inputs):
            if _is_differentiable(o):
                values = rng.uniform(-1, 1, o._a.shape).astype(o._a.dtype)
                if o.dtype.is_complex:
                    values = values + 1j * rng.uniform(-1, 1, o._a.shape)
                if gen_non_contig_grad_outputs and values.ndim:
                    values = np.repeat(values[..., None], 2, -1)[..., 0]
                seeds.append(wrap(np.asarray(values)).requires_grad_())
        grad_outputs = tuple(seeds)
    else:
        grad_outputs = _tuple(grad_outputs)
    count = len(grad_outputs)

    def first_derivatives(*args):
        given, seeds = args[:len(args) - count], args[len(args) - count:]
        with modes.enable_grad():
            outputs = [o for o in _outputs(func, given) if _is_differentiable(o)]
            wanted = [t for t in given if isinstance(t, Tensor) and t.requires_grad]
            grads = compute_grad(outputs, wanted, seeds, create_graph=True, allow_unused=True)
        return tuple(g for g in grads if g is not None)

    return gradcheck(first_derivatives, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
                     check_batched_grad=check_batched_grad, fast_mode=fast_mode)


def get_numerical_jacobian(fn, inputs, target=None, eps=1e-3, grad_out=1.0):
    """Central differences of ``fn`` at ``inputs``: for each differentiable input a matrix (input numbers x output numbers)."""
    inputs = _tuple(inputs)
    targets = [t for t in inputs if _is_differentiable(t)]
    return [wrap(_numerical(fn, inputs, t, eps)[0]) for t in targets]


def get_analytical_jacobian(inputs, output, nondet_tol=0.0, grad_out=1.0):
    """The same matrices by backward passes, and whether those repeated themselves."""
    jacobians, repeated = [], True
    for t in _tuple(inputs):
        if _is_differentiable(t):
            made, again = _analytical(output, t)
            repeated = repeated and np.allclose(made, again, 0, nondet_tol)
            jacobians.append(wrap(made))
    return jacobians, repeated, True, True
