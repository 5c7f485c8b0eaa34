"""Which of several equal elements a selection names.

PyTorch's ``sort`` (unless ``stable``), ``topk``, ``mode`` and ``kthvalue`` use the algorithms of its C++
library: introsort, introselect, heaps, quickselect. Where elements are equal, their index is whatever those
algorithms leave in place; the value is the same, but the index decides which element gets the gradient. These
are the same algorithms on small rows. They are Python, so the callers use them only for rows with equal
elements and only up to ``WORK`` elements altogether; beyond, the first of equals is named, which is as right
and much faster.

A row is a list of pairs (key, index); only keys are compared, and only by ``<``, so NaN keys behave as in
C++.
"""
import numpy as np

__all__ = ["WORK", "equals", "ranks", "topk_row", "sorted_row", "kth_row"]

WORK = 8192
_FEW = 16       # below this many, insertion


def equals(ordered):
    """Marks of the elements of sorted rows that equal the next one; NaN equals NaN."""
    same = ordered[..., 1:] == ordered[..., :-1]
    if ordered.dtype.kind == "f":
        nan = ordered != ordered
        if nan.any():
            same |= nan[..., 1:] & nan[..., :-1]
    return same


def ranks(same, order):
    """Keys that compare as the elements of a row do, from the marks and the order of ``equals``."""
    keys = np.zeros(len(order), np.int64)
    keys[order[1:]] = np.add.accumulate(~same)
    return keys


def row_of(keys):
    """The list that the functions here rearrange."""
    return list(zip(keys.tolist(), range(len(keys))))


def _insert_sort(a, first, last):
    for i in range(first + 1, last):
        x = a[i]
        if x[0] < a[first][0]:
            a[first + 1:i + 1] = a[first:i]
            a[first] = x
        else:
            _sink(a, i)


def _sink(a, i):
    """Move a[i] to the left past what is greater; something not greater is known to be there."""
    x = a[i]
    while x[0] < a[i - 1][0]:
        a[i] = a[i - 1]
        i -= 1
    a[i] = x


def _cut(a, first, last):
    """Partition around the median of three; returns where the right part begins."""
    middle = first + (last - first) // 2
    p, q, r = a[first + 1][0], a[middle][0], a[last - 1][0]
    if p < q:
        chosen = middle if q < r else last - 1 if p < r else first + 1
    else:
        chosen = first + 1 if p < r else last - 1 if q < r else middle
    a[first], a[chosen] = a[chosen], a[first]
    pivot = a[first][0]
    low, high = first + 1, last
    while True:
        while a[low][0] < pivot:
            low += 1
        high -= 1
        while pivot < a[high][0]:
            high -= 1
        if low >= high:
            return low
        a[low], a[high] = a[high], a[low]
        low += 1


def _settle(a, first, hole, length, x):
    """Let the hole fall to the bottom of the heap, then rise with ``x`` as far as it must."""
    top, child = hole, hole
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if a[first + child][0] < a[first + child - 1][0]:
            child -= 1
        a[first + hole] = a[first + child]
        hole = child
    if length % 2 == 0 and child == (length - 2) // 2:
        child = 2 * child + 1
        a[first + hole] = a[first + child]
        hole = child
    parent = (hole - 1) // 2
    while hole > top and a[first + parent][0] < x[0]:
        a[first + hole] = a[first + parent]
        hole, parent = parent, (parent - 1) // 2
    a[first + hole] = x


def _heap_select(a, first, middle, last):
    """A heap of the least elements in a[first:middle]."""
    length = middle - first
    for parent in range((length - 2) // 2, -1, -1):
        _settle(a, first, parent, length, a[first + parent])
    for i in range(middle, last):
        x = a[i]
        if x[0] < a[first][0]:
            a[i] = a[first]
            _settle(a, first, 0, length, x)


def _partial_sort(a, first, middle, last):
    _heap_select(a, first, middle, last)
    while middle - first > 1:
        middle -= 1
        x = a[middle]
        a[middle] = a[first]
        _settle(a, first, 0, middle - first, x)


def _nth(a, nth, last):
    """Bring the element of rank ``nth`` to its place."""
    first = 0
    depth = 2 * (last.bit_length() - 1)
    while last - first > 3:
        if depth == 0:
            _heap_select(a, first, nth + 1, last)
            a[first], a[nth] = a[nth], a[first]
            return
        depth -= 1
        cut = _cut(a, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insert_sort(a, first, last)


def _sort(a, last):
    """Sort a[:last]."""
    if last < 2:
        return
    waiting = [(0, last, 2 * (last.bit_length() - 1))]
    while waiting:
        first, end, depth = waiting.pop()
        while end - first > _FEW:
            if depth == 0:
                _partial_sort(a, first, end, end)
                break
            depth -= 1
            cut = _cut(a, first, end)
            waiting.append((cut, end, depth))
            end = cut
    _insert_sort(a, 0, min(last, _FEW))
    for i in range(_FEW, last):
        _sink(a, i)


def topk_row(keys, k, in_order):
    """The indices of the ``k`` least keys."""
    a = row_of(keys)
    n = len(a)
    if k == 0:
        return []
    if k * 64 <= n:
        _partial_sort(a, 0, k, n)
    else:
        _nth(a, k - 1, n)
        if in_order:
            _sort(a, k - 1)
    return [i for _, i in a[:k]]


def sorted_row(keys):
    """The indices that sort a row."""
    a = row_of(keys)
    _sort(a, len(a))
    return np.array([i for _, i in a])


def kth_row(keys, k):
    """The index of the key of rank ``k``, by quickselect."""
    a = row_of(keys)
    left, right = 0, len(a) - 1
    while right > left:
        if right == left + 1:
            if a[right][0] < a[left][0]:
                a[left], a[right] = a[right], a[left]
            break
        middle = left + (right - left) // 2
        a[middle], a[left + 1] = a[left + 1], a[middle]
        for one, other in ((left + 1, right), (left, right), (left + 1, left)):
            if a[other][0] < a[one][0]:
                a[one], a[other] = a[other], a[one]
        i, j, pivot = left + 1, right, a[left][0]
        while True:
            i += 1
            while a[i][0] < pivot:
                i += 1
            j -= 1
            while pivot < a[j][0]:
                j -= 1
            if j < i:
                break
            a[i], a[j] = a[j], a[i]
        a[left], a[j] = a[j], a[left]
        if j <= k:
            left = i
        if j >= k:
            right = j - 1
    return a[k][1]
