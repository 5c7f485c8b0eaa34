"""ctc_loss: values, gradients and refusals, over reductions and ways to give targets."""

PADDED = [[1, 2, 2], [3, 1, 0], [1, 1, 1]]
JOINED = [1, 2, 2, 3, 1, 1, 1, 1]


def run(torch, say):
    loss = torch.nn.functional.ctc_loss
    x = torch.randn(6, 3, 4, dtype=torch.float64)
    cases = [
        (PADDED, (6, 5, 4), (3, 2, 3)),                      # the last does not fit: three equal labels need 5 frames
        (JOINED, torch.tensor([6, 5, 6]), torch.tensor([3, 2, 3])),
        (PADDED, (6, 0, 0), (0, 2, 0)),
        (PADDED, (6, 3, 5), (1, 1, 2)),
    ]
    for targets, frames, lengths in cases:
        for reduction in ("none", "mean", "sum"):
            for zero_infinity in (False, True):
                y = x.clone().requires_grad_()
                out = loss(y.log_softmax(2), torch.tensor(targets), frames, lengths, reduction=reduction,
                           zero_infinity=zero_infinity)
                out.sum().backward()
                say(f"{reduction} {zero_infinity}", out, out.grad_fn.name(), y.grad)
    logs, targets = x.log_softmax(2), torch.tensor(PADDED)
    say("raw gradient", *torch.autograd.grad(loss(logs.requires_grad_(), targets, (6, 5, 6), (3, 2, 3)), logs))
    logs = logs.detach()
    say("blank 2", loss(logs, torch.tensor([[1, 0], [3, 3], [1, 1]]), (6, 6, 6), (2, 2, 2), blank=2))
    say("module", torch.nn.CTCLoss(blank=2, reduction="sum"), torch.nn.CTCLoss()(logs, targets, (6, 5, 6), (3, 2, 3)))
    say("one sample", loss(logs[:, 0], targets[0], (6,), (3,)), loss(logs[:, 0], targets[0], torch.tensor(6), torch.tensor(3)))
    say("number", torch.ctc_loss(logs, targets, (6, 5, 6), (3, 2, 3)), torch.ctc_loss(logs, targets, (6, 5, 6), (3, 2, 3), 0, 2))
    refused = {
        "frames": (logs, targets, (6, 5), (3, 2, 3)),
        "lengths": (logs, targets, (6, 5, 4), (3, 2)),
        "too many frames": (logs, targets, (7, 5, 4), (3, 2, 3)),
        "too long": (logs, targets, (6, 5, 4), (4, 2, 3)),
        "half": (logs.half(), targets, (6, 5, 4), (3, 2, 3)),
        "negative frames": (logs, targets, (6, -5, 4), (3, 2, 3)),
        "negative length": (logs, targets, (6, 5, 4), (3, -2, 3)),
        "dims": (logs, targets[None], (6, 5, 4), (3, 2, 3)),
        "joined": (logs, torch.tensor([1, 2, 3]), (6, 5, 4), (3, 2, 3)),
        "empty": (logs[:0], targets, (0, 0, 0), (3, 2, 3)),
        "blank": (logs, targets, (6, 5, 4), (3, 2, 3), 9),
        "reduction": (logs, targets, (6, 5, 4), (3, 2, 3), 0, "x"),
    }
    for label, arguments in refused.items():
        say.outcome(label, lambda arguments=arguments: loss(*arguments))
    y = x.clone().requires_grad_()
    grad, = torch.autograd.grad(loss(y.log_softmax(2), targets, (6, 5, 6), (3, 2, 3)), y, create_graph=True)
    say.outcome("second order", lambda: grad.sum().backward())
