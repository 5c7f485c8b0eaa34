"""parametrize and the parametrizations: orthogonal, weight norm, spectral norm."""

import copy
import itertools
import pickle


def run(torch, say):
    nn, parametrize = torch.nn, torch.nn.utils.parametrize
    orthogonal(torch, say)
    norms(torch, say)

    class Symmetric(nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, a):
            return a.triu()

    class Shorter(nn.Module):
        def forward(self, x):
            return x[0]

    class Product(nn.Module):
        def forward(self, a, b):
            return a @ b

        def right_inverse(self, w):
            return w.clone(), torch.eye(w.shape[1])

    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    say("layer", layer, type(layer).__name__, list(layer.state_dict()), [n for n, _ in layer.named_parameters()])
    say("asked", parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias"),
        parametrize.type_before_parametrizations(layer).__name__)
    layer.weight = torch.arange(9.0).view(3, 3)
    say("assigned", layer.weight, layer.parametrizations.weight.original)
    with parametrize.cached():
        say("cached", layer.weight is layer.weight)
    say("computed", layer.weight is layer.weight)
    twin = copy.deepcopy(layer)
    say("copied", type(twin).__name__, twin.weight)
    say.outcome("pickled", lambda: pickle.dumps(layer))
    say.gradients("gradients", layer(torch.ones(2, 3)), *layer.parameters())
    parametrize.register_parametrization(layer, "weight", Symmetric())
    say("twice", len(layer.parametrizations.weight), layer.weight)
    original = layer.parametrizations.weight.original
    parametrize.remove_parametrizations(layer, "weight")
    say("removed", type(layer).__name__, list(layer.state_dict()), layer.weight, layer.weight is original)
    parametrize.register_parametrization(layer, "weight", Product())
    say("several", layer, list(layer.state_dict()))
    say.outcome("unparametrized", lambda: parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False))
    other = nn.Linear(3, 3)
    parametrize.transfer_parametrizations_and_params(layer, other)
    say("transferred", other, other.parametrizations.weight.original0 is layer.parametrizations.weight.original0)
    parametrize.remove_parametrizations(layer, "weight")
    say("removed", layer, type(layer.weight).__name__)
    say.outcome("shape", lambda: parametrize.register_parametrization(layer, "weight", Shorter()))
    say.outcome("name", lambda: parametrize.register_parametrization(layer, "nope", Shorter()))
    say.outcome("none", lambda: parametrize.remove_parametrizations(layer, "weight"))
    say("unsafe", parametrize.register_parametrization(nn.Linear(3, 3), "weight", Shorter(), unsafe=True).weight.shape)


def orthogonal(torch, say):
    nn, orthogonal = torch.nn, torch.nn.utils.parametrizations.orthogonal
    maps = [None, "matrix_exp", "cayley", "householder"]
    for shape, name, trivial in itertools.product([(4, 4), (5, 3), (3, 5)], maps, [True, False]):
        torch.manual_seed(1)
        layer = orthogonal(nn.Linear(*shape).double(), orthogonal_map=name, use_trivialization=trivial)
        weights = torch.arange(layer.weight.numel(), dtype=torch.float64).view(layer.weight.shape)
        say(f"orthogonal {shape} {name} {trivial}", layer.weight, list(layer.state_dict()))
        say.gradients("gradient", layer.weight * weights, layer.parametrizations.weight.original)
    layer = orthogonal(nn.Linear(4, 4))
    say("layer", layer)
    layer.weight = torch.eye(4).flip(0)
    say("assigned", layer.weight)
    say.outcome("map", lambda: orthogonal(nn.Linear(4, 4), orthogonal_map="x"))
    say.outcome("vector", lambda: orthogonal(nn.Linear(4, 4), "bias"))
    say.outcome("name", lambda: orthogonal(nn.Linear(4, 4), "nope"))
    fixed = orthogonal(nn.Linear(4, 4), orthogonal_map="cayley", use_trivialization=False)
    say.outcome("assigned", lambda: setattr(fixed, "weight", torch.eye(4)))


def norms(torch, say):
    nn, ways = torch.nn, torch.nn.utils.parametrizations
    for dim in (0, 1, None):
        layer = ways.weight_norm(nn.Linear(3, 4), dim=dim)
        say("weight norm", layer, list(layer.state_dict()), layer.parametrizations.weight.original0, layer.weight)
        say.gradients("gradients", layer(torch.ones(2, 3)), *layer.parameters())
    for layer in (nn.Linear(3, 4), nn.Conv2d(2, 3, 2), nn.ConvTranspose2d(2, 3, 2)):
        layer = ways.spectral_norm(layer)
        say("spectral norm", layer, list(layer.state_dict()), layer.weight, layer.weight)
        layer.eval()
        say("evaluated", layer.weight)
        say.gradients("gradient", layer.weight, layer.parametrizations.weight.original)
    say("vector", ways.spectral_norm(nn.Linear(2, 2), "bias").bias)
    say.outcome("iterations", lambda: ways.spectral_norm(nn.Linear(2, 2), n_power_iterations=0))
    say.outcome("dim", lambda: ways.spectral_norm(nn.Linear(2, 2), dim=2))
    say.outcome("name", lambda: ways.spectral_norm(nn.Linear(2, 2), "nope"))
