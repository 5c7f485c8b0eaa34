"""Einstein summation.

The equation is read into numbers for its subscripts; every operand becomes a tensor whose dimensions stand in one order (the
output's subscripts first, then the summed ones, absent ones of size 1; repeated subscripts are diagonals); then operands are multiplied two
by two. A subscript that no later operand has and the output lacks is summed at once, and where both have it the sum is a product
of matrices, so that an ordinary contraction is one call of BLAS. All steps are differentiable operators.
"""
from ..tensor import Tensor
from .declare import composite
from .matmul import bmm

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
                raise RuntimeError(f"einsum(): found '.' for operand {len(found)} for which an ellipsis was already found")
            if equation[i:i + 3] != "..." or i + 3 > stop:
                raise RuntimeError(f"einsum(): found '.' for operand {len(found)} that is not part of any ellipsis")
            current.append(_ELLIPSIS)
            i += 2
        elif c != " ":
            if not _is_letter(c):
                raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in "
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
                raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in "
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
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return made
    operands = list(arguments[:len(arguments) // 2 * 2:2])
    inputs = [codes(s) for s in arguments[1::2]]
    output = codes(arguments[-1]) if len(arguments) % 2 else None
    return inputs, output, operands


@composite
def einsum(*args):
    """Sums of products of tensors, given by subscripts: ``einsum("ij,jk->ik", a, b)`` is ``a @ b``.

    A subscript that is missing on the right is summed; without ``->`` those that appear once stay, in alphabetical order; ``...``
    stands for further dimensions, which broadcast; a subscript twice in one operand is its diagonal. The form with lists of numbers,
    ``einsum(a, [0, 1], b, [1, 2], [0, 2])``, says the same. RuntimeError when the equation does not fit.

    Example::

        >>> import rushlight as torch
        >>> torch.einsum("ij->j", torch.tensor([[1., 2.], [3., 4.]]))
        tensor([4., 6.])
    """
    if len(args) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand and its "
                         "subscripts list")
    if isinstance(args[0], Tensor):
        inputs, output, operands = _from_lists(args)
    else:
        operands = list(args[1:])
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = list(operands[0])
        equation = args[0]
        arrow = equation.find("->")
        inputs = _read_operands(equation, len(equation) if arrow < 0 else arrow)
        output = None if arrow < 0 else _read_output(equation, arrow + 2)
    for i, t in enumerate(operands):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(t).__name__}\nWrap it with torch.tensor.")
    if len(inputs) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(inputs) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return _contracted(inputs, output, operands)


def _contracted(inputs, output, operands):
    extra = _ellipsis_length(inputs, operands)
    order = _order_of_output(inputs, output, extra)
    kept = len(order)
    summed = sorted({c for subscripts in inputs for c in subscripts if c != _ELLIPSIS} - set(order))
    order = {c: i for i, c in enumerate([*order, *summed])}
    ready = [_arranged(t, subscripts, order, extra, k) for k, (t, subscripts) in enumerate(zip(operands, inputs))]
    _check_sizes(ready, inputs, order, extra)
    dtype = operands[0]._a.dtype
    # For each summed dimension the last operand that has it: there it can go.
    last = {d: max((k for k, t in enumerate(ready) if t._a.shape[d] != 1), default=0) for d in range(kept, len(order))}
    made = ready[0]
    gone = [d for d in last if last[d] == 0]
    if gone and made._a.ndim:
        made = made.sum(gone, keepdim=True)
    for k, t in enumerate(ready[1:], 1):
        if t._a.dtype != dtype:
            raise RuntimeError(f"expected scalar type {operands[0].dtype.scalar_name} but found {t.dtype.scalar_name}"
                               "\nConvert one of them with .to(dtype).")
        made = _product(made, t, [d for d in last if last[d] == k])
    if len(order) > kept:
        made = made.reshape(made._a.shape[:kept])
    return made.permute(list(range(made._a.ndim))) if made is operands[0] else made      # a view, as PyTorch's


