"""What parametrizations of weights need: norms of slices, and weights of given norms."""
from ..tensor import Tensor
from .declare import composite

__all__ = []

@composite
def norm_except_dim(v, pow=2, dim=0):
    """The norms of the slices of ``v`` along ``dim``, other dimensions kept with size 1; of all of it for -1.

    Example::

        >>> import rushlight as torch
        >>> torch.norm_except_dim(torch.tensor([[3., 4.], [6., 8.]]))
        tensor([[ 5.],
                [10.]])
    """
    if not isinstance(v, Tensor):
        raise TypeError(f"norm_except_dim(): argument 'v' (position 1) must be Tensor, not {type(v).__name__}")
    if dim == -1:
        return v.norm(pow)
    last = v.ndim - 1
    if dim == last and dim:
        return v.contiguous().view(-1, v.shape[last]).norm(pow, 0).view(*[1] * last, v.shape[last])
    if dim == 0:
        return v.contiguous().view(v.shape[0], -1).norm(pow, 1).view(v.shape[0], *[1] * last)
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)


@composite
def _weight_norm(v, g, dim=0):
    """``v`` with the norms of its slices along ``dim`` made ``g`` (Salimans and Kingma 2016)."""
    return v * (g / norm_except_dim(v, 2, dim))
