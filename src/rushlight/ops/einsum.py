"""Einstein summation.

The equation is read into numbers for its subscripts, and operands are multiplied two by two from the left,
each with a list that names its dimensions. A subscript twice in one operand is a diagonal. One that no later
operand has and the output lacks is summed at once; where both operands have it, the sum is a product of
matrices: dimensions of both that stay are the stack, those of one alone the rows and columns, the summed ones
the inside. So an ordinary contraction is one call of BLAS and little else. All steps are differentiable
operators.
"""
import functools

import numpy as np

from ..autograd import modes
from ..tensor import Tensor, wrap
from .declare import composite
from .functional_form import F32, F64
from .matmul import VIEWED, VIEWED_STACK
from .products import arranged

__all__ = []

_ELLIPSIS = 52


def _letter(code):
    return chr(ord("A") + code) if code < 26 else chr(ord("a") + code - 26)


def _code(letter):
    return ord(letter) - ord("A") if letter.isupper() else ord(letter) - ord("a") + 26


def _is_letter(c):
    return "A" <= c <= "Z" or "a" <= c <= "z"


def _read_operands(equation, stop):
    """A list of subscripts (with ``_ELLIPSIS`` among them) for each operand in the left side."""
    found, current = [], []
    i = 0
    while i < stop:
        c = equation[i]
        if c == ",":
            found.append(current)
            current = []
        elif c == ".":
            if _ELLIPSIS in current:
                raise RuntimeError(f"einsum(): found '.' for operand {len(found)} for which an ellipsis was "
                                   "already found")
            if equation[i:i + 3] != "..." or i + 3 > stop:
                raise RuntimeError(f"einsum(): found '.' for operand {len(found)} that is not part of any "
                                   "ellipsis")
            current.append(_ELLIPSIS)
            i += 2
        elif c != " ":
            if not _is_letter(c):
                raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, "
                                   "subscripts must be in "
                                   "[a-zA-Z]")
            current.append(_code(c))
        i += 1
    return [*found, current]


def _read_output(equation, start):
    """The subscripts of the right side."""
    made = []
    i = start
    while i < len(equation):
        c = equation[i]
        if c == ".":
            if _ELLIPSIS in made:
                raise RuntimeError("einsum(): found '.' for output but an ellipsis (...) was already found")
            if equation[i:i + 3] != "...":
                raise RuntimeError("einsum(): found '.' for output that is not part of any ellipsis (...)")
            made.append(_ELLIPSIS)
            i += 2
        elif c != " ":
            if not _is_letter(c):
                raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, "
                                   "subscripts must be in "
                                   "[a-zA-Z]")
            made.append(_code(c))
        i += 1
    return made


def _from_lists(arguments):
    """(subscripts of the operands, of the output or None, operands) of the form with lists of numbers."""
    def codes(given):
        made = []
        for s in given:
            if s is Ellipsis:
                made.append(_ELLIPSIS)
            elif isinstance(s, int) and 0 <= s < 52:
                made.append(s)
            else:
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, "
                                 "52)")
        return made
    operands = list(arguments[:len(arguments) // 2 * 2:2])
    inputs = [codes(s) for s in arguments[1::2]]
    output = codes(arguments[-1]) if len(arguments) % 2 else None
    return inputs, output, operands


@composite
def einsum(*args):
    """Sums of products of tensors, given by subscripts: ``einsum("ij,jk->ik", a, b)`` is ``a @ b``.

    A subscript that is missing on the right is summed; without ``->`` those that appear once stay, in
    alphabetical order; ``...`` stands for further dimensions, which broadcast; a subscript twice in one
    operand is its diagonal. The form with lists of numbers, ``einsum(a, [0, 1], b, [1, 2], [0, 2])``, says
    the same. RuntimeError when the equation does not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.einsum("ij->j", torch.tensor([[1., 2.], [3., 4.]]))
        tensor([4., 6.])
    """
    if len(args) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least "
                         "one operand and its "
                         "subscripts list")
    first = args[0]
    if first.__class__ is str and len(args) > 2 and modes.plain:
        made = _small(first, args[1:])
        if made is not None:
            return made
    if isinstance(first, Tensor):
        inputs, output, operands = _from_lists(args)
    else:
        operands = list(args[1:])
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = list(operands[0])
        inputs, output = _read(first)
    for i, t in enumerate(operands):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(t).__name__}\nWrap "
                            "it with torch.tensor.")
    if len(inputs) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(inputs) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return _contracted(inputs, output, operands)