def _ellipsis_length(inputs, operands):
    """How many dimensions ``...`` stands for."""
    longest = 0
    for k, (t, subscripts) in enumerate(zip(operands, inputs)):
        named = sum(c != _ELLIPSIS for c in subscripts)
        ndim = t._a.ndim
        if _ELLIPSIS in subscripts:
            if named > ndim:
                raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) is more than the number of "
                                   f"dimensions ({ndim}) for operand {k}")
            longest = max(longest, ndim - named)
        elif named != ndim:
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) does not match the number of dimensions "
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
            raise RuntimeError(f"einsum(): output subscript {_letter(c)} appears more than once in the output")
        if c not in seen:
            raise RuntimeError(f"einsum(): output subscript {_letter(c)} does not appear in the equation for any input operand")
        order.append(c)
    return order


def _arranged(t, subscripts, order, extra, k):
    """The operand with its dimensions in ``order``; those it lacks have size 1. An ellipsis that the output lacks is summed."""
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
        if first < d:                                   # a repeated subscript: its diagonal takes both places
            n, m = t._a.shape[first], t._a.shape[d]
            if n != m:
                if n != 1 and m != 1:
                    raise RuntimeError(f"einsum(): subscript {_letter(labels[d])} is repeated for operand {k} but the sizes don't "
                                       f"match, {m} != {n}")
                shape = list(t._a.shape)
                shape[first] = shape[d] = max(n, m)
                t = t.expand(shape)
            t = t.diagonal(0, first, d).movedim(-1, first)
            del labels[d]
        else:
            d += 1
    lost = [d for d, c in enumerate(labels) if c not in order]
    if lost:
        t = t.sum(lost)
        labels = [c for c in labels if c in order]
    places = sorted(range(len(labels)), key=lambda d: order[labels[d]])
    if places != list(range(len(places))):
        t = t.permute(places)
    shape = [1] * len(order)
    for d, place in enumerate(places):
        shape[order[labels[place]]] = t._a.shape[d]
    return t if tuple(shape) == t._a.shape else t.reshape(shape)


def _check_sizes(ready, inputs, order, extra):
    names = {i: c for c, i in order.items()}
    for d in range(len(order)):
        size = 1
        for k, t in enumerate(ready):
            n = t._a.shape[d]
            if n != 1 and size not in (1, n):
                if isinstance(names[d], tuple):
                    raise RuntimeError(f"einsum(): dimension {names[d][1]} covered by ellipsis in operand {k}has size {n} which does not "
                                       f"broadcast with previously seen ellipsis with size {size} for the respective dimension")
                raise RuntimeError(f"einsum(): subscript {_letter(names[d])} has size {n} for operand {k} which does not broadcast with "
                                   f"previously seen size {size}")
            size = n if n != 1 else size


def _product(a, b, gone):
    """The product of two arranged operands, summed over the dimensions ``gone``: a stack of products of matrices.

    Dimensions are sorted into those of both (the stack), of one alone (rows, columns), and summed ones of both (inside).
    """
    for d in gone:                                       # a sum over what only one of them has needs no product
        if a._a.shape[d] == 1 != b._a.shape[d]:
            b = b.sum(d, keepdim=True)
        elif b._a.shape[d] == 1 != a._a.shape[d]:
            a = a.sum(d, keepdim=True)
    x, y = a._a.shape, b._a.shape
    inside = [d for d in gone if x[d] != 1]
    if not inside:
        return a * b
    stack, rows, columns = [], [], []
    for d in range(len(x)):
        if d in inside or d in gone:
            continue
        (stack if x[d] != 1 and y[d] != 1 else rows if x[d] != 1 else columns).append(d)
    sizes = [_size(x[d] for d in stack), _size(x[d] for d in rows), _size(x[d] for d in inside), _size(y[d] for d in columns)]
    rest = [d for d in gone if d not in inside]
    left = a.permute(stack + rows + inside + columns + rest).reshape(sizes[:3])
    right = b.permute(stack + inside + columns + rows + rest).reshape((sizes[0], sizes[2], sizes[3]))
    made = bmm.public(left, right)
    order = stack + rows + columns + inside + rest
    made = made.reshape([x[d] for d in stack + rows] + [y[d] for d in columns] + [1] * (len(inside) + len(rest)))
    back = [order.index(d) for d in range(len(order))]
    return made if back == list(range(len(back))) else made.permute(back)


def _size(sizes):
    made = 1
    for n in sizes:
        made *= n
    return made


