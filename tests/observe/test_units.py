"""Units without a gradient: how much is seen before they are called dead, and what is said of it."""

import numpy as np
import pytest
from tests.observe.models import inputs, settle

from rushlight import observe


class Layer:
    """A layer whose units fire as a table says."""

    def __init__(self, torch, fires):
        self.weights = [torch.tensor(np.asarray(f, np.float32)) for f in fires]
        self.torch = torch
        self.model = torch.nn.Identity()

    def run(self):
        with observe.watch(self.model, engine=self.torch.__name__) as seen:
            for w in self.weights:
                x = self.torch.ones(w.shape, requires_grad=True) * 1
                (self.model(x) * 1 * w).sum().backward()
        return seen


def test_few_examples_are_no_evidence(torch):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    with observe.watch(net) as seen:
        for _ in range(4):
            net(torch.randn(1, 8)).pow(2).mean().backward()
    assert seen.dead_units() == {} and "dead" not in seen.report()


@pytest.mark.parametrize(("steps", "batch", "said"), [(2, 1000, False), (3, 166, False), (3, 167, True), (500, 1, True), (499, 1, False)])
def test_steps_and_examples_are_both_asked_for(torch, steps, batch, said):
    fires = np.ones((batch, 4))
    fires[:, 1] = 0
    seen = Layer(torch, [fires] * steps).run()
    assert seen.dead_units() == ({"": [1]} if said else {})
    text = f"1 of 4 units look dead (1): their gradient was zero for each of {steps * batch} examples in {steps} steps"
    assert (text in seen.report()) == said


def test_one_example_in_hundreds_is_enough_to_live(torch):
    fires = np.ones((300, 4))
    fires[:, 2] = 0
    once = fires.copy()
    once[17, 2] = 1
    assert Layer(torch, [fires, fires, once, fires]).run().dead_units() == {}


def test_words_and_pixels_are_examples(torch):
    words = np.ones((4, 50, 3))
    words[..., 0] = 0
    assert "zero for each of 600 examples in 3 steps" in Layer(torch, [words] * 3).run().report()
    pixels = np.ones((2, 5, 10, 10))
    pixels[:, 4] = 0
    seen = Layer(torch, [pixels] * 3).run()
    assert seen.dead_units() == {"": [4]} and "1 of 5 units" in seen.report() and "600 examples" in seen.report()


def test_steps_are_counted_and_not_calls(torch):
    lin, head = settle(torch, torch.nn.Linear(3, 3)), settle(torch, torch.nn.Linear(3, 1))
    model = torch.nn.ModuleDict({"lin": lin, "head": head})
    with torch.no_grad():
        lin.bias.fill_(-100.0)
    with observe.watch(model) as seen:
        for _ in range(4):
            h = inputs(torch, 20, 3)
            for _ in range(3):
                h = torch.relu(lin(h))
            head(h).pow(2).mean().backward()
    assert "lin: no gradient but zeros came to any of its 3 units, for 240 examples in 4 steps." in seen.report()
