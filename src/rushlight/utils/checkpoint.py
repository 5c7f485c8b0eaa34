"""Checkpointing: keep a function's inputs instead of what its operators saved, and compute it again in backward.

Two ways, as in PyTorch. *Non-reentrant* (recommended): the function runs once with gradients on, under saved-tensor hooks that keep
nothing but a place holder; when backward asks for the first of them, the function runs again under hooks that fill the
holders in the same order. The graph of the first run is the one that backward walks, so ``retain_grad``, hooks, keyword
arguments and nested checkpoints behave as without. *Reentrant*: the function runs under ``no_grad`` inside an autograd Function whose
backward runs it again and calls ``backward`` inside backward.

The inputs of a checkpoint are saved through a Function, so that an outer checkpoint's hooks see them and need not keep them.
"""
import contextlib
import warnings
import weakref

import numpy as np

from .. import random
from ..autograd import modes
from ..autograd.api import backward as run_backward
from ..autograd.function import Function
from ..autograd.graph import saved_tensors_hooks
from ..autograd.modes import enable_grad, no_grad
from ..device import CPU
from ..tensor import Tensor, wrap

__all__ = ["checkpoint", "checkpoint_sequential", "CheckpointError", "CheckpointFunction", "check_backward_validity",
           "detach_variable", "noop_context_fn", "set_checkpoint_early_stop", "set_checkpoint_debug_enabled"]


class CheckpointError(RuntimeError):
    """The recomputation did not repeat the forward pass."""


class _StopRecomputation(Exception):
    """Everything that backward needs has been recomputed."""


_early_stop = True
_debug = None


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """Whether a recomputation stops as soon as every saved tensor is there (the default)."""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """Overrides the ``debug`` argument of every ``checkpoint`` inside; None leaves it."""
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


def noop_context_fn():
    """Two contexts that do nothing: one for the forward pass, one for the recomputation."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def detach_variable(inputs):
    """Tensors without history but with their ``requires_grad``; other values as they are."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type:  {type(inputs).__name__}")
    out = []
    for i in inputs:
        if isinstance(i, Tensor):
            made = i.detach()
            made.requires_grad = i.requires_grad
            out.append(made)
        else:
            out.append(i)
    return tuple(out)


