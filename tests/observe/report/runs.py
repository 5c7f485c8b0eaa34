"""Files of runs for the tests of reports: short trainings on either engine, the same numbers each time."""

import importlib

from tests.observe.models import inputs, settle

from rushlight import observe


def make_model(torch, hidden=6):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(4, hidden), torch.nn.Linear(hidden, 2)
            self.spare = torch.nn.Linear(2, 2)

        def forward(self, x):
            h = torch.relu(self.first(x))
            return self.second(h)

    return settle(torch, Net())


def train(torch, file, steps=6, *, model=None, rate=0.05, spoil=None, batch=8, run=None, **options):
    """One run of some steps of SGD. ``spoil``: a function of the step, the model and the input, called before each step."""
    if model is None:
        model = make_model(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    options = {"on": "log", "optimizer": "all", "values": True} | options
    with observe.watch(model, file=file, run=run, **options) as seen:
        for step in range(steps):
            x = inputs(torch, batch, 4, seed=step)
            if spoil is not None:
                spoil(step, model, x)
            loss = ((model(x) - 1.0) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return seen


def both_engines():
    """rushlight and the real PyTorch; skips the test where that is not installed."""
    pytest = importlib.import_module("pytest")
    return importlib.import_module("rushlight"), pytest.importorskip("torch")
