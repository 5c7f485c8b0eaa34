"""AdaptiveLogSoftmaxWithLoss."""


def run(torch, say):
    layer = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0, head_bias=True)
    say("layer", layer, list(layer.state_dict()), layer.tail[1][0].weight)
    x = torch.randn(6, 8, requires_grad=True)
    target = torch.tensor([0, 3, 4, 12, 19, 5])
    out = layer(x, target)
    say("output", type(out).__name__, out.output, out.loss)
    say.gradients("gradients", out.output, x, *layer.parameters())
    say("all", layer.log_prob(x).logsumexp(1), layer.predict(x), layer.predict(x[:1]))
    say("one", *layer(x[0], target[0]))
    say.outcome("outside", lambda: layer(x, target + 1))
    say.outcome("rows", lambda: layer(x, target[:2]))
    say.outcome("dims", lambda: layer(x[0], target))
    say.outcome("dims", lambda: layer(x, target[None]))
    say.outcome("dims", lambda: layer(x, target[0]))
    for cutoffs in ([], [3, 2], [0, 3], [3, 20], [2.5, 4], [2, 2]):
        say.outcome(f"cutoffs {cutoffs}", lambda c=cutoffs: torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, c))
