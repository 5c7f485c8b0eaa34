"""Recurrent layers: ``RNN``, ``LSTM``, ``GRU`` over whole sequences, and their cells for one step.

A layer's weights are parameters of their own, ``weight_ih_l0`` and so on; ``_flat_weights`` lists them in the
order in which the operators of ``ops.recurrent`` take them. The list is a cache: assigning to a parameter changes
it, and a call checks that no parameter was replaced behind its back.
"""

import math
import numbers
import warnings
import weakref
from typing import Any

from rushlight.nn import init
from rushlight.nn._ops import empty, namespaces, zeros
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils.rnn import PackedSequence
from rushlight.tensor import Tensor

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

_names = ("rnn_tanh", "rnn_relu", "lstm", "gru", "rnn_tanh_cell", "rnn_relu_cell", "lstm_cell", "gru_cell")
_rnn_tanh, _rnn_relu, _lstm, _gru, _rnn_tanh_cell, _rnn_relu_cell, _lstm_cell, _gru_cell = (
    namespaces["torch"][name] for name in _names
)
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """Deprecated: ``tensor.index_select(dim, permutation)``."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return _apply_permutation(tensor, permutation, dim)


class RNNBase(Module):
    """What RNN, LSTM and GRU share: parameters, checks, repr."""

    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]
    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._flat_weight_refs: list = []
        self._check_sizes(dropout)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        rows, state = _GATES[mode] * hidden_size, proj_size or hidden_size
        directions = 2 if bidirectional else 1
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for direction in range(directions):
                width = input_size if layer == 0 else state * directions
                shapes: dict[str, Any] = {"weight_ih": (rows, width), "weight_hh": (rows, state)}
                if bias:
                    shapes.update(bias_ih=rows, bias_hh=rows)
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                for name, shape in shapes.items():
                    setattr(self, name + suffix, Parameter(empty(shape, device=device, dtype=dtype)))
                names = [name + suffix for name in shapes]
                self._flat_weights_names.extend(names)
                self._all_weights.append(names)
        self._init_flat_weights()
        self.reset_parameters()

    def _check_sizes(self, dropout: Any) -> None:
        """PyTorch's errors and warning for arguments that make no network."""
        if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:  # type: ignore[operator]
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being "
                "zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=3,
            )
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    # ---- the list of weights ----

    def _init_flat_weights(self) -> None:
        self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]
        self.flatten_parameters()

    def __setattr__(self, attr: str, value: Any) -> None:
        names = self.__dict__.get("_flat_weights_names")
        if names and attr in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(attr)] = value
        super().__setattr__(attr, value)

    def flatten_parameters(self) -> None:
        """Nothing: on a GPU this would move all weights into one piece of memory."""

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        self._flat_weight_refs = []
        result = super()._apply(fn, recurse)
        self._init_flat_weights()
        return result

    def _weights_have_changed(self) -> bool:
        params = self._parameters
        for ref, name in zip(self._flat_weight_refs, self._flat_weights_names):
            weight = params.get(name)
            if weight is None:
                weight = getattr(self, name, None)
            if weight is not None and ref is not None and ref() is not weight:
                return True
        return False

    def _update_flat_weights(self) -> None:
        if self._weights_have_changed():
            self._init_flat_weights()

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters, a list for each direction of each layer."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def reset_parameters(self) -> None:
        """All from U(-1/sqrt(hidden_size), 1/sqrt(hidden_size))."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def __getstate__(self) -> dict:
        self._update_flat_weights()
        state = super().__getstate__()
        del state["_flat_weight_refs"]
        return state

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("proj_size", 0)
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]

    # ---- checks ----

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise ValueError or RuntimeError for an input whose dtype or shape does not fit."""
        first: Any = self._flat_weights[0]
        wanted = first.dtype
        if input.dtype != wanted:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({wanted}). Convert input: "
                f"input.to({wanted}), or convert model: model.to({input.dtype})"
            )
        dims = 2 if batch_sizes is not None else 3
        if input.dim() != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _state_size(self, input: Tensor, batch_sizes: Tensor | None, width: int) -> tuple[int, int, int]:
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.size(0) if self.batch_first else input.size(1)
        return self.num_layers * (2 if self.bidirectional else 1), batch, width

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the hidden state for this input."""
        return self._state_size(input, batch_sizes, self.proj_size or self.hidden_size)

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:
        """Raise RuntimeError for a state of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise for an input or a state that does not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state in another order of the batch."""
        return hx if permutation is None else _apply_permutation(hx, permutation)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text

    # ---- the call ----

    def _zero_states(self, input: Tensor, batch: int) -> Any:
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return zeros((layers, batch, self.hidden_size), dtype=input.dtype)

    def _unbatched_states(self, hx: Any, batched: bool) -> Any:
        """The given state with a batch dimension; RuntimeError for the wrong number of dimensions."""
        if batched and hx.dim() != 3:
            raise RuntimeError(
                f"For batched 3-D input, hx should also be 3-D but got {hx.dim()}-D tensor"
            )
        if not batched and hx.dim() != 2:
            raise RuntimeError(
                f"For unbatched 2-D input, hx should also be 2-D but got {hx.dim()}-D tensor"
            )
        return hx if batched else hx.unsqueeze(1)

    def _prepared(self, input: Any, hx: Any, what: str) -> tuple:
        """(rows, batch sizes, state, how to put the batch back, whether there is a batch)."""
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, back = input
            if hx is None:
                hx = self._zero_states(data, int(batch_sizes[0]))
            else:
                hx = self.permute_hidden(hx, order)
            self.check_forward_args(data, hx, batch_sizes)
            return data, batch_sizes, hx, back, True
        dims = input.dim()
        if dims not in (2, 3):
            raise ValueError(f"{what}: Expected input to be 2D or 3D, got {dims}D" + (
                " tensor instead" if what == "RNN" else " instead"))
        batched = dims == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
        if hx is None:
            hx = self._zero_states(input, input.size(0) if self.batch_first else input.size(1))
        else:
            hx = self._unbatched_states(hx, batched)
        self.check_forward_args(input, hx, None)
        return input, None, hx, None, batched

    def _run(self, network: Any, input: Any, hx: Any, what: str) -> tuple:
        data, batch_sizes, hx, back, batched = self._prepared(input, hx, what)
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if batch_sizes is not None:
            output, *states = network(data, batch_sizes, hx, *options)
            packed = PackedSequence(output, batch_sizes, input.sorted_indices, input.unsorted_indices)
            return packed, self.permute_hidden(self._joined(states), back)
        output, *states = network(data, hx, *options, self.batch_first)
        if not batched:
            output = output.squeeze(0 if self.batch_first else 1)
            states = [state.squeeze(1) for state in states]
        return output, self._joined(states)

    def _joined(self, states: list[Tensor]) -> Any:
        return states[0]


class RNN(RNNBase):
    """Elman's network: h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh), in several layers.

    Args:
        input_size, hidden_size, num_layers: sizes.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        bias: whether there are b_ih and b_hh.
        batch_first: input and output are (B, T, *) instead of (T, B, *); the state stays (layers, B, *).
        dropout: probability, applied to the output of each layer but the last.
        bidirectional: a second network runs from the end; outputs are joined.

    Shapes: input (T, B, input_size), (T, input_size) or a ``PackedSequence``; state (layers * directions, B,
    hidden_size), zeros if not given. Returns (output, last state), output (T, B, directions * hidden_size).

    Example::

        >>> import rushlight as torch
        >>> output, h = torch.nn.RNN(10, 20, 2)(torch.randn(5, 3, 10))
        >>> output.shape, h.shape
        (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    nonlinearity: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        self.nonlinearity = nonlinearity
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + nonlinearity.upper(), *args, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple:
        return self._run(_rnn_tanh if self.mode == "RNN_TANH" else _rnn_relu, input, hx, "RNN")


class LSTM(RNNBase):
    """A long short-term memory (Hochreiter and Schmidhuber 1997) in several layers.

    i, f, o = sigmoid(...), g = tanh(...) of W_ih x_t + b_ih + W_hh h_(t-1) + b_hh;
    c_t = f c_(t-1) + i g; h_t = o tanh(c_t), or W_hr times that with ``proj_size`` > 0 (Sak and others 2014).

    Arguments and shapes as ``RNN``'s; the state is a pair (h, c), h of ``proj_size`` columns if there is one.

    Example::

        >>> import rushlight as torch
        >>> output, (h, c) = torch.nn.LSTM(10, 20, 2)(torch.randn(5, 3, 10))
        >>> output.shape, c.shape
        (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the cell state for this input."""
        return self._state_size(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        self.check_input(input, batch_sizes)
        self.check_hidden_size(
            hidden[0],
            self.get_expected_hidden_size(input, batch_sizes),
            "Expected hidden[0] size {}, got {}",
        )
        self.check_hidden_size(
            hidden[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}"
        )

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        if permutation is None:
            return hx
        return _apply_permutation(hx[0], permutation), _apply_permutation(hx[1], permutation)

    def _zero_states(self, input: Tensor, batch: int) -> Any:
        layers = self.num_layers * (2 if self.bidirectional else 1)
        hidden = zeros((layers, batch, self.proj_size or self.hidden_size), dtype=input.dtype)
        return hidden, super()._zero_states(input, batch)

    def _unbatched_states(self, hx: Any, batched: bool) -> Any:
        wanted = 3 if batched else 2
        if hx[0].dim() != wanted or hx[1].dim() != wanted:
            raise RuntimeError(
                f"For {'' if batched else 'un'}batched {wanted}-D input, hx and cx should also be {wanted}-D "
                f"but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
            )
        return hx if batched else (hx[0].unsqueeze(1), hx[1].unsqueeze(1))

    def _joined(self, states: list[Tensor]) -> Any:
        return tuple(states)

    def forward(self, input: Any, hx: tuple[Tensor, Tensor] | None = None) -> tuple:
        return self._run(_lstm, input, hx, "LSTM")


class GRU(RNNBase):
    """A gated recurrent unit (Cho and others 2014) in several layers.

    r, z = sigmoid(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh); n = tanh(W_in x_t + b_in + r (W_hn h_(t-1) + b_hn));
    h_t = (1 - z) n + z h_(t-1). Arguments and shapes as ``RNN``'s.

    Example::

        >>> import rushlight as torch
        >>> output, h = torch.nn.GRU(10, 20, bidirectional=True)(torch.randn(5, 3, 10))
        >>> output.shape, h.shape
        (torch.Size([5, 3, 40]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple:
        return self._run(_gru, input, hx, "GRU")


class RNNCellBase(Module):
    """What the cells share: parameters, repr, the batch dimension."""

    __constants__ = ["input_size", "hidden_size", "bias"]
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Tensor
    weight_hh: Tensor

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((rows, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(
                name, Parameter(empty(rows, device=device, dtype=dtype)) if bias else None
            )
        self.reset_parameters()

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.__dict__.get("bias", True) is not True:
            text += f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else text + f", nonlinearity={nonlinearity}"

    def reset_parameters(self) -> None:
        """All from U(-1/sqrt(hidden_size), 1/sqrt(hidden_size))."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _weights(self) -> tuple:
        params = self._parameters
        try:
            return params["weight_ih"], params["weight_hh"], params["bias_ih"], params["bias_hh"]
        except KeyError:  # replaced by plain attributes, or computed by a property
            return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _one_state(self, cell: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """A step of a cell whose state is one tensor."""
        dims = input.dim()
        if dims not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected input to be 1D or 2D, got {dims}D instead")
        if hx is not None and hx.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected hidden to be 1D or 2D, got {hx.dim()}D instead")
        if dims == 1:
            input = input.unsqueeze(0)
        if hx is None:
            hx = zeros((input.size(0), self.hidden_size), dtype=input.dtype)
        elif dims == 1:
            hx = hx.unsqueeze(0)
        result = cell(input, hx, *self._weights())
        return result if dims == 2 else result.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of an Elman network: h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or its relu.

    Shapes: input (B, input_size) or (input_size,), state (B, hidden_size), zeros if not given.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.RNNCell(10, 20)(torch.randn(3, 10)).shape
        torch.Size([3, 20])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]
    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity == "tanh":
            return self._one_state(_rnn_tanh_cell, input, hx)
        if self.nonlinearity == "relu":
            return self._one_state(_rnn_relu_cell, input, hx)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")


class LSTMCell(RNNCellBase):
    """One step of a long short-term memory; see ``LSTM``. Takes and returns the pair (h, c).

    Example::

        >>> import rushlight as torch
        >>> h, c = torch.nn.LSTMCell(10, 20)(torch.randn(3, 10))
        >>> h.shape
        torch.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        dims = input.dim()
        if dims not in (1, 2):
            raise ValueError(f"LSTMCell: Expected input to be 1D or 2D, got {dims}D instead")
        if hx is not None:
            for i, state in enumerate(hx):
                if state.dim() not in (1, 2):
                    raise ValueError(
                        f"LSTMCell: Expected hx[{i}] to be 1D or 2D, got {state.dim()}D instead"
                    )
        if dims == 1:
            input = input.unsqueeze(0)
        if hx is None:
            state = zeros((input.size(0), self.hidden_size), dtype=input.dtype)
            hx = state, state
        elif dims == 1:
            hx = hx[0].unsqueeze(0), hx[1].unsqueeze(0)
        h, c = _lstm_cell(input, hx, *self._weights())
        return (h, c) if dims == 2 else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit; see ``GRU``.

    Example::

        >>> import rushlight as torch
        >>> torch.nn.GRUCell(10, 20)(torch.randn(3, 10)).shape
        torch.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._one_state(_gru_cell, input, hx)
