"""module.output: the last result of a module, weak until it retains its gradient. PyTorch has nothing like
it.
"""

import copy
import gc
import pickle
import weakref

import pytest


def test_never_called(rushlight, fails):
    layer = rushlight.nn.Linear(2, 3)
    assert not hasattr(layer, "output")
    with fails(AttributeError, "'Linear' object has no attribute 'output'\nThis module has not been called"):
        layer.output
    with rushlight.no_grad():
        layer(rushlight.ones(1, 2))
    assert not hasattr(layer, "output")


def test_it_is_the_very_tensor_and_weak(rushlight, no_gc, fails):
    layer = rushlight.nn.Linear(2, 3)
    out = layer(rushlight.ones(1, 2))
    assert layer.output is out
    ref = weakref.ref(out)
    del out
    assert ref() is None
    with fails(AttributeError, "'Linear' object has no attribute 'output'\nThe last output was freed"):
        layer.output


def retained(torch, layer):
    h = layer(torch.ones(1, 2))
    h.retain_grad()
    (h * 2).sum().backward()
    return weakref.ref(h)


def test_retaining_makes_it_strong_until_the_next_call(rushlight, no_gc):
    layer = rushlight.nn.Linear(2, 3)
    ref = retained(rushlight, layer)
    assert layer.output.grad.tolist() == [[2.0, 2.0, 2.0]]
    layer(rushlight.ones(1, 2))
    assert ref() is None


def test_retain_false_lets_it_go(rushlight, no_gc):
    layer = rushlight.nn.Linear(2, 3)
    h = layer(rushlight.ones(1, 2))
    h.retain_grad()
    h.retain_grad(False)
    ref = weakref.ref(h)
    del h
    assert ref() is None


def test_no_cycle(rushlight, no_gc):
    layer = rushlight.nn.Linear(2, 3)
    ref = retained(rushlight, layer)
    del layer
    assert ref() is None and gc.isenabled() is False


def test_a_users_own_output_wins(rushlight):
    class Net(rushlight.nn.Module):
        def __init__(self, output):
            super().__init__()
            self.output = output

        def forward(self, x):
            return x * 2

    x = rushlight.ones(1, requires_grad=True)
    for own in (rushlight.nn.Linear(1, 1), rushlight.nn.Parameter(rushlight.ones(1)), 5, None):
        net = Net(own)
        result = net(x)
        assert net.output is own and result is not own
    net = Net(5)
    kept = net(x)
    del net.output
    assert net.output is kept
    net.register_buffer("output", rushlight.zeros(1))
    assert net.output.item() == 0 and list(net.state_dict()) == ["output"]


def test_the_name_stays_free(rushlight):
    for register in ("register_buffer", "register_parameter", "add_module"):
        net = rushlight.nn.Linear(1, 1)
        kept = net(rushlight.ones(1))
        assert net.output is kept
        getattr(net, register)("output", None)
        assert net.output is None


def test_copies_and_state_dicts_know_nothing_of_it(rushlight):
    layer = rushlight.nn.Linear(2, 3)
    ref = retained(rushlight, layer)
    assert list(layer.state_dict()) == ["weight", "bias"]
    for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer)), copy.copy(layer)):
        assert not hasattr(twin, "output")
    assert layer.output is ref()


def test_a_users_getstate_may_return_the_whole_dict(rushlight):
    class Net(rushlight.nn.Module):
        def __getstate__(self):
            return self.__dict__.copy()

        def forward(self, x):
            return x * 2

    net = Net()
    kept = net(rushlight.ones(1, requires_grad=True))
    twin = copy.deepcopy(net)
    assert not hasattr(twin, "output") and net.output is kept


def test_several_results(rushlight):
    class Two(rushlight.nn.Module):
        def forward(self, x):
            return {"a": x * 2, "b": (x * 3, 5)}

    net = Two()
    result = net(rushlight.ones(1, requires_grad=True))
    assert net.output["a"] is result["a"] and net.output["b"][0] is result["b"][0]
    result["b"][0].retain_grad()
    del result
    assert net.output["a"] is None and net.output["b"][0].item() == 3


def test_hooks_replace_it(rushlight):
    layer = rushlight.nn.Linear(1, 1)
    layer.register_forward_hook(lambda module, args, output: output * 2)
    out = layer(rushlight.ones(1))
    assert layer.output is out


@pytest.mark.parametrize("way", ["forward hook", "in forward"])
def test_every_layer_can_be_asked(rushlight, way):
    nn = rushlight.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    if way == "forward hook":
        for layer in net:
            layer.register_forward_hook(lambda module, args, output: output.retain_grad())
        net(rushlight.ones(2, 3)).sum().backward()
    else:
        h = rushlight.ones(2, 3)
        for layer in net:
            h = layer(h)
            h.retain_grad()
        h.sum().backward()
    assert [tuple(layer.output.grad.shape) for layer in net] == [(2, 4), (2, 4), (2, 1)]
