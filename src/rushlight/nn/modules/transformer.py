"""The Transformer of Vaswani and others, "Attention is all you need" (2017): layers, stacks, the whole.

PyTorch has a second implementation of the encoder for evaluation without gradients. It gives the same numbers but
in one place, which is reproduced here: with a padding mask a stack of encoder layers then gives zeros at the
padding.
"""

import copy
import warnings
from collections.abc import Callable
from typing import Any

from rushlight.autograd.modes import is_grad_enabled
from rushlight.nn import functional as F
from rushlight.nn._ops import namespaces
from rushlight.nn.init import xavier_uniform_
from rushlight.nn.modules._attention import MultiheadAttention
from rushlight.nn.modules.activation import GELU, ReLU
from rushlight.nn.modules.container import ModuleList
from rushlight.nn.modules.dropout import Dropout
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.normalization import LayerNorm
from rushlight.ops.multihead import FAST_PATH, canonical_mask, none_or_dtype
from rushlight.tensor import Tensor

__all__ = [
    "Transformer",
    "TransformerEncoder",
    "TransformerDecoder",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
]

_full = namespaces["torch"]["full"]
_Activation = str | Callable[[Tensor], Tensor]


def _generate_square_subsequent_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    """(size, size): 0 at and before the own place, minus infinity after it."""
    return _full((size, size), float("-inf"), dtype=dtype, device=device).triu(diagonal=1)


def _get_seq_len(src: Tensor, batch_first: bool) -> int:
    return src.size(0) if src.dim() == 2 else src.size(1 if batch_first else 0)