def check_backward_validity(inputs):
    """Warn if no input requires grad: a reentrant checkpoint then trains nothing."""
    if not any(i.requires_grad for i in inputs if isinstance(i, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=4)


class CheckpointFunction(Function):
    """The reentrant way."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.rng_state = random.get_rng_state() if preserve_rng_state else None
        ctx.plain = [None if isinstance(a, Tensor) else a for a in args]
        ctx.tensor_at = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.tensor_at])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if modes.state.walk is not None and modes.state.walk.needed is not None:
            raise RuntimeError("When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                               "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                               ".backward() without passing the `inputs` argument.")
        inputs = list(ctx.plain)
        for i, t in zip(ctx.tensor_at, ctx.saved_tensors):
            inputs[i] = t
        detached = detach_variable(tuple(inputs))
        with _rng(ctx.rng_state), enable_grad():
            outputs = ctx.run_function(*detached)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        pairs = [(o, g) for o, g in zip(outputs, grads) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary"
                               "\nCall the function without checkpoint.")
        run_backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *[d._grad if isinstance(d, Tensor) else None for d in detached])


@contextlib.contextmanager
def _rng(state):
    """Run with the generator as it was in the forward pass; put it back afterwards."""
    if state is None:
        yield
        return
    before = random.get_rng_state()
    random.set_rng_state(state)
    try:
        yield
    finally:
        random.set_rng_state(before)


class _SaveInputs(Function):
    """A node whose only purpose is to hold a checkpoint's tensors where outer saved-tensor hooks see them."""

    @staticmethod
    def forward(ctx, anchor, *tensors):
        ctx.save_for_backward(*tensors)
        return anchor.detach()

    @staticmethod
    def backward(ctx, *grads):
        raise AssertionError("nothing leads to this node")


class _Saved:
    """What one operator saved, described: enough to tell whether the recomputation repeats it."""

    __slots__ = ("shape", "dtype", "op", "__weakref__")

    def __init__(self, tensor):
        self.shape, self.dtype, self.op = tensor.shape, tensor.dtype, modes.state.saving

    def metadata(self):
        return {"shape": self.shape, "dtype": self.dtype, "device": CPU}


class _Frame:
    """One checkpointed call."""

    def __init__(self, function, args, kwargs, rng_state, recompute_context, check, early_stop, debug):
        self.function, self.check, self.early_stop, self.debug = function, check, early_stop, debug
        self.rng_state, self.recompute_context = rng_state, recompute_context
        self.saved = []                                   # a _Saved for each tensor that was packed
        self.recomputed = weakref.WeakKeyDictionary()     # backward pass -> the tensors, in the same order
        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
        self.args = [None if isinstance(a, Tensor) else a for a in args]
        self.kwargs = {k: None if isinstance(v, Tensor) else v for k, v in kwargs.items()}
        self.tensor_args = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.tensor_kwargs = [k for k, v in kwargs.items() if isinstance(v, Tensor)]
        anchor = wrap(np.zeros(0, np.float32))
        anchor._rg = True
        with enable_grad():
            self.holder = _SaveInputs.apply(anchor, *tensors).grad_fn

    def inputs(self):
        tensors = iter(self.holder.saved_tensors)
        args, kwargs = list(self.args), dict(self.kwargs)
        for i in self.tensor_args:
            args[i] = next(tensors)
        for k in self.tensor_kwargs:
            kwargs[k] = next(tensors)
        return args, kwargs

    def pack(self, tensor):
        self.saved.append(_Saved(tensor))
        return len(self.saved) - 1

    def unpack(self, index):
        walk = modes.state.walk
        found = self.recomputed.get(walk) if walk is not None else None
        if found is None:
            found = self.recompute()
            if walk is not None:
                self.recomputed[walk] = found
        return found[index]

    def recompute(self):
        again, described = [], []

        def pack(tensor):
            again.append(tensor.detach())
            described.append(_Saved(tensor))
            if self.early_stop and len(again) == len(self.saved):
                raise _StopRecomputation
            return len(again) - 1

        def unpack(index):
            return again[index]       # a backward inside the function

        args, kwargs = self.inputs()
        with _rng(self.rng_state), self.recompute_context, enable_grad(), saved_tensors_hooks(pack, unpack):
            try:
                self.function(*args, **kwargs)
            except _StopRecomputation:
                described = described[:len(self.saved)]
        self.compare(described)
        return again

    def compare(self, described):
        tip = ("\n\nTip: To see a more detailed error message, either pass `debug=True` to\n"
               "`torch.utils.checkpoint.checkpoint(...)` or wrap the code block\nwith `with "
               "torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\nenable checkpoint-debug mode globally.\n")
        lists = (f"\nOperators that saved in the forward pass: {', '.join(str(s.op) for s in self.saved)}"
                 f"\nOperators that saved in the recomputation: {', '.join(str(s.op) for s in described)}")
        if len(described) > len(self.saved):
            raise CheckpointError("torch.utils.checkpoint: trying to save more tensors during recomputation than "
                                  "during the original forward pass.\n"
                                  "The function must do the same both times." + lists + (tip if not self.debug else ""))
        if len(described) != len(self.saved):
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                                  f"recomputation.\nNumber of tensors saved during forward: {len(self.saved)}\nNumber of tensors "
                                  f"saved during recomputation: {len(described)}." + lists + (tip if not self.debug else ""))
        if self.check == "none":
            return
        wrong = [(i, a, b) for i, (a, b) in enumerate(zip(self.saved, described)) if (a.shape, a.dtype) != (b.shape, b.dtype)]
        if wrong:
            text = "\n".join(f"tensor at position {i}:\nsaved metadata: {a.metadata()}\nrecomputed metadata: {b.metadata()}"
                             for i, a, b in wrong)
            raise CheckpointError("torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                                  f"during the forward pass.\n{text}.\n" + lists + (tip if not self.debug else ""))


def checkpoint(function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default", debug=False,
               early_stop=True, **kwargs):
    """``function(*args, **kwargs)``, of which backward recomputes what it needs instead of keeping it.

    ``use_reentrant=False`` is the way to go: it takes keyword arguments, nests, and works with ``autograd.grad``. ``preserve_rng_state``
    (default True) makes both runs draw the same random numbers. CheckpointError if the second run saves other tensors than the first.

    Example::

        >>> import rushlight as torch
        >>> from rushlight.utils.checkpoint import checkpoint
        >>> x = torch.ones(2, requires_grad=True)
        >>> checkpoint(lambda t: t.exp().sin(), x, use_reentrant=False).sum().backward()
        >>> x.grad
        tensor([-2.4784, -2.4784])
    """
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
                      "calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if "
                      "you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more "
                      "details on the differences between the two variants.", stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs)
                         + "\nPass them by position, or use use_reentrant=False.")
    if use_reentrant:
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    forward_context, recompute_context = context_fn()
    if not modes.state.grad:
        with forward_context:
            return function(*args, **kwargs)
    frame = _Frame(function, args, kwargs, random.get_rng_state() if preserve else None, recompute_context, determinism_check,
                   early_stop and _early_stop, debug if _debug is None else _debug)
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Run a Sequential (or list of functions) in ``segments`` parts, each checkpointed but the last.

    ``input`` is the first function's only argument.
    """
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In "
                      "version 2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but "
                      "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more "
                      "details on the differences between the two variants.", stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def run(start, end):
        def forward(x):
            for f in functions[start:end + 1]:
                x = f(x)
            return x
        return forward
    size = len(functions) // segments
    end = -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = checkpoint(run(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(end + 1, len(functions) - 1)(input)


def __getattr__(name):
    raise AttributeError(f"module 'torch.utils.checkpoint' has no attribute '{name}'\nrushlight has {', '.join(__all__)} there; "
                         "selective checkpointing needs operator dispatch modes, which it lacks.")
