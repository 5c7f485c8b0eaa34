"""``verify``: are the values that backward uses still those that forward kept?

A version counter sees writes by operators and not those through ``.data``, a NumPy array that shares the memory, or a library in C: they
give quietly wrong gradients. Here each value is hashed when it is kept and again when it is used. That costs the time to read it twice,
so it is asked for while searching.
"""

import contextlib
import functools
import hashlib
import sys

from . import engines
from .names import place_of

__all__ = ["verify"]


class verify:
    """A context manager: backward raises RuntimeError for a value that was kept inside and has changed since, however it was written.

    The error names the operator that kept it (on rushlight), its line and shape. ``engine``: "rushlight" or "torch"; None: rushlight,
    and PyTorch too if the program has imported it. What cannot be read, such as a tensor without memory, is passed over. (PyTorch's own
    ``torch.func`` transforms refuse to run inside, as under any hook on saved tensors.)

    Example::

        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> x = torch.ones(2, requires_grad=True)
        >>> with observe.verify():
        ...     h = x * 1
        ...     y = (h * h).sum()
        >>> h.data.zero_()
        tensor([0., 0.])
        >>> y.backward()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        RuntimeError: a value of shape [2] that Mul kept for backward has changed since...
    """

    def __init__(self, engine=None):
        self.engines = engines.present() if engine is None else [engines.choose(None, engine)]
        self._hooks = None

    def __enter__(self):
        with contextlib.ExitStack() as opened:
            for engine in self.engines:
                opened.enter_context(engine.saved_hooks(functools.partial(self._keep, engine), self._use))
            self._hooks = opened.pop_all()
        return self

    def __exit__(self, *error):
        self._hooks.close()

    def _keep(self, engine, tensor):
        if not engine.is_measured(tensor):
            return engine, tensor, None, None, ""
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(engine.packages):
            frame = frame.f_back
        return engine, tensor, self._digest(engine, tensor), (frame.f_code, frame.f_lasti), engine.saving()

    def _digest(self, engine, tensor):
        return hashlib.blake2b(engine.array(tensor).tobytes(), digest_size=16).digest()

    def _use(self, kept):
        engine, tensor, digest, where, op = kept
        if digest is not None and self._digest(engine, tensor) != digest:
            place = place_of(where)
            raise RuntimeError(
                f"a value of shape {list(tensor.shape)} that {op or 'an operator'} kept for backward has changed since\n"
                f"It was kept at {place}. The write may have gone by the version counter: look for .data, for NumPy arrays that share the "
                "memory, and for what writes into them; or write to a clone."
            )
        return tensor
