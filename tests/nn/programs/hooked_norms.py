"""The older weight_norm and spectral_norm, which hook the module."""


def run(torch, say):
    nn, utils = torch.nn, torch.nn.utils
    for dim in (0, None):
        layer = utils.weight_norm(nn.Linear(3, 4), dim=dim)
        say("weight norm", layer, list(layer.state_dict()), layer.weight_g, layer.weight)
        say.gradients("gradients", layer(torch.ones(2, 3)), *layer.parameters())
    layer = utils.weight_norm(nn.Linear(3, 4))
    newer = utils.parametrizations.weight_norm(nn.Linear(3, 4))
    say.outcome("an older state dict", lambda: newer.load_state_dict(layer.state_dict()))
    say("the same", newer.weight - layer.weight)
    utils.remove_weight_norm(layer)
    say("removed", list(layer.state_dict()))
    say.outcome("removed twice", lambda: utils.remove_weight_norm(layer))
    say.outcome("deprecated", lambda: utils.weight_norm(layer))
    say.outcome("twice", lambda: utils.weight_norm(layer))
    for make, shape in ((lambda: nn.Linear(3, 4), (2, 3)), (lambda: nn.ConvTranspose2d(2, 3, 2), (1, 2, 4, 4))):
        layer = utils.spectral_norm(make())
        say("spectral norm", list(layer.state_dict()), layer.state_dict()._metadata[""])
        out = layer(torch.ones(shape))
        say("weight", layer.weight, layer.weight_u)
        say.gradients("gradients", out, *layer.parameters())
        other = utils.spectral_norm(make())
        say.outcome("loaded", lambda other=other, layer=layer: other.load_state_dict(layer.state_dict()))
        old = layer.state_dict()
        del old["weight_v"], old._metadata[""]["spectral_norm"]
        say.outcome("an older state dict", lambda other=other, old=old: other.load_state_dict(old))
        say("v", other.weight_v)
        utils.remove_spectral_norm(layer)
        say("removed", list(layer.state_dict()), len(layer._state_dict_hooks), len(layer._forward_pre_hooks))
    say.outcome("none", lambda: utils.remove_spectral_norm(nn.Linear(2, 2)))
    say.outcome("iterations", lambda: utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0))
    say.outcome("twice", lambda: utils.spectral_norm(utils.spectral_norm(nn.Linear(2, 2))))
    say.outcome("lazy", lambda: utils.spectral_norm(nn.LazyLinear(2)))
    say.outcome("lazy", lambda: utils.weight_norm(nn.LazyLinear(2)))
