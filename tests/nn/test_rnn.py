"""Recurrent layers against their definitions: cells in a loop, sequences one by one, central differences."""

import pytest

KINDS = ["RNN", "LSTM", "GRU"]


def hidden(state):
    return state[0] if isinstance(state, tuple) else state


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_is_a_loop_of_its_cell(torch, kind):
    layer, cell = getattr(torch.nn, kind)(3, 4), getattr(torch.nn, kind + "Cell")(3, 4)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    x, state = torch.randn(5, 2, 3), None
    outputs, _ = layer(x)
    for now, wanted in zip(x, outputs):
        state = cell(now, state)
        assert torch.allclose(hidden(state), wanted, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_packed_sequences_run_as_each_would_alone(torch, kind):
    layer = getattr(torch.nn, kind)(3, 4, 2, bidirectional=True)
    sequences = [torch.randn(n, 3) for n in (4, 2, 3)]
    packed = torch.nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
    output, state = layer(packed)
    for i, (one, sequence) in enumerate(zip(torch.nn.utils.rnn.unpack_sequence(output), sequences)):
        alone, end = layer(sequence)
        assert torch.allclose(one, alone, atol=1e-6)
        assert torch.allclose(hidden(state)[:, i], hidden(end), atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "num_layers": 2}, {"bias": False}])
@pytest.mark.parametrize("kind", KINDS)
def test_second_derivatives(torch, kind, options):
    layer = getattr(torch.nn, kind)(2, 2, **options).double()
    x = torch.randn(3, 2, 2, dtype=torch.float64, requires_grad=True)

    def run(x):
        return layer(x)[0]

    assert torch.autograd.gradcheck(run, (x,)) and torch.autograd.gradgradcheck(run, (x,))


def test_one_tensor_in_two_places_has_one_gradient(torch):
    w = torch.randn(2, 2, dtype=torch.float64, requires_grad=True)
    x = torch.randn(1, 2, dtype=torch.float64, requires_grad=True)

    def run(x, w):
        return torch.rnn_tanh(x.unsqueeze(0), x.unsqueeze(0), [w, w], False, 1, 0.0, False, False, False)[0]

    assert torch.autograd.gradcheck(run, (x, w)) and torch.autograd.gradgradcheck(run, (x, w))


def test_a_replaced_parameter_is_used(torch):
    layer = torch.nn.LSTM(2, 3)
    x = torch.ones(1, 1, 2)
    before = layer(x)[0]
    layer.weight_ih_l0 = torch.nn.Parameter(torch.zeros(12, 2))
    del layer.bias_ih_l0
    layer.bias_ih_l0 = torch.nn.Parameter(torch.zeros(12))
    assert not torch.allclose(layer(x)[0], before)
    assert layer._flat_weights[0] is layer.weight_ih_l0 and layer._flat_weights[2] is layer.bias_ih_l0
    assert layer.double()(x.double())[0].dtype is torch.float64


def test_a_frozen_part_gets_no_gradient(torch):
    layer = torch.nn.GRU(2, 3)
    layer.weight_hh_l0.requires_grad_(False)
    layer(torch.ones(4, 1, 2))[0].sum().backward()
    assert layer.weight_hh_l0.grad is None and layer.weight_ih_l0.grad is not None


def test_only_the_last_state_matters(torch):
    layer = torch.nn.LSTM(2, 3)
    x = torch.randn(4, 1, 2, requires_grad=True)
    output, (h, c) = layer(x)
    from_state, = torch.autograd.grad(h.sum(), x, retain_graph=True)
    from_output, = torch.autograd.grad(output[-1].sum(), x, retain_graph=True)
    from_cell, = torch.autograd.grad(c.sum(), x)
    assert torch.allclose(from_state, from_output) and not torch.allclose(from_state, from_cell)


def test_a_saved_weight_changed_in_place_is_noticed(torch, fails):
    layer = torch.nn.RNN(2, 3)
    loss = layer(torch.ones(4, 1, 2))[0].sum()
    with torch.no_grad():
        layer.weight_hh_l0.mul_(2)
    with fails(RuntimeError, "one of the variables needed for gradient computation has been modified by an inplace"):
        loss.backward()
