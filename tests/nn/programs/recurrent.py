"""RNN, LSTM, GRU and cells: weights, outputs, gradients, state dicts, repr, refusals."""

import copy
import pickle

KINDS = ["RNN", "LSTM", "GRU"]
OPTIONS = [
    {},
    {"num_layers": 2, "bidirectional": True, "batch_first": True},
    {"num_layers": 2, "bias": False, "dropout": 0.5},
]


def run(torch, say):
    nn = torch.nn
    for kind in KINDS:
        for options in OPTIONS + ([{"proj_size": 2, "bidirectional": True}] if kind == "LSTM" else []):
            layer = getattr(nn, kind)(3, 4, **options)
            say("layer", layer)
            say("state", list(layer.state_dict()), layer.weight_hh_l0)
            x = torch.randn(2, 5, 3, requires_grad=True)
            output, state = layer(x)
            say("output", output, state)
            say.gradients("gradients", output, x, *layer.parameters())
            say("unbatched", layer(x[0].detach())[0].shape)
            again = pickle.loads(pickle.dumps(layer))
            layer.eval(), again.eval()
            say("pickled", bool((again(x)[0] == layer(x)[0]).all()), len(copy.deepcopy(layer).all_weights))
    layer = nn.RNN(3, 4, 1, "relu")
    h = torch.randn(1, 2, 4, requires_grad=True)
    say("relu", layer, layer(torch.randn(3, 2, 3), h))
    say.gradients("relu gradients", layer(torch.randn(3, 2, 3), h), h)
    for kind in ("RNNCell", "LSTMCell", "GRUCell"):
        cell = getattr(nn, kind)(3, 4, bias=kind != "GRUCell")
        x = torch.randn(2, 3, requires_grad=True)
        say("cell", cell, list(cell.state_dict()), cell(x), cell(x[0]))
        result = cell(x)
        say.gradients("cell gradients", result, x, *cell.parameters())
    say("nonlinearity", nn.RNNCell(3, 4, nonlinearity="relu"))
    packed = nn.utils.rnn.pack_sequence([torch.randn(n, 3) for n in (2, 4, 3)], enforce_sorted=False)
    for kind in KINDS:
        layer = getattr(nn, kind)(3, 2, 2, bidirectional=True)
        output, state = layer(packed)
        say("packed", output.data, output.batch_sizes, output.sorted_indices, state)
        say.gradients("packed gradients", output.data, *layer.parameters())
    refusals(torch, say)


def refusals(torch, say):
    nn = torch.nn
    for options in ({"dropout": 2}, {"dropout": 0.5}, {"bias": 1}, {"num_layers": 0}, {"proj_size": 9}, {"proj_size": -1}):
        say.outcome(f"LSTM {options}", lambda options=options: nn.LSTM(3, 4, **options))
    say.outcome("size", lambda: nn.GRU(0, 4))
    say.outcome("size", lambda: nn.GRU(3, 4.0))
    say.outcome("projection", lambda: nn.GRU(3, 4, proj_size=2))
    say.outcome("nonlinearity", lambda: nn.RNN(3, 4, nonlinearity="gelu"))
    x = torch.zeros(5, 2, 3)
    lstm, gru = nn.LSTM(3, 4), nn.GRU(3, 4)
    say.outcome("width", lambda: lstm(torch.zeros(5, 2, 4)))
    say.outcome("dims", lambda: lstm(torch.zeros(5)))
    say.outcome("dims", lambda: nn.RNN(3, 4)(torch.zeros(5)))
    say.outcome("dtype", lambda: lstm(x.double()))
    say.outcome("state", lambda: lstm(x, (torch.zeros(1, 2, 4), torch.zeros(1, 2, 3))))
    say.outcome("state", lambda: lstm(x, (torch.zeros(2, 4), torch.zeros(2, 4))))
    say.outcome("state", lambda: gru(x, torch.zeros(2, 2, 4)))
    say.outcome("state", lambda: gru(x[:, 0], torch.zeros(1, 1, 4)))
    say.outcome("empty", lambda: gru(torch.zeros(0, 2, 3)))
    say.outcome("no batch", lambda: gru(torch.zeros(5, 0, 3))[0].shape)
    for kind in ("RNNCell", "LSTMCell", "GRUCell"):
        cell = getattr(nn, kind)(3, 4)
        state = (torch.zeros(3, 4),) * 2 if kind == "LSTMCell" else torch.zeros(3, 4)
        say.outcome("cell width", lambda cell=cell: cell(torch.zeros(2, 5)))
        say.outcome("cell batch", lambda cell=cell, state=state: cell(torch.zeros(2, 3), state))
        say.outcome("cell dims", lambda cell=cell: cell(torch.zeros(2, 2, 3)))
        say.outcome("cell dtype", lambda cell=cell: cell(torch.zeros(2, 3).double()))
