"""Anomaly mode: where was the node built whose rule made a NaN?

PyTorch's mode looks for NaN in what derivatives return, and for nothing else. Two options go further: ``check_inf``, and
``check_forward``, which looks at the results of operators as well.
"""
import warnings

import numpy as np

from ..tensor import Tensor, describe_place
from . import modes

__all__ = ["detect_anomaly", "set_detect_anomaly", "found_in", "refuse_forward"]


def _switch(mode, check_nan, check_inf=False, check_forward=False):
    state = modes.state
    if mode != state.anomaly:
        (modes.enter_special if mode else modes.leave_special)()
    state.anomaly, state.anomaly_nan = mode, check_nan
    state.anomaly_inf, state.anomaly_forward = mode and check_inf, mode and check_forward


def _switched():
    state = modes.state
    return state.anomaly, state.anomaly_nan, state.anomaly_inf, state.anomaly_forward


class detect_anomaly:
    """Context manager: forward keeps tracebacks, and a backward rule that returns NaN raises RuntimeError after a warning
    with the traceback of the forward call.

    Args:
        check_nan: whether NaN is an error.
        check_inf: whether Inf is one too (PyTorch has no such option).
        check_forward: whether results of operators are looked at as well, when they are computed (PyTorch has no such option either).

    The error names the function, how many values are bad and their shape, the module (its path from the outermost one that was called)
    and the line. The mode slows everything down; use it while searching. ``rushlight.observe.watch`` costs less.

    Example::

        >>> import rushlight as torch, warnings
        >>> x = torch.tensor(0., requires_grad=True)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     with torch.autograd.detect_anomaly():
        ...         try:
        ...             (x.sqrt() * 0).backward()
        ...         except RuntimeError as error:
        ...             print(str(error).splitlines()[0])
        Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan=True, *, check_inf=False, check_forward=False):
        self.prev = _switched()
        self.checks = check_nan, check_inf, check_forward
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
                      "debugging.", stacklevel=2)

    def __enter__(self):
        self.prev = _switched()
        _switch(True, *self.checks)

    def __exit__(self, *_):
        _switch(*self.prev)


class set_detect_anomaly:
    """Switch anomaly mode on or off; as a context manager, switch back at its end. The options are those of ``detect_anomaly``."""

    def __init__(self, mode, check_nan=True, *, check_inf=False, check_forward=False):
        self.prev = _switched()
        _switch(bool(mode), check_nan, check_inf, check_forward)

    def __enter__(self):
        return None

    def __exit__(self, *_):
        _switch(*self.prev)


def found_in(array, nan, inf):
    """What is bad in an array: None, or ("nan" or "inf", a sentence with the counts)."""
    if array.dtype.kind not in "fcV":
        return None
    nans = int(np.isnan(array).sum())
    infs = int(np.isinf(array).sum()) if inf or nans else 0
    kind = "nan" if nan and nans else "inf" if inf and infs else None
    if kind is None:
        return None
    counts = " and ".join(t for n, t in ((nans, f"{nans} NaN"), (infs, f"{infs} Inf")) if n)
    return kind, f"{counts} among {array.size} values of shape {list(array.shape)}"


def refuse_forward(op, values, tensors, where, module):
    """Raise RuntimeError if an operator gave what is looked for in forward; say whether it was born there."""
    state = modes.state
    for i, t in enumerate(tensors):
        bad = found_in(t._a, state.anomaly_nan, state.anomaly_inf)
        if bad is None:
            continue
        came = any(found_in(v._a, state.anomaly_nan, state.anomaly_inf) for v in values if isinstance(v, Tensor))
        raise RuntimeError(
            f"Function '{op.name}' returned {bad[0]} values in its {i}th output.\nIn the forward pass, at {describe_place(where)}"
            f"{module_text(module)}: {bad[1]}. "
            + ("An input held such values already." if came else "The inputs held none: they were born here."))


def module_text(module):
    """", in module path (class)" of what ``blame.running_module`` gave, or nothing."""
    if module is None:
        return ""
    path, kind = module
    return f", in module {path} ({kind})" if path else f", in module {kind}"
