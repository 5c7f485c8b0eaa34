"""Scaled dot-product attention."""
import math

from ..dtypes import bool_
from .declare import composite
from .late import F, torch


@composite(space="nn.functional")
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """``softmax(query key^T * scale + mask) value`` (Vaswani and others 2017).

    ``query``: (*, L, E); ``key``: (*, S, E); ``value``: (*, S, Ev); returns (*, L, Ev). ``attn_mask``:
    boolean (True takes part) or added to the scores; ``is_causal`` masks what comes later; ``scale`` is ``1 /
    sqrt(E)`` by default; ``dropout_p`` drops weights. A row whose every place is masked gives zeros, as in
    PyTorch. RuntimeError for what does not fit.

    Example::

        >>> import rushlight as torch
        >>> q = torch.ones(1, 2, 4)
        >>> torch.nn.functional.scaled_dot_product_attention(q, q, q).shape
        torch.Size([1, 2, 4])
    """
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got "
                           "query.dim: "
                           f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead.")
    if not query._a.dtype == key._a.dtype == value._a.dtype:
        names = [_c_name(t) for t in (query, key, value)]
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got query.dtype: "
                           f"{names[0]} key.dtype: {names[1]} and value.dtype: {names[2]} instead.")
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when "
                           "is_causal=True")
    boolean = attn_mask is not None and attn_mask._a.dtype.kind == "b"
    if (
        attn_mask is not None
        and not boolean
        and attn_mask._a.dtype != query._a.dtype
        and attn_mask._a.dtype != "float32"
    ):
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                           "attn_mask.dtype: "
                           f"{_c_name(attn_mask)} and  query.dtype: {_c_name(query)} instead.")
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
    # Half of the scale on each side keeps the product in range.
    factor = math.sqrt(1 / math.sqrt(query.shape[-1]) if scale is None else abs(scale))
    sign = -1.0 if scale is not None and scale < 0 else 1.0
    scores = (query * (factor * sign)) @ (key.transpose(-2, -1) * factor)
    if is_causal:
        attn_mask, boolean = torch.ones(scores.shape[-2:], dtype=bool_).tril(), True
    if boolean:
        scores = scores.masked_fill(attn_mask.logical_not(), -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = torch.softmax(scores, -1)
    if attn_mask is not None:
        hidden = (scores.detach() == -math.inf).all(-1, keepdim=True)
        weights = weights.masked_fill(hidden, 0.0)
    if dropout_p > 0.0:
        weights = F.dropout(weights, dropout_p)
    return weights @ value


def _c_name(t):
    return {
        "float32": "float",
        "float64": "double",
        "float16": "c10::Half",
        "bfloat16": "c10::BFloat16",
        "int32": "int",
        "int64": "long",
        "bool": "bool",
    }.get(t._a.dtype.name, t._a.dtype.name)
