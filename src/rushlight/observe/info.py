"""What an engine tells of one node of its graph."""

import typing

__all__ = ["Info"]


class Info(typing.NamedTuple):
    """``kind`` ("operator" or "leaf"), operator, shape (a list of shapes for several results), place, bytes saved,
    ids of the items it came from; of an operator the key under which a record knows its results and a function that gives
    the node while it lives; of a leaf the tensor.
    """

    kind: str
    op: str
    shape: typing.Any
    place: typing.Any
    saved: int
    inputs: list
    key: typing.Any = None
    reference: typing.Any = None
    tensor: typing.Any = None
