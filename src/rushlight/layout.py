"""Layouts and memory formats: names for how elements lie in memory.

There is one layout, ``strided``. Memory formats ask for an order of the dimensions in a new tensor:
``contiguous_format`` (last dimension innermost), ``channels_last`` (images with their channels innermost),
``channels_last_3d``, ``preserve_format`` (as the tensor it is made from).
"""

__all__ = ["layout", "memory_format", "strided", "contiguous_format", "preserve_format", "channels_last",
           "channels_last_3d", "check_layout", "format_order"]


class _Named:
    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return "torch." + self._name

    def __reduce__(self):
        return _by_name, (self._name,)


class layout(_Named):
    """How a tensor is stored: ``strided`` is the only one."""

    __slots__ = ()
    __module__ = "torch"


class memory_format(_Named):
    """An order of the dimensions in memory."""

    __slots__ = ()
    __module__ = "torch"


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def _by_name(name):
    return globals()[name]


def check_layout(given):
    """Raise unless ``given`` is None or ``strided``."""
    if given is not None and given is not strided:
        raise TypeError(f"argument 'layout' must be torch.layout, not {type(given).__name__}"
                        "\nrushlight has torch.strided only.")


def format_order(wanted, ndim):
    """Dimensions from outermost to innermost that ``wanted`` asks for; None for the ordinary order.

    RuntimeError if the number of dimensions does not fit.
    """
    if wanted is None or wanted is contiguous_format:
        return None
    if wanted is channels_last:
        if ndim != 4:
            raise RuntimeError("required rank 4 tensor to use channels_last format\n"
                               f"This one has {ndim} dimensions.")
        return 0, 2, 3, 1
    if wanted is channels_last_3d:
        if ndim != 5:
            raise RuntimeError("required rank 5 tensor to use channels_last_3d format\n"
                               f"This one has {ndim} dimensions.")
        return 0, 2, 3, 4, 1
    if wanted is preserve_format:
        raise RuntimeError("torch.preserve_format has no meaning here: there is no tensor whose order to keep"
                           "\nPass torch.contiguous_format.")
    raise TypeError(f"memory_format must be torch.memory_format, not {type(wanted).__name__}")
