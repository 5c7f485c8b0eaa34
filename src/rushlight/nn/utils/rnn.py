"""Batches of sequences of different lengths.

A padded batch is a rectangle (T, B, *) with filler behind the ends. A `PackedSequence` holds only what is there:
the rows of all sequences at time 0, then those at time 1, and so on, longest sequence first, so that those which
still run at any time are the first rows. The recurrent layers take either.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np

from rushlight import dtypes
from rushlight.nn._ops import from_numpy, namespaces
from rushlight.ops.packing import padded, rows_of, rows_to
from rushlight.tensor import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpad_sequence",
    "pack_sequence",
    "unpack_sequence",
]

_as_tensor, _sort, _arange = (namespaces["torch"][name] for name in ("as_tensor", "sort", "arange"))


class PackedSequence_(NamedTuple):
    """The fields of a ``PackedSequence``."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


def bind(optional: Any, fn: Callable[[Any], Any]) -> Any:
    """``fn(optional)``, or None for None."""
    return None if optional is None else fn(optional)


class PackedSequence(PackedSequence_):
    """Sequences packed by time, as `pack_padded_sequence` and `pack_sequence` make them.

    Fields:
        data: (total length, *), the rows time by time.
        batch_sizes: how many sequences run at each time; on the CPU.
        sorted_indices, unsorted_indices: how the batch was sorted by length, and back; None if it came so.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])]).data
        tensor([1, 4, 2, 3])
    """

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        return super().__new__(
            cls, *_packed_sequence_init_args(data, batch_sizes, sorted_indices, unsorted_indices)
        )

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Cast or move ``data`` as ``Tensor.to`` does; the same object if there is nothing to do."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def pin_memory(self) -> Self:
        """A copy with its tensors in pinned memory."""
        return type(self)(
            self.data.pin_memory(),
            self.batch_sizes,
            bind(self.sorted_indices, lambda t: t.pin_memory()),
            bind(self.unsorted_indices, lambda t: t.pin_memory()),
        )

    def cuda(self, *args: Any, **kwargs: Any) -> Self:
        """Raises the error of a PyTorch built without CUDA."""
        return self.to(*args, **{**kwargs, "device": "cuda"})

    def cpu(self, *args: Any, **kwargs: Any) -> Self:
        """On the CPU, where it is already."""
        return self.to(*args, **{**kwargs, "device": "cpu"})

    def double(self) -> Self:
        """With ``data`` in float64."""
        return self.to(dtype=dtypes.float64)

    def float(self) -> Self:
        """With ``data`` in float32."""
        return self.to(dtype=dtypes.float32)

    def half(self) -> Self:
        """With ``data`` in float16."""
        return self.to(dtype=dtypes.float16)

    def long(self) -> Self:
        """With ``data`` in int64."""
        return self.to(dtype=dtypes.int64)

    def int(self) -> Self:
        """With ``data`` in int32."""
        return self.to(dtype=dtypes.int32)

    def short(self) -> Self:
        """With ``data`` in int16."""
        return self.to(dtype=dtypes.int16)

    def char(self) -> Self:
        """With ``data`` in int8."""
        return self.to(dtype=dtypes.int8)

    def byte(self) -> Self:
        """With ``data`` in uint8."""
        return self.to(dtype=dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether ``data`` is on a GPU: it is not."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Whether ``data`` is in pinned memory."""
        return self.data.is_pinned()


def _packed_sequence_init_args(
    data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
) -> tuple:
    if unsorted_indices is None:
        unsorted_indices = invert_permutation(sorted_indices)
    if batch_sizes is None:  # (data, batch_sizes) in one
        if not (isinstance(data, (list, tuple)) and len(data) == 2):
            raise AssertionError("Expected data to be a list or tuple of length 2")
        data, batch_sizes = data
    elif batch_sizes.device.type != "cpu":
        raise ValueError(
            "batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
            "manually. They should be instantiated by functions like pack_sequence and "
            "pack_padded_sequences in nn.utils.rnn. "
            "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
        )
    return data, batch_sizes, sorted_indices, unsorted_indices


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes ``permutation``; None of None.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    made = np.empty_like(permutation._a)
    made[permutation._a] = np.arange(made.size)
    return from_numpy(made)


def _places(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(time, sequence) of each packed row, for the numbers of sequences at each time."""
    ends = np.cumsum(counts)
    times = np.repeat(np.arange(len(counts)), counts)
    sequences = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
    return times, sequences


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch.

    Args:
        input: (T, B, *), or (B, T, *) if ``batch_first``.
        lengths: the length of each sequence, a list or a 1-D tensor.
        enforce_sorted: the batch must come sorted by length, longest first; else it is sorted here, and
            `pad_packed_sequence` puts it back.

    Raises RuntimeError for lengths that are not positive, not sorted, or do not fit the batch.
    """
    if isinstance(lengths, Tensor):
        lengths = lengths.to(dtype=dtypes.int64)
    else:
        lengths = _as_tensor(lengths, dtype=dtypes.int64)
    batch_dim = 0 if batch_first else 1
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = _sort(lengths, descending=True)
        input = input.index_select(batch_dim, sorted_indices)
    counts = _batch_sizes(input, lengths._a, batch_dim)
    times, sequences = _places(counts)
    if batch_first:
        input = input.transpose(0, 1)
    return PackedSequence(rows_of(input, times, sequences), from_numpy(counts), sorted_indices, None)


def _batch_sizes(input: Tensor, lengths: np.ndarray, batch_dim: int) -> np.ndarray:
    """How many sequences run at each time; RuntimeError for lengths that make no sense."""
    if lengths.ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.ndim}D cpu Long tensor"
        )
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    batch = input.size(batch_dim)
    if len(lengths) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={batch})"
        )
    if lengths.min() <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (lengths[1:] > lengths[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
            "requirement if you do not need ONNX exportability."
        )
    if lengths[0] > input.size(1 - batch_dim):
        raise RuntimeError(
            f"Expected lengths of at most {input.size(1 - batch_dim)}, the length of the padded batch, "
            f"but got {lengths[0]}"
        )
    return (lengths[None, :] > np.arange(lengths[0])[:, None]).sum(1)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The inverse of `pack_padded_sequence`: (padded batch, lengths), in the batch's first order.

    ``total_length``: pad to this length; ValueError if a sequence is longer.
    """
    counts = sequence.batch_sizes._a
    longest = len(counts)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    batch = int(counts[0]) if len(counts) else 0
    times, sequences = _places(counts)
    out = rows_to(sequence.data, times, sequences, (longest, batch), padding_value)
    if batch_first:
        out = out.transpose(0, 1)
    lengths = from_numpy((counts[:, None] > np.arange(batch)).sum(0))
    back = sequence.unsorted_indices
    if back is not None:
        return out.index_select(0 if batch_first else 1, back), lengths[back]
    return out, lengths


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Put sequences of shape (L_i, *) side by side, padded to the longest: (T, B, *), or (B, T, *).

    Example::

        >>> import rushlight as torch
        >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
        tensor([[1, 2],
                [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    return padded(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded batch, without their padding.

    As in PyTorch, without ``batch_first`` the batch that is given is transposed in place.
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    if len(padded_sequences) != len(lengths):
        raise ValueError("zip() argument 2 is " + (
            "shorter" if len(lengths) < len(padded_sequences) else "longer") + " than argument 1")
    places = _arange(padded_sequences.shape[1])
    return [sequence[places < length] for sequence, length in zip(padded_sequences, lengths)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences of shape (L_i, *), longest first unless ``enforce_sorted=False``."""
    lengths = _as_tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The inverse of `pack_sequence`: the list of sequences in their first order."""
    batch, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(batch, lengths, batch_first=True)
