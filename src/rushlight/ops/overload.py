"""One public name over several operators.

Where PyTorch's schema gives a function several forms (``max(x)``, ``max(x, dim)``, ``max(x, other)``), each form is an operator
with its own node; a small function chooses among them. ``overloads`` makes that function the public face of all: it is
what overrides are shown, and what rules reach through ``both``.
"""
from ..tensor import Tensor
from . import table

__all__ = ["overloads", "ABSENT", "wrong_arguments"]


class _Absent:
    """Stands for an argument that was not given."""

    def __repr__(self):
        return "<not given>"


ABSENT = _Absent()


def overloads(*ops, method=True, space="torch"):
    """Make the decorated chooser the public function of ``ops`` (which it calls by their generated functions)."""
    def publish(function):
        function.__module__ = space if space == "torch" else "torch." + space
        for op in ops:
            op.public = function
        function.op = ops[-1]
        table.namespaces[space][function.__name__] = function
        if method:
            setattr(Tensor, function.__name__, function)
        return function
    return publish


def wrong_arguments(name, args, help):
    """The TypeError of a call that fits no form; ``help`` says which there are."""
    given = ", ".join(type(a).__name__ for a in args)
    return TypeError(f"{name}() received an invalid combination of arguments - got ({given})\n{help}")
