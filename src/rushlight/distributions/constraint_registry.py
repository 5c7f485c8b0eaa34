"""From unconstrained numbers to what a constraint allows: ``biject_to(constraint)`` and ``transform_to(constraint)``.

Both give a transform onto the constraint's region. Those of ``biject_to`` are bijections with a Jacobian, as Hamiltonian sampling needs;
those of ``transform_to`` may be overparametrized and do well in optimization.
"""
from . import constraints, transforms
from .utils import Number

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """A table from classes of constraints to functions that make a transform for a constraint.

    >>> import rushlight as torch
    >>> from rushlight.distributions import biject_to, constraints
    >>> biject_to(constraints.positive)(torch.tensor(0.))
    tensor(1.)
    """

    def __init__(self):
        self._registry = {}
        super().__init__()

    def register(self, constraint, factory=None):
        """Enter ``factory`` for a constraint or a class of them; without it, a decorator that does.

        Raises:
            TypeError: unless ``constraint`` is one.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint):
        """The transform for ``constraint``.

        Raises:
            NotImplementedError: if none is registered.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints\n"
                                      "Enter a transform with biject_to.register or transform_to.register.")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(*kinds):
    """Enter a factory for each of ``kinds`` in both tables."""
    def enter(factory):
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory
    return enter


@_both(constraints.real)
def _real(constraint):
    return transforms.identity_transform


# Of these classes positive and nonnegative are instances.
@_both(constraints.greater_than, constraints.greater_than_eq)
def _greater_than(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)])


@_both(constraints.less_than)
def _less_than(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)])


@_both(constraints.interval, constraints.half_open_interval)
def _interval(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and low == 0 and isinstance(high, Number) and high == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@_both(constraints.corr_cholesky)
def _corr_cholesky(constraint):
    return transforms.CorrCholeskyTransform()


biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())
for _kind in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_kind, lambda constraint: transforms.PositiveDefiniteTransform())


def _recursive(table):
    """Constraints made of others: their transforms come from the same table."""
    table.register(constraints.independent, lambda c: transforms.IndependentTransform(
        table(c.base_constraint), c.reinterpreted_batch_ndims))
    table.register(constraints.cat, lambda c: transforms.CatTransform([table(part) for part in c.cseq], c.dim, c.lengths))
    table.register(constraints.stack, lambda c: transforms.StackTransform([table(part) for part in c.cseq], c.dim))


_recursive(biject_to)
_recursive(transform_to)