@functools.lru_cache(maxsize=512)
def _read(equation):
    """(subscripts of each operand, of the output or None)."""
    arrow = equation.find("->")
    inputs = _read_operands(equation, len(equation) if arrow < 0 else arrow)
    return inputs, None if arrow < 0 else _read_output(equation, arrow + 2)


_SMALL = 256


def _small(equation, operands):
    """The result by NumPy's loop, for few elements without history; None where that does not serve.

    It is only for what the long way would take too: letters, two operands or more, equal sizes.
    """
    arrays = []
    dtype = None
    for t in operands:
        if t.__class__ is not Tensor:
            return None
        array = t._a
        if dtype is None:
            dtype = array.dtype
            if dtype is not F32 and dtype is not F64:
                return None
        if t._rg and modes.state.grad or array.dtype is not dtype or array.size > _SMALL:
            return None
        arrays.append(array)
    letters = _letters(equation)
    if letters is None or len(letters) != len(arrays):
        return None
    sizes = {}
    for names, array in zip(letters, arrays):
        if len(names) != array.ndim:
            return None
        for c, n in zip(names, array.shape):
            if sizes.setdefault(c, n) != n:
                return None
    work = 1
    for n in sizes.values():
        work *= n
    return wrap(np.asarray(np.einsum(equation, *arrays))) if work <= 16 * _SMALL else None


@functools.lru_cache(maxsize=512)
def _letters(equation):
    """The letters of each operand; None for an equation with more than letters, or one that needs a word of
    PyTorch's.
    """
    left, arrow, right = equation.partition("->")
    if not arrow or any(not _is_letter(c) for c in left.replace(",", "")
                        + right) or len(set(right)) < len(right) \
            or not set(right) <= set(left):
        return None
    return left.split(",")


def _contracted(inputs, output, operands):
    extra = _ellipsis_length(inputs, operands)
    order = _order_of_output(inputs, output, extra)
    ready = [_labelled(t, subscripts, extra, k) for k, (t, subscripts) in enumerate(zip(operands, inputs))]
    _check_sizes(ready)
    last = {c: k for k, (_, labels) in enumerate(ready) for c in labels if c not in order}
    made, labels = _summed(*ready[0], [c for c in last if last[c] == 0])
    for k in range(1, len(ready)):
        t, others = ready[k]
        made, labels = _product(made, labels, t, others, [c for c in last if last[c] == k])
    sizes = dict(zip(labels, made._a.shape))
    places = [labels.index(c) for c in order if c in sizes]
    if places != list(range(len(places))) or made is operands[0]:
        made = made.permute(places)                      # of a lone operand this is a view, as PyTorch's
    return arranged(made, None, tuple(sizes.get(c, 1) for c in order))


def _ellipsis_length(inputs, operands):
    """How many dimensions ``...`` stands for."""
    longest = 0
    for k, (t, subscripts) in enumerate(zip(operands, inputs)):
        named = sum(c != _ELLIPSIS for c in subscripts)
        ndim = t._a.ndim
        if _ELLIPSIS in subscripts:
            if named > ndim:
                raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) is more "
                                   "than the number of "
                                   f"dimensions ({ndim}) for operand {k}")
            longest = max(longest, ndim - named)
        elif named != ndim:
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) does not match "
                               "the number of dimensions "
                               f"({ndim}) for operand {k} and no ellipsis was given")
    return longest


def _order_of_output(inputs, output, extra):
    """The output's subscripts; the dimensions of the ellipsis are ("...", i)."""
    dots = [("...", i) for i in range(extra)]
    seen = [c for subscripts in inputs for c in subscripts if c != _ELLIPSIS]
    if output is None:
        return dots + sorted(c for c in set(seen) if seen.count(c) == 1)
    order = []
    for c in output:
        if c == _ELLIPSIS:
            order += dots
            continue
        if c in order:
            raise RuntimeError(f"einsum(): output subscript {_letter(c)} appears more than once in the "
                               "output")
        if c not in seen:
            raise RuntimeError(f"einsum(): output subscript {_letter(c)} does not appear in the equation for "
                               "any input operand")
        order.append(c)
    return order


def _labelled(t, subscripts, extra, k):
    """(the operand with diagonals taken, a label for each dimension); the dimensions of an ellipsis are
    ("...", i).
    """
    named = sum(c != _ELLIPSIS for c in subscripts)
    labels = []
    for c in subscripts:
        if c == _ELLIPSIS:
            length = t._a.ndim - named
            labels += [("...", extra - length + i) for i in range(length)]
        else:
            labels.append(c)
    d = 0
    while d < len(labels):
        first = labels.index(labels[d])
        if first == d:
            d += 1
            continue
        n, m = t._a.shape[first], t._a.shape[d]          # a repeated subscript
        if n != m:
            if n != 1 and m != 1:
                raise RuntimeError(f"einsum(): subscript {_letter(labels[d])} is repeated for operand {k} "
                                   "but the sizes don't "
                                   f"match, {m} != {n}")
            shape = list(t._a.shape)
            shape[first] = shape[d] = max(n, m)
            t = t.expand(shape)
        t = t.diagonal(0, first, d).movedim(-1, first)
        del labels[d]
    return t, labels


