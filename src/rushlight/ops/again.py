"""Second derivatives of operators whose backward pass is a loop over arrays.

The rule of such an operator computes with arrays alone. When the backward pass is itself recorded, the operator is
composed of others instead: `again` runs that composition on stand-ins for the inputs and asks the graph for its
gradients, which have a history of their own.
"""
from ..autograd.api import grad
from ..autograd.modes import enable_grad
from ..tensor import Tensor

__all__ = ["again", "recorded"]


def recorded(*values):
    """Whether a rule was given Tensors: the backward pass is being recorded."""
    return any(isinstance(v, Tensor) for v in values)


def again(compose, inputs, needs, gradients):
    """The gradients of ``compose(*inputs)`` for the inputs that ``needs`` marks, recorded.

    ``gradients``: what arrived at each result, None where nothing did.
    """
    with enable_grad():
        # Each input gets a stand-in, so that one tensor in two places has two gradients.
        stand_ins = [x.view_as(x) if need else x for x, need in zip(inputs, needs)]
        results = compose(*stand_ins)
        if isinstance(results, Tensor):
            results = (results,)
        asked = [(r, g) for r, g in zip(results, gradients) if g is not None and r.requires_grad]
        wanted = [s for s, need in zip(stand_ins, needs) if need]
        if not asked or not wanted:
            return tuple(None for _ in inputs)
        found = iter(grad([r for r, _ in asked], wanted, [g for _, g in asked], create_graph=True, allow_unused=True))
    return tuple(next(found) if need else None for need in needs)
