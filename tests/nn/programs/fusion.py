"""Batch norms folded into layers; modules without initial values; memory formats."""


def settled(torch, norm):
    """A batch norm in evaluation with running estimates and parameters that are not trivial."""
    norm.running_mean.normal_()
    norm.running_var.uniform_(1, 2)
    with torch.no_grad():
        norm.weight.uniform_(1, 2)
        norm.bias.normal_()
    return norm.eval()


def run(torch, say):
    nn, utils = torch.nn, torch.nn.utils
    conv, norm = nn.Conv2d(2, 3, 3, bias=False).eval(), settled(torch, nn.BatchNorm2d(3))
    fused = utils.fuse_conv_bn_eval(conv, norm)
    x = torch.randn(1, 2, 5, 5)
    say("convolution", fused.weight, fused.bias, type(fused.bias).__name__, fused(x) - norm(conv(x)))
    conv = nn.ConvTranspose2d(2, 3, 3).eval()
    say("transposed", (utils.fuse_conv_bn_eval(conv, norm, transpose=True)(x) - norm(conv(x))).abs().max())
    linear, norm = nn.Linear(2, 3).eval(), settled(torch, nn.BatchNorm1d(3))
    x = torch.randn(4, 2)
    say("linear", utils.fuse_linear_bn_eval(linear, norm).weight, utils.fuse_linear_bn_eval(linear, norm)(x) - norm(linear(x)))
    say.outcome("features", lambda: utils.fuse_linear_bn_eval(linear, nn.BatchNorm1d(2).eval()))
    say.outcome("estimates", lambda: utils.fuse_linear_bn_eval(linear, nn.BatchNorm1d(3, track_running_stats=False).eval()))
    say.outcome("training", lambda: utils.fuse_linear_bn_eval(linear.train(), norm))
    torch.manual_seed(0)
    say("skipped", utils.skip_init(nn.Linear, 2, 3).weight.shape, torch.rand(2))
    say.outcome("no device", lambda: utils.skip_init(nn.ReLU))
    say.outcome("no module", lambda: utils.skip_init(dict))
    conv = utils.convert_conv2d_weight_memory_format(nn.Conv2d(2, 3, 3), torch.channels_last)
    say("strides", conv.weight.stride())