def _check_sizes(ready):
    sizes = {}
    for k, (t, labels) in enumerate(ready):
        for c, n in zip(labels, t._a.shape):
            size = sizes.get(c, 1)
            if n != 1 and size not in (1, n):
                if isinstance(c, tuple):
                    raise RuntimeError(f"einsum(): dimension {c[1]} covered by ellipsis in operand {k}has "
                                       f"size {n} which does not "
                                       f"broadcast with previously seen ellipsis with size {size} for the "
                                       "respective dimension")
                raise RuntimeError(f"einsum(): subscript {_letter(c)} has size {n} for operand {k} which "
                                   "does not broadcast with "
                                   f"previously seen size {size}")
            sizes[c] = n if n != 1 else size


def _summed(t, labels, gone):
    """The operand summed over the labels in ``gone`` that it has."""
    dims = [d for d, c in enumerate(labels) if c in gone]
    if not dims:
        return t, labels
    return t.sum(dims), [c for c in labels if c not in gone]


def _product(a, la, b, lb, gone):
    """(the product of two operands summed over the labels in ``gone``, its labels)."""
    sizes_a, sizes_b = dict(zip(la, a._a.shape)), dict(zip(lb, b._a.shape))
    for c in la:                  # where sizes differ one is 1 and broadcasts: it is left out
        if c in sizes_b and sizes_a[c] != sizes_b[c]:
            if sizes_a[c] == 1:
                del sizes_a[c]
            else:
                del sizes_b[c]
    if len(sizes_a) < len(la):
        a, la = _dropped(a, la, sizes_a)
    if len(sizes_b) < len(lb):
        b, lb = _dropped(b, lb, sizes_b)
    a, la = _summed(a, la, [c for c in gone if c not in sizes_b])
    b, lb = _summed(b, lb, [c for c in gone if c not in sizes_a])
    inside = [c for c in la if c in gone]
    if a._a.dtype != b._a.dtype and all(sizes_a[c] == 1 for c in inside):      # nothing to sum: plain multiplication, which promotes
        a, la = _dropped(a, la, [c for c in la if c not in inside])
        b, lb = _dropped(b, lb, [c for c in lb if c not in inside])
        inside = []
    stack = [c for c in la if c in sizes_b and c not in gone]
    rows = [c for c in la if c not in sizes_b]
    columns = [c for c in lb if c not in sizes_a]
    shape = (*(sizes_a[c] for c in stack + rows), *(sizes_b[c] for c in columns))
    labels = stack + rows + columns
    order_a = [la.index(c) for c in stack + rows + inside]
    if not inside:
        order_b = [lb.index(c) for c in stack + columns]
        left = arranged(a, order_a, (*(sizes_a[c] for c in stack + rows), *(1 for _ in columns)))
        right = arranged(b, order_b,
                         (*(sizes_b[c] for c in stack), *(1 for _ in rows), *(sizes_b[c] for c in columns)))
        return left * right, labels
    if a._a.dtype != b._a.dtype:                         # a product of matrices promotes nothing
        raise RuntimeError(f"expected scalar type {a.dtype.scalar_name} but found {b.dtype.scalar_name}"
                           "\nConvert one of them with .to(dtype).")
    depth, height = _size(sizes_a[c] for c in inside), _size(sizes_a[c] for c in rows)
    width = _size(sizes_b[c] for c in columns)
    order_b = [lb.index(c) for c in stack + inside + columns]
    if not stack:
        made = VIEWED.public(arranged(a, order_a, (height, depth)), arranged(b, order_b, (depth, width)))
    else:
        count = _size(sizes_a[c] for c in stack)
        made = VIEWED_STACK.public(arranged(a, order_a, (count, height, depth)),
                                   arranged(b, order_b, (count, depth, width)))
    return arranged(made, None, shape), labels


def _dropped(t, labels, kept):
    """The operand without the dimensions (of size 1) whose labels are not in ``kept``."""
    return t.reshape([n for c, n in zip(labels, t._a.shape) if c in kept]), [c for c in labels if c in kept]


def _size(sizes):
    made = 1
    for n in sizes:
        made *= n
    return made
