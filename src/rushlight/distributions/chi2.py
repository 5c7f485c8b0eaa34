"""The chi-squared distribution."""
from . import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of ``df`` squared standard normal numbers.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Chi2
    >>> Chi2(torch.tensor([3.])).variance
    tensor([6.])
    """

    arg_constraints = {"df": constraints.positive}
    _own_dims = Gamma._own_dims

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self):
        """The degrees of freedom."""
        return self.concentration * 2
