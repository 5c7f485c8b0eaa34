"""The k largest of a row, in the order in which PyTorch's ``topk`` on the CPU returns them, ties included.

PyTorch selects with the C++ library's ``std::partial_sort``, or with ``std::nth_element`` followed by
``std::sort``. Neither keeps equal elements in order, so where keys are equal (zero weights, float16 keys) the
algorithms of libstdc++ are followed step by step. Without ties any sort gives the same indices.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["largest"]

Pair = tuple[float, int]  # key and index; the greater key comes first
_SORT_THRESHOLD = 16


def largest(keys: NDArray[Any], k: int) -> NDArray[Any]:
    """The indices of the `k` largest of the 1-D `keys` (which hold no NaN), largest first."""
    order = np.argsort(-keys, kind="stable")
    ranked = keys[order[: k + 1]]
    if (ranked[1:] != ranked[:-1]).all():
        return order[:k]
    return np.array(
        [index for _, index in _top(list(zip(keys.tolist(), range(keys.size), strict=True)), k)], np.int64
    )


def _top(items: list[Pair], k: int) -> list[Pair]:
    if k * 64 <= len(items):
        _heap_select(items, 0, k, len(items))
        _sort_heap(items, 0, k)
    else:
        _introselect(items, 0, k - 1, len(items))
        _sort(items, 0, k - 1)
    return items[:k]


def _before(a: Pair, b: Pair) -> bool:
    return a[0] > b[0]


# -- libstdc++'s heaps --------------------------------------------------------------------------------------


def _push_heap(items: list[Pair], first: int, hole: int, top: int, value: Pair) -> None:
    parent = (hole - 1) // 2
    while hole > top and _before(items[first + parent], value):
        items[first + hole] = items[first + parent]
        hole = parent
        parent = (hole - 1) // 2
    items[first + hole] = value


def _adjust_heap(items: list[Pair], first: int, hole: int, length: int, value: Pair) -> None:
    top = hole
    child = hole
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if _before(items[first + child], items[first + child - 1]):
            child -= 1
        items[first + hole] = items[first + child]
        hole = child
    if length % 2 == 0 and child == (length - 2) // 2:
        child = 2 * (child + 1)
        items[first + hole] = items[first + child - 1]
        hole = child - 1
    _push_heap(items, first, hole, top, value)


def _make_heap(items: list[Pair], first: int, last: int) -> None:
    length = last - first
    for parent in range((length - 2) // 2, -1, -1) if length >= 2 else ():
        _adjust_heap(items, first, parent, length, items[first + parent])


def _pop_heap(items: list[Pair], first: int, last: int, result: int) -> None:
    value = items[result]
    items[result] = items[first]
    _adjust_heap(items, first, 0, last - first, value)


def _heap_select(items: list[Pair], first: int, middle: int, last: int) -> None:
    _make_heap(items, first, middle)
    for i in range(middle, last):
        if _before(items[i], items[first]):
            _pop_heap(items, first, middle, i)


def _sort_heap(items: list[Pair], first: int, last: int) -> None:
    while last - first > 1:
        last -= 1
        _pop_heap(items, first, last, last)


# -- libstdc++'s quicksort and quickselect ------------------------------------------------------------------


def _partition_pivot(items: list[Pair], first: int, last: int) -> int:
    middle = first + (last - first) // 2
    a, b, c = first + 1, middle, last - 1
    if _before(items[a], items[b]):
        median = b if _before(items[b], items[c]) else c if _before(items[a], items[c]) else a
    else:
        median = a if _before(items[a], items[c]) else c if _before(items[b], items[c]) else b
    items[first], items[median] = items[median], items[first]
    pivot = items[first]
    left, right = first + 1, last
    while True:
        while _before(items[left], pivot):
            left += 1
        right -= 1
        while _before(pivot, items[right]):
            right -= 1
        if not left < right:
            return left
        items[left], items[right] = items[right], items[left]
        left += 1


def _insertion_sort(items: list[Pair], first: int, last: int) -> None:
    for i in range(first + 1, last):
        value = items[i]
        if _before(value, items[first]):
            items[first + 1 : i + 1] = items[first:i]
            items[first] = value
            continue
        hole = i
        while _before(value, items[hole - 1]):
            items[hole] = items[hole - 1]
            hole -= 1
        items[hole] = value


def _introselect(items: list[Pair], first: int, nth: int, last: int) -> None:
    depth = 2 * ((last - first).bit_length() - 1)
    while last - first > 3:
        if depth == 0:
            _heap_select(items, first, nth + 1, last)
            items[first], items[nth] = items[nth], items[first]
            return
        depth -= 1
        cut = _partition_pivot(items, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insertion_sort(items, first, last)


def _sort(items: list[Pair], first: int, last: int) -> None:
    if last - first < 2:
        return
    _introsort(items, first, last, 2 * ((last - first).bit_length() - 1))
    # a last pass over nearly sorted items; behind the first 16 it needs no guard, which changes no result
    _insertion_sort(items, first, last)


def _introsort(items: list[Pair], first: int, last: int, depth: int) -> None:
    while last - first > _SORT_THRESHOLD:
        if depth == 0:
            _heap_select(items, first, last, last)
            _sort_heap(items, first, last)
            return
        depth -= 1
        cut = _partition_pivot(items, first, last)
        _introsort(items, cut, last, depth)
        last = cut
