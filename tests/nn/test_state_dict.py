"""state_dict and load_state_dict: names, errors, hooks, on rushlight and on PyTorch alike."""

from collections import OrderedDict

import pytest


def pair(torch):
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))


def test_round_trip(torch):
    a, b = pair(torch), pair(torch)
    state = a.state_dict()
    assert list(state) == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
        "1.running_mean",
        "1.running_var",
        "1.num_batches_tracked",
    ]
    assert dict(state._metadata) == {"": {"version": 1}, "0": {"version": 1}, "1": {"version": 2}}
    assert isinstance(state, OrderedDict)
    assert not state["0.weight"].requires_grad
    assert state["0.weight"].data_ptr() == a[0].weight.data_ptr()
    assert a.state_dict(keep_vars=True)["0.weight"] is a[0].weight
    assert next(iter(a.state_dict(prefix="net."))) == "net.0.weight"
    result = b.load_state_dict(state)
    assert repr(result) == "<All keys matched successfully>" and torch.equal(a[0].weight, b[0].weight)
    mine = {}
    assert a.state_dict(destination=mine) is mine and len(mine) == 7
    with pytest.warns(FutureWarning, match="Positional args are being deprecated"):
        assert next(iter(a[0].state_dict({}, "p."))) == "p.weight"


def test_every_mismatch_is_named(torch):
    net = pair(torch)
    state = net.state_dict()
    state["0.weight"] = torch.zeros(4, 2)
    state["extra"] = torch.zeros(1)
    del state["1.bias"]
    with pytest.raises(RuntimeError) as info:
        net.load_state_dict(state)
    assert str(info.value).startswith(
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "1.bias". \n'
        '\tUnexpected key(s) in state_dict: "extra". \n'
        "\tsize mismatch for 0.weight: copying a param with shape torch.Size([4, 2]) from checkpoint, the "
        "shape in "
        "current model is torch.Size([3, 2])."
    )
    state["0.weight"] = torch.zeros(3, 2)
    result = net.load_state_dict(state, strict=False)
    assert repr(result) == "_IncompatibleKeys(missing_keys=['1.bias'], unexpected_keys=['extra'])"
    state["0.weight"] = 3
    with pytest.raises(
        RuntimeError, match="expected torch.Tensor or Tensor-like object from checkpoint but received"
    ):
        net.load_state_dict(state, strict=False)
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'list'>."):
        net.load_state_dict([])


def test_advice_about_a_prefix(rushlight):
    net = pair(rushlight)
    state = {f"module.{k}": v for k, v in net.state_dict().items()}
    with pytest.raises(RuntimeError, match="The keys of the state dict begin with 'module.'"):
        net.load_state_dict(state)
    rushlight.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    net.load_state_dict(state)


def test_assign(torch):
    net = torch.nn.Linear(2, 3)
    weight, bias = torch.zeros(3, 2, dtype=torch.float64), torch.nn.Parameter(torch.ones(3))
    net.requires_grad_(False)
    net.load_state_dict({"weight": weight, "bias": bias}, assign=True)
    assert net.bias is bias and not bias.requires_grad
    assert isinstance(net.weight, torch.nn.Parameter) and net.weight.dtype == torch.float64
    assert net.weight.data_ptr() == weight.data_ptr()


def test_one_element_for_none(torch):
    class Scalar(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.s = torch.nn.Parameter(torch.tensor(1.0))

    net = Scalar()
    net.load_state_dict({"s": torch.tensor([5.0])})
    assert net.s.item() == 5


def test_hooks(torch, fails):
    net, seen = pair(torch), []
    net.register_state_dict_pre_hook(lambda m, prefix, keep: seen.append(("pre", prefix, keep)))
    net[0].register_state_dict_post_hook(lambda m, state, prefix, meta: state.__delitem__(prefix + "bias"))
    net._register_state_dict_hook(lambda m, state, prefix, meta: {"only": state["0.weight"]})
    assert list(net.state_dict()) == ["only"] and seen == [("pre", "", False)]

    net, seen = pair(torch), []
    net.register_load_state_dict_pre_hook(lambda m, state, prefix, *rest: seen.append((m is net, prefix)))
    net[0]._register_load_state_dict_pre_hook(lambda state, prefix, *rest: state.pop(prefix + "old"))
    net.register_load_state_dict_post_hook(lambda m, keys: keys.unexpected_keys.clear())
    state = net.state_dict()
    state["0.old"] = torch.zeros(1)
    state["more"] = torch.zeros(1)
    net.load_state_dict(state)
    assert seen == [(True, "")]
    net.register_load_state_dict_post_hook(lambda m, keys: 3)
    with fails(
        AssertionError, "Hooks registered with ``register_load_state_dict_post_hook`` are not expected"
    ):
        net.load_state_dict(state)

    net = pair(torch)

    def post(m, state, prefix, meta):
        return state

    net.register_state_dict_post_hook(post)
    with fails(RuntimeError, "state_dict post-hook must return None"):
        net.state_dict()
    with fails(RuntimeError, "Cannot register the same function as the state dict post hook"):
        net._register_state_dict_hook(post)


def test_extra_state(torch, fails):
    class Counting(torch.nn.Module):
        count = 0

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    a, b = torch.nn.Sequential(Counting()), torch.nn.Sequential(Counting())
    a[0].count = 7
    assert dict(a.state_dict()) == {"0._extra_state": {"count": 7}}
    b.load_state_dict(a.state_dict())
    assert b[0].count == 7
    with fails(
        RuntimeError,
        'Error(s) in loading state_dict for Sequential:\n\tMissing key(s) in state_dict: "0._extra',
    ):
        b.load_state_dict({})
    with fails(
        RuntimeError,
        'Error(s) in loading state_dict for ReLU:\n\tUnexpected key(s) in state_dict: "_extra_state"',
    ):
        torch.nn.ReLU().load_state_dict({"_extra_state": 1})
    with fails(RuntimeError, "Reached a code path in Module.get_extra_state() that should never be called."):
        torch.nn.ReLU().get_extra_state()


def test_old_batch_norm(torch):
    net = torch.nn.BatchNorm1d(2)
    net.num_batches_tracked.fill_(3)
    state = dict(net.state_dict())
    del state["num_batches_tracked"]
    net.load_state_dict(state)
    assert net.num_batches_tracked.item() == 3


def test_overridden_loading(torch):
    class Renamed(torch.nn.Linear):
        def _load_from_state_dict(self, state, prefix, *rest):
            if prefix + "w" in state:
                state[prefix + "weight"] = state.pop(prefix + "w")
            super()._load_from_state_dict(state, prefix, *rest)

    net = torch.nn.Sequential(Renamed(1, 1, bias=False))
    given = {"0.w": torch.full((1, 1), 3.0)}
    net.load_state_dict(given)
    assert net[0].weight.item() == 3 and list(given) == ["0.w"]
