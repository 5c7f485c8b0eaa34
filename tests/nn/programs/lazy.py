"""Lazy modules: before, during and after their first call."""

import copy
import pickle

SHAPES = {
    "LazyLinear": ((3,), (2, 5)),
    "LazyConv1d": ((4, 3), (2, 5, 7)),
    "LazyConv2d": ((4, 3), (2, 5, 7, 7)),
    "LazyConv3d": ((4, 2), (2, 5, 3, 3, 3)),
    "LazyConvTranspose1d": ((4, 3), (5, 7)),
    "LazyConvTranspose2d": ((4, 3), (2, 5, 3, 3)),
    "LazyConvTranspose3d": ((4, 2), (2, 5, 2, 2, 2)),
    "LazyBatchNorm1d": ((), (4, 5)),
    "LazyBatchNorm2d": ((), (2, 5, 3, 3)),
    "LazyBatchNorm3d": ((), (2, 5, 2, 2, 2)),
    "LazyInstanceNorm1d": ((), (2, 5, 3)),
    "LazyInstanceNorm2d": ((), (2, 5, 3, 3)),
    "LazyInstanceNorm3d": ((), (2, 5, 2, 2, 2)),
}


def run(torch, say):
    nn = torch.nn
    for name, (arguments, shape) in SHAPES.items():
        layer = getattr(nn, name)(*arguments)
        say("before", layer, layer.state_dict(), [type(p).__name__ for p in layer.parameters()])
        say("convertible", getattr(nn, name)(*arguments).double().weight.dtype)
        out = layer(torch.randn(shape))
        say("after", layer, type(layer).__name__, out.shape, layer.weight.sum(), out.sum())
        say("weights", [type(p).__name__ for p in layer.parameters()], [type(b).__name__ for b in layer.buffers()])
    layer = copy.deepcopy(nn.LazyLinear(3))
    say("uninitialized", layer.weight, layer.weight.size(), layer.weight.dtype, pickle.loads(pickle.dumps(layer.weight)))
    say.outcome("shape", lambda: layer.weight.shape)
    say.outcome("shared", lambda: layer.weight.share_memory_())
    say.outcome("loaded into a full one", lambda: nn.Linear(5, 3).load_state_dict(layer.state_dict()))
    say.outcome("loaded empty", lambda: layer.load_state_dict(nn.LazyLinear(3).state_dict()))
    full = nn.Linear(5, 3)
    say.outcome("loaded full", lambda: layer.load_state_dict(full.state_dict()))
    say("loaded", layer, layer.weight - full.weight)
    say("called", layer(torch.ones(1, 5)) - full(torch.ones(1, 5)), layer)
    say.outcome("channels", lambda: nn.LazyConv2d(4, 3, groups=2)(torch.ones(1, 3, 5, 5)))
    say.outcome("dims", lambda: nn.LazyConv2d(4, 3)(torch.ones(1, 3)))
    parameter = nn.UninitializedParameter(dtype=torch.float64)
    parameter.materialize((2, 3))
    say("materialized", type(parameter).__name__, parameter.shape, parameter.dtype, parameter.requires_grad)

    class Unfinished(nn.modules.lazy.LazyModuleMixin, nn.Linear):
        pass

    say.outcome("unfinished", lambda: Unfinished(1, 1)(torch.ones(1, 1)))


def guard(torch):
    """The error of an operator on an uninitialized parameter."""
    try:
        torch.nn.LazyLinear(3).weight + 1
    except ValueError as error:
        return str(error)
