"""Pruning: every method, combined, global, made permanent; and what is refused."""

import importlib


def masks(module):
    return {name: value for name, value in module.state_dict().items() if "mask" in name}


def run(torch, say):
    nn = torch.nn
    prune = importlib.import_module(torch.__name__ + ".nn.utils.prune")
    layer = nn.Linear(4, 5)
    prune.random_unstructured(layer, "weight", 0.3)
    say("random", masks(layer))
    prune.l1_unstructured(layer, "weight", 4)
    say("l1", masks(layer))
    prune.ln_structured(layer, "weight", 1, 2, 0)
    say("ln", masks(layer))
    prune.random_structured(layer, "weight", 0.5, 1)
    say("channels", masks(layer))
    say("pruned", layer.weight, list(layer.state_dict()), len(layer._forward_pre_hooks), prune.is_pruned(layer))
    container = next(iter(layer._forward_pre_hooks.values()))
    say("methods", len(container), [type(method).__name__ for method in container], container[0].amount)
    say.gradients("gradients", layer(torch.ones(1, 4)), *layer.parameters())
    prune.remove(layer, "weight")
    say("removed", list(layer.state_dict()), prune.is_pruned(layer), layer.weight)
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    prune.identity(net[0], "bias")
    prune.global_unstructured([(net[0], "weight"), (net[1], "weight")], prune.L1Unstructured, amount=0.5)
    say("global", masks(net))
    prune.custom_from_mask(net[1], "bias", torch.tensor([1, 0]))
    say("given", net[1].bias)
    say("scores", masks(prune.l1_unstructured(nn.Linear(2, 2), "weight", 2, torch.tensor([[1.0, 2.0], [4.0, 3.0]]))))
    say("a tensor", prune.L1Unstructured(2).prune(torch.arange(6.0)))
    for amount in (-1, 1.5, "x", 100):
        say.outcome(f"amount {amount}", lambda amount=amount: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount))
    plain = nn.Linear(2, 2)
    say.outcome("not pruned", lambda: prune.remove(plain, "weight"))
    say.outcome("vector", lambda: prune.ln_structured(plain, "bias", 1, 2, 0))
    say("as before", list(plain.state_dict()), len(plain._forward_pre_hooks))
    say.outcome("dim", lambda: prune.random_structured(plain, "weight", 1, 3))
    say.outcome("mask", lambda: prune.custom_from_mask(plain, "weight", torch.ones(3)))
    say.outcome("no pairs", lambda: prune.global_unstructured(3, prune.L1Unstructured))
    say.outcome("structured", lambda: prune.global_unstructured([(plain, "weight")], prune.LnStructured, amount=1, n=2))
    say.outcome("no method", lambda: container.add_pruning_method(3))
