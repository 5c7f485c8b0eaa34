"""SparseAdam: the name that PyTorch has, and the reason why it is not here."""

from typing import Any, NoReturn

__all__ = ["SparseAdam"]


class SparseAdam:
    """Adam for sparse gradients, which rushlight does not have: making one raises NotImplementedError.

    Example::

        >>> import rushlight as torch
        >>> torch.optim.SparseAdam([torch.zeros(1)])
        Traceback (most recent call last):
        ...
        NotImplementedError: SparseAdam needs sparse gradients, and rushlight's gradients are dense
        Use torch.optim.Adam, and an embedding without sparse=True.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            "SparseAdam needs sparse gradients, and rushlight's gradients are dense\n"
            "Use torch.optim.Adam, and an embedding without sparse=True."
        )