def _detect_is_causal_mask(mask: Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """Whether the mask hides exactly the future; looked up only where nobody said (None)."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(mask.size(-2) if size is None else size, dtype=mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def _get_clones(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


def _get_activation_fn(activation: str) -> Callable[[Tensor], Tensor]:
    if activation in ("relu", "gelu"):
        return getattr(F, activation)
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


def _relu_or_gelu(activation: Any) -> int:
    if activation is F.relu or isinstance(activation, ReLU):
        return 1
    return 2 if activation is F.gelu or isinstance(activation, GELU) else 0


class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward network, each with dropout, residual and layer norm.

    Args:
        d_model, nhead: size of the model and number of heads.
        dim_feedforward: size of the hidden layer.
        dropout: probability.
        activation: ``"relu"``, ``"gelu"`` or a function.
        layer_norm_eps, bias: of the norms, of everything.
        batch_first: (B, L, E) instead of (L, B, E).
        norm_first: normalise before attention and network instead of after the residual.

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> layer(torch.rand(5, 3, 8)).shape
        torch.Size([5, 3, 8])
    """

    __constants__ = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **kind
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **kind)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        self.activation_relu_or_gelu = _relu_or_gelu(activation)
        self.activation = activation

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        padding = canonical_mask(
            src_key_padding_mask,
            "src_key_padding_mask",
            none_or_dtype(src_mask),
            "src_mask",
            src.dtype,
            stacklevel=5,
        )
        mask = canonical_mask(src_mask, "src_mask", target_type=src.dtype, check_other=False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        x = self.self_attn(
            x,
            x,
            x,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            need_weights=False,
            is_causal=is_causal,
        )[0]
        return self.dropout1(x)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to the encoder's output and a feed-forward network.

    Arguments as ``TransformerEncoderLayer``'s.

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> layer(torch.rand(4, 3, 8), torch.rand(5, 3, 8)).shape
        torch.Size([4, 3, 8])
    """

    __constants__ = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind: dict[str, Any] = {"device": device, "dtype": dtype}
        for name in ("self_attn", "multihead_attn"):
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, **kind
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **kind)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def __setstate__(self, state: dict) -> None:
        state.setdefault("activation", F.relu)
        super().__setstate__(state)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        other = memory_mask, memory_key_padding_mask, memory_is_causal
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        x = self.self_attn(
            x,
            x,
            x,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )[0]
        return self.dropout1(x)

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool = False,
    ) -> Tensor:
        x = self.multihead_attn(
            x,
            mem,
            mem,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )[0]
        return self.dropout2(x)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """A stack of copies of an encoder layer, with an optional norm at the end.

    Args:
        encoder_layer: the layer to copy; num_layers: how often.
        norm: a module applied at last.
        enable_nested_tensor, mask_check: whether, in evaluation without gradients, padding becomes zeros.

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> torch.nn.TransformerEncoder(layer, num_layers=2)(torch.rand(3, 5, 8)).shape
        torch.Size([3, 5, 8])
    """

    __constants__ = ["norm"]

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why_not = _why_no_nested_tensor(encoder_layer)
        if enable_nested_tensor and why_not:
            warnings.warn(
                "enable_nested_tensor is True, but self.use_nested_tensor is False because " + why_not,
                stacklevel=2,
            )
            self.use_nested_tensor = False

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        padding = canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", none_or_dtype(mask), "mask", src.dtype, stacklevel=5
        )
        mask = canonical_mask(mask, "mask", target_type=src.dtype, check_other=False)
        first: Any = self.layers[0]
        is_causal = _detect_is_causal_mask(mask, is_causal, _get_seq_len(src, first.self_attn.batch_first))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._zeroes_padding(src, padding):
            output = output.masked_fill((padding != 0).unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _zeroes_padding(self, src: Tensor, padding: Tensor) -> bool:
        """Whether PyTorch would take its way for ragged batches, which leaves zeros at the padding."""
        first: Any = self.layers[0]
        if not FAST_PATH[0] or not getattr(self, "use_nested_tensor", False) or first.training or src.dim() != 3:
            return False
        if getattr(self, "mask_check", True):
            hidden = padding != 0
            if bool((hidden[:, :-1] & hidden[:, 1:].logical_not()).any()):  # padding before the end
                return False
        return not is_grad_enabled() or not any(t.requires_grad for t in (src, *first.parameters()))


def _why_no_nested_tensor(layer: Any) -> str:
    """What keeps PyTorch from its way for ragged batches; empty if nothing."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    attention = layer.self_attn
    if not attention.batch_first:
        return (
            "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
        )
    if not attention._qkv_same_embed_dim:
        return "encoder_layer.self_attn._qkv_same_embed_dim was not True"
    if attention.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if not layer.activation_relu_or_gelu:
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"
    return "encoder_layer.self_attn.num_heads is odd" if attention.num_heads % 2 else ""


class TransformerDecoder(Module):
    """A stack of copies of a decoder layer, with an optional norm at the end.

    Example::

        >>> import rushlight as torch
        >>> layer = torch.nn.TransformerDecoderLayer(8, 2, 16)
        >>> torch.nn.TransformerDecoder(layer, num_layers=2)(torch.rand(4, 3, 8), torch.rand(5, 3, 8)).shape
        torch.Size([4, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        first: Any = self.layers[0]
        length = _get_seq_len(tgt, first.self_attn.batch_first)
        tgt_is_causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, length)
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder and a decoder: ``Transformer()(src, tgt)``.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias: as
            ``TransformerEncoderLayer``'s.
        num_encoder_layers, num_decoder_layers: how many of each.
        custom_encoder, custom_decoder: modules in the place of the usual ones.

    Shapes: src (S, B, E), tgt (T, B, E), returns (T, B, E); with ``batch_first`` the batch first. RuntimeError
    where batches or features do not fit.

    Example::

        >>> import rushlight as torch
        >>> model = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
        >>> model(torch.rand(3, 5, 8), torch.rand(3, 4, 8)).shape
        torch.Size([3, 4, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind: dict[str, Any] = {"device": device, "dtype": dtype}
        options = dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(d_model, nhead, *options, **kind)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            decoder_layer = TransformerDecoderLayer(d_model, nhead, *options, **kind)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)
            self.decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        at = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(at) != tgt.size(at):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """(sz, sz): 0 at and before the own place, minus infinity after it.

        Example::

            >>> import rushlight as torch
            >>> torch.nn.Transformer.generate_square_subsequent_mask(2)
            tensor([[0., -inf],
                    [0., 0.]])
        """
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                xavier_uniform_(p)
