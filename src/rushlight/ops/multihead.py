"""Multi-head attention: projections, heads, masks around `scaled_dot_product_attention` (Vaswani and others 2017).

The heads are never copied apart: a projection (T, B, E) is seen as (B, H, T, E / H) through its strides, and the
attention operator takes it so. Masks are brought to one form, added to the scores, before anything else.
"""
import math
import warnings

from ..dtypes import bool_
from ..tensor import Tensor
from .declare import composite
from .late import F, torch

__all__ = ["canonical_mask", "none_or_dtype", "FAST_PATH"]

FAST_PATH = [True]      # `backends.mha`: whether encoders in evaluation leave zeros at the padding, as PyTorch's fast path does


def canonical_mask(
    mask, mask_name, other_type=None, other_name="", target_type=None, check_other=True, stacklevel=3
):
    """A mask as floating numbers to be added: minus infinity where a boolean one is True.

    AssertionError for other dtypes; a warning where ``other_type``, of another mask, differs.
    """
    if mask is None:
        return None
    if mask.dtype is not bool_ and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
                      stacklevel=stacklevel)
    if mask.dtype is bool_:
        return torch.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)
    return mask


def none_or_dtype(input):
    """The dtype of a tensor, None of None."""
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Whether there is a batch dimension; AssertionError for shapes that do not go together."""
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor")
    kind, size = ("batched", "3-D") if dims == 3 else ("unbatched", "2-D")
    if key.dim() != dims or value.dim() != dims:
        raise AssertionError(f"For {kind} ({size}) `query`, expected `key` and `value` to be {size} but found {key.dim()}-D and "
                             f"{value.dim()}-D tensors respectively")
    if key_padding_mask is not None and key_padding_mask.dim() != dims - 1:
        raise AssertionError(f"For {kind} ({size}) `query`, expected `key_padding_mask` to be `None` or {dims - 1}-D but found "
                             f"{key_padding_mask.dim()}-D tensor instead")
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(f"For {kind} ({size}) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
                                 f"{attn_mask.dim()}-D tensor instead")
        if dims == 2 and attn_mask.dim() == 3:
            expected = (num_heads, query.shape[0], key.shape[0])
            if attn_mask.shape != expected:
                raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return dims == 3


def _need(condition, message):
    if not condition:
        raise AssertionError(message)


def _project_packed(query, key, value, weight, bias):
    """The three projections by one weight (3 E, E): one product where the inputs are one tensor."""
    if key is value:
        if query is key:
            return F.linear(query, weight, bias).chunk(3, -1)
        size = query.size(-1)
        w_q, w_kv = weight.split([size, size * 2])
        b_q, b_kv = (None, None) if bias is None else bias.split([size, size * 2])
        return (F.linear(query, w_q, b_q), *F.linear(key, w_kv, b_kv).chunk(2, -1))
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(F.linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), biases))


def _project_separately(inputs, weights, bias):
    """The three projections by weights of their own."""
    size = inputs[0].size(-1)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    for name, w in zip(("q", "k", "v"), weights):
        _need(w is not None, f"use_separate_proj_weight is True but {name}_proj_weight is None")
    for name, x, w in zip(("query", "key", "value"), inputs, weights):
        _need(w.shape == (size, x.size(-1)), f"expecting {name} weights shape of {(size, x.size(-1))}, but got {w.shape}")
    for name, b in zip(("query", "key", "value"), biases):
        _need(b is None or b.shape == (size,), f"expecting {name} bias shape of {(size,)}, but got {b if b is None else b.shape}")
    return tuple(F.linear(x, w, b) for x, w, b in zip(inputs, weights, biases))


def _checked_mask(mask, batch, heads, rows, columns):
    """The mask as (1, 1, L, S) or (B, H, L, S)."""
    if mask.dim() == 2:
        if mask.shape != (rows, columns):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(rows, columns)}.")
        return mask.unsqueeze(0)
    if mask.dim() == 3:
        if mask.shape != (batch * heads, rows, columns):
            raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be "
                               f"{(batch * heads, rows, columns)}.")
        return mask
    raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")


def _heads(x, heads):
    """(T, B, E) as (B, H, T, E / H)."""
    return x.unflatten(-1, (heads, x.size(-1) // heads)).permute(1, 2, 0, 3)


def _static(x, name, batch, heads, size):
    """A key or value that is given ready: (B H, S, D) as (B, H, S, D)."""
    _need(x.size(0) == batch * heads, f"expecting {name}.size(0) of {batch * heads}, but got {x.size(0)}")
    _need(x.size(2) == size, f"expecting {name}.size(2) of {size}, but got {x.size(2)}")
    return x.reshape(batch, heads, -1, size)


def _one_more(*masks):
    """Masks with one more column, visible."""
    return tuple(m if m is None else F.pad(m, (0, 1)) for m in masks)


@composite(space="nn.functional")
def multi_head_attention_forward(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn,
    dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None,
    use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None,
    static_v=None, average_attn_weights=True, is_causal=False
):
    """Attention of ``num_heads`` heads between projections of its inputs; what `nn.MultiheadAttention` calls.

    ``query``: (L, B, E) or (L, E), ``key`` and ``value``: (S, B, E) or (S, E). ``key_padding_mask``: (B, S), True or
    minus infinity where a key is to be ignored; ``attn_mask``: (L, S) or (B * num_heads, L, S), likewise.
    ``bias_k``, ``bias_v``: one more key and value; ``add_zero_attn``: one more of zeros. Returns (output, weights),
    the weights (B, L, S), averaged over the heads unless ``average_attn_weights=False``, or None if not needed.
    """
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        one = query is key, key is value
        query = query.unsqueeze(1)
        key = query if one[0] else key.unsqueeze(1)
        value = key if one[1] else value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    rows, batch, size = query.shape
    columns = key.shape[0]
    key_padding_mask = canonical_mask(key_padding_mask, "key_padding_mask", none_or_dtype(attn_mask), "attn_mask",
                                      query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                           "`generate_square_subsequent_mask` to create this mask.")
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None        # the attention operator needs no mask to be causal
    else:
        attn_mask = canonical_mask(attn_mask, "attn_mask", target_type=query.dtype, check_other=False)
        is_causal = is_causal and key_padding_mask is None
    _need(size == embed_dim_to_check, f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    _need(size % num_heads == 0, f"embed_dim {size} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        _need(key.shape[:2] == value.shape[:2],
              f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
        q, k, v = _project_separately((query, key, value), (q_proj_weight, k_proj_weight, v_proj_weight), in_proj_bias)
    else:
        _need(key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}")
        _need(in_proj_weight is not None, "use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _project_packed(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        attn_mask = _checked_mask(attn_mask, batch, num_heads, rows, columns)
    _need(bias_k is None or bias_v is not None, "bias_k is set but bias_v is None")
    _need(bias_v is None or bias_k is not None, "bias_v is set but bias_k is None")
    if bias_k is not None:
        _need(static_k is None, "bias cannot be added to static key.")
        _need(static_v is None, "bias cannot be added to static value.")
        k = torch.cat([k, bias_k.repeat(1, batch, 1)])
        v = torch.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _one_more(attn_mask, key_padding_mask)
    head = size // num_heads
    q = _heads(q, num_heads)
    k = _heads(k, num_heads) if static_k is None else _static(static_k, "static_k", batch, num_heads, head)
    v = _heads(v, num_heads) if static_v is None else _static(static_v, "static_v", batch, num_heads, head)
    if add_zero_attn:
        k = torch.cat([k, k.new_zeros(batch, num_heads, 1, head)], 2)
        v = torch.cat([v, v.new_zeros(batch, num_heads, 1, head)], 2)
        attn_mask, key_padding_mask = _one_more(attn_mask, key_padding_mask)
    columns = k.size(2)
    if attn_mask is not None:
        attn_mask = attn_mask.reshape(*((1, 1) if attn_mask.size(0) == 1 else (batch, num_heads)), rows, columns)
    if key_padding_mask is not None:
        for at, wanted in enumerate((batch, columns)):
            _need(key_padding_mask.shape[at] == wanted,
                  f"Expected key_padded_mask.shape[{at}] to be {wanted}, but got {key_padding_mask.shape[at]}")
        padding = key_padding_mask.reshape(batch, 1, 1, columns)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    dropout_p = dropout_p if training else 0.0
    weights = None
    if need_weights:
        _need(not is_causal or attn_mask is not None, "FIXME: is_causal not implemented for need_weights")
        scores = (q * math.sqrt(1.0 / head)) @ k.transpose(-2, -1)
        weights = torch.softmax(scores if attn_mask is None else scores + attn_mask, -1)
        if dropout_p > 0.0:
            weights = F.dropout(weights, dropout_p)
        out = weights @ v
    else:
        out = F.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
    out = F.linear(out.permute(2, 0, 1, 3).reshape(rows, batch, size), out_proj_weight, out_proj_bias)
    if weights is not None and average_attn_weights:
        weights = weights.mean(1)
    if not batched:
        out = out.squeeze(1)
        weights = weights if weights is None else weights.squeeze(0)
    return out, weights
