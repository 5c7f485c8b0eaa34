"""Generators of random numbers, and the default one.

``manual_seed(0)`` gives the numbers that PyTorch's CPU generator gives: see ``kernels.random`` for where each stream comes from.
"""
import contextlib

from .device import check, device
from .kernels import random as kernel
from .tensor import Tensor, wrap

__all__ = ["Generator", "default_generator", "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "fork_rng"]


class Generator:
    """A stream of random numbers of its own, for ``generator=`` arguments.

    Example::

        >>> import rushlight as torch
        >>> g = torch.Generator().manual_seed(0)
        >>> torch.rand(2, generator=g)
        tensor([0.4963, 0.7682])
    """

    __module__ = "torch"
    __slots__ = ("_engine", "__weakref__")

    def __init__(self, device=None):
        check(device)
        self._engine = kernel.Engine()

    @property
    def device(self):
        return device("cpu")

    def manual_seed(self, seed):
        """Begin the stream that belongs to ``seed`` (an int; negative ones wrap to 64 bits); returns the generator."""
        self._engine.manual_seed(_checked_seed(seed))
        return self

    def seed(self):
        """Begin a stream that nobody can foresee; returns its seed."""
        return self._engine.seed()

    def initial_seed(self):
        """The seed that the stream began with."""
        return self._engine.initial_seed()

    def get_state(self):
        """The whole state as a uint8 tensor, PyTorch's bytes."""
        return wrap(self._engine.get_state())

    def set_state(self, new_state):
        """Continue from a state that ``get_state`` gave."""
        self._engine.set_state(_checked_state(new_state))
        return self

    def graphsafe_get_state(self):
        return self

    def clone_state(self):
        """Another generator that continues as this one would."""
        made = Generator()
        made._engine = self._engine.clone()
        return made

    def __reduce__(self):
        return _rebuild, (self._engine.get_state().tobytes(),)

    def __repr__(self):
        return f"<torch._C.Generator object at {hex(id(self))}>"


def _rebuild(state):
    made = Generator()
    made._engine.set_state(kernel.np.frombuffer(state, "uint8"))
    return made


def _checked_seed(seed):
    if not isinstance(seed, int):
        if isinstance(seed, Tensor) or hasattr(seed, "__index__"):
            return int(seed)
        if isinstance(seed, float):
            return int(seed)
        raise TypeError(f"manual_seed(): argument 'seed' must be int, not {type(seed).__name__}\nPass a whole number.")
    if not -(1 << 63) <= seed < 1 << 64:
        raise RuntimeError("Overflow when unpacking long long\nA seed has 64 bits.")
    return seed


def _checked_state(state):
    if not isinstance(state, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {type(state).__name__}\nPass what get_rng_state returned.")
    return state._a


default_generator = Generator()


def engine_of(generator):
    """The engine of a ``generator=`` argument; None stands for the default one."""
    if generator is None:
        return default_generator._engine
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}\nMake one with torch.Generator().")
    return generator._engine


def manual_seed(seed):
    """Begin the default stream that belongs to ``seed``; returns the default generator.

    Example::

        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.rand(2)
        tensor([0.4963, 0.7682])
    """
    return default_generator.manual_seed(seed)


def seed():
    """Begin a default stream that nobody can foresee; returns its seed."""
    return default_generator.seed()


def initial_seed():
    """The seed of the default stream."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state, as a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Continue the default stream from a state that ``get_rng_state`` gave."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    """Context manager: random numbers drawn inside leave the default generator as it was.

    ``devices`` names other hardware; there is none, so it must be empty.
    """
    if not enabled:
        yield
        return
    before = default_generator._engine.get_state()
    try:
        yield
    finally:
        default_generator._engine.set_state(before)
