"""Anomaly mode: where was the node built whose rule made a NaN?"""
import warnings

from . import modes

__all__ = ["detect_anomaly", "set_detect_anomaly"]


def _switch(mode, check_nan):
    state = modes.state
    if mode != state.anomaly:
        (modes.enter_special if mode else modes.leave_special)()
    state.anomaly, state.anomaly_nan = mode, check_nan


class detect_anomaly:
    """Context manager: forward keeps tracebacks, and a backward rule that returns NaN raises RuntimeError after a warning
    with the traceback of the forward call.

    It slows everything down; use it while searching.

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

    def __init__(self, check_nan=True):
        self.prev = modes.state.anomaly
        self.prev_check_nan = modes.state.anomaly_nan
        self.check_nan = check_nan
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
                      "debugging.", stacklevel=2)

    def __enter__(self):
        self.prev, self.prev_check_nan = modes.state.anomaly, modes.state.anomaly_nan
        _switch(True, self.check_nan)

    def __exit__(self, *_):
        _switch(self.prev, self.prev_check_nan)


class set_detect_anomaly:
    """Switch anomaly mode on or off; as a context manager, switch back at its end."""

    def __init__(self, mode, check_nan=True):
        self.prev, self.prev_check_nan = modes.state.anomaly, modes.state.anomaly_nan
        _switch(bool(mode), check_nan)

    def __enter__(self):
        return None

    def __exit__(self, *_):
        _switch(self.prev, self.prev_check_nan)
