"""What is switched on in the running thread: gradients, inference mode, saved-tensor hooks, anomaly mode.

Two questions are asked on the hot path and both must be cheap. *May I take the short way?* is the module attribute
``plain``: true until any rare feature is in use anywhere in the process (saved-tensor hooks, anomaly mode, function
modes, tensor subclasses with ``__torch_function__``, inference mode, observers); every operator then goes the long way, which asks the
thread's own state for details. *Are gradients on?* is asked only once an input requires grad.
"""
import functools
import inspect
import threading

__all__ = ["no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled",
           "state"]

plain = True
watched = False        # whether recordings are the only rare feature in use: see `ops.seen`
leaf_hooks = False     # whether a hook was ever registered on a leaf: only then can anybody see when a leaf is finished
_special = _recordings = 0
_lock = threading.Lock()


def enter_special(recording=False):
    """Count one more rare feature in use: operators take the long way until ``leave_special``. A recording says that it is one."""
    global _special, _recordings, plain, watched
    with _lock:
        _special += 1
        _recordings += recording
        plain, watched = False, _special == _recordings


def leave_special(recording=False):
    global _special, _recordings, plain, watched
    with _lock:
        _special -= 1
        _recordings -= recording
        plain, watched = _special == 0, _special == _recordings > 0


def note_leaf_hook():
    """From now on the backward pass finishes each leaf as soon as it can."""
    global leaf_hooks
    leaf_hooks = True


class State(threading.local):
    """One thread's modes. Class attributes are every new thread's defaults, as in PyTorch."""

    grad = True
    inference = False
    in_backward = False
    anomaly = False          # forward tracebacks are kept and backward errors show them
    anomaly_nan = True       # and NaN in a backward is an error
    anomaly_inf = False      # and so is Inf
    anomaly_forward = False  # and so are they in the result of an operator
    saved_hooks = ()         # (pack, unpack) pairs, innermost last
    saved_hooks_error = None # set while disable_saved_tensors_hooks is active
    checkpoint_early_stop = None
    no_torch_function = False
    running = None           # under anomaly mode, the node whose rule is running
    saving = None            # the operator whose saved tensors are being packed
    walk = None              # the backward pass that is running: an `engine.Walk`
    mutation_allowed = False
    function_modes = ()      # TorchFunctionMode objects, innermost last
    observer = None          # what `rushlight.observe` shows each call to while it records


state = State()


class _ContextDecorator:
    """A context manager that also decorates functions, generators and classes as PyTorch's do.

    A generator is resumed inside the context and suspended outside of it, so that the caller's code between two
    ``next`` calls never runs in the callee's mode.
    """

    def clone(self):
        return type(self)()

    def __call__(self, func):
        if inspect.isclass(func):
            func.__init__ = self(func.__init__)
            return func
        if inspect.isgeneratorfunction(func):
            return self._wrap_generator(func)

        @functools.wraps(func)
        def decorated(*args, **kwargs):
            with self.clone():
                return func(*args, **kwargs)
        return decorated

    def _wrap_generator(self, func):
        @functools.wraps(func)
        def decorated(*args, **kwargs):
            generator = func(*args, **kwargs)
            try:
                with self.clone():
                    item = generator.send(None)
                while True:
                    try:
                        sent = yield item
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException as error:
                        with self.clone():
                            item = generator.throw(error)
                    else:
                        with self.clone():
                            item = generator.send(sent)
            except StopIteration as stop:
                return stop.value
        return decorated


class no_grad(_ContextDecorator):
    """Context manager and decorator: nothing computed inside is recorded for gradients (factory arguments aside).

    Example::

        >>> import rushlight as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad():
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    def __new__(cls, func=None):
        made = super().__new__(cls)
        if func is not None:                 # @no_grad without parentheses
            return made(func)
        return made

    def __init__(self, func=None):
        self.prev = []

    def __enter__(self):
        self.prev.append(state.grad)
        state.grad = False

    def __exit__(self, *_):
        state.grad = self.prev.pop()


class enable_grad(no_grad):
    """Context manager and decorator: gradients are recorded inside, even within ``no_grad``."""

    def __enter__(self):
        self.prev.append(state.grad)
        state.grad = True


def named_type(value):
    """The name of a value's type as PyTorch's texts have it: ``int``, but ``numpy.bool``."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def no_flag(function, argument, value):
    """The TypeError of an argument that must be True or False and is ``value``."""
    return TypeError(f"{function}(): argument {argument} must be bool, not {named_type(value)}"
                     "\nPass True or False; bool(...) makes one of any value.")


class set_grad_enabled(_ContextDecorator):
    """Switch gradients on or off at once; as a context manager, switch back at its end."""

    def __init__(self, mode):
        if mode is not True and mode is not False:
            raise no_flag("set_grad_enabled", "'enabled' (position 1)", mode)
        self.prev = state.grad
        self.mode = mode
        state.grad = self.mode

    def __call__(self, func):
        state.grad = self.prev               # a decorator must not act before the function runs
        return super().__call__(func)

    def clone(self):
        return type(self)(self.mode)

    def __enter__(self):
        state.grad = self.mode

    def __exit__(self, *_):
        state.grad = self.prev


class inference_mode(_ContextDecorator):
    """``no_grad`` whose results can never be used in a recorded computation: they carry no version counter.

    Example::

        >>> import rushlight as torch
        >>> with torch.inference_mode():
        ...     y = torch.ones(2) * 2
        >>> y.is_inference()
        True
    """

    def __new__(cls, mode=True):
        made = super().__new__(cls)
        if not isinstance(mode, bool):       # @inference_mode without parentheses
            made.__init__()
            return made(mode)
        return made

    def __init__(self, mode=True):
        self.mode = mode if isinstance(mode, bool) else True
        self.prev = []

    def clone(self):
        return type(self)(self.mode)

    def __enter__(self):
        self.prev.append((state.grad, state.inference))
        if self.mode:
            enter_special()
            state.grad, state.inference = False, True
        else:
            if state.inference:
                state.grad = True
            state.inference = False

    def __exit__(self, *_):
        if self.mode:
            leave_special()
        state.grad, state.inference = self.prev.pop()


def is_grad_enabled():
    """Whether operators record gradients in this thread."""
    return state.grad


def is_inference_mode_enabled():
    """Whether this thread is inside ``inference_mode``."""
    return state.inference
