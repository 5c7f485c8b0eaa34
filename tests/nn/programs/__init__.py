"""Programs over many layers whose output is compared with that of the real PyTorch, line by line.

Each module has ``run(torch, say)``: it computes with the engine it is given and calls ``say`` with what is to be
compared. ``Report`` turns values into lines that do not depend on the engine: floating numbers are rounded,
errors become their type and first line, warnings their category and text.
"""

import contextlib
import importlib
import warnings

NAMES = ["recurrent", "packing", "attention", "transformer", "ctc", "adaptive", "lazy", "parametrizations",
         "hooked_norms", "pruning", "fusion"]


class Report:
    """Collects lines."""

    def __init__(self, torch):
        self.torch = torch
        self.lines = []

    def text(self, value):
        torch = self.torch
        if isinstance(value, torch.Tensor) and type(value).__name__.startswith("Uninitialized"):
            return repr(value)
        if isinstance(value, torch.Tensor):
            value = value.detach()
            if value.is_floating_point() or value.is_complex():
                return f"{[self.number(x) for x in value.double().reshape(-1).tolist()]} {tuple(value.shape)}"
            return f"{value.tolist()}"
        if isinstance(value, torch.Size):
            return str(tuple(value))
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k}: {self.text(v)}" for k, v in value.items()) + "}"
        if isinstance(value, (tuple, list)):
            return "(" + ", ".join(self.text(v) for v in value) + ")"
        return self.number(value) if isinstance(value, float) else str(value)

    @staticmethod
    def number(x):
        text = f"{x:.3f}"
        return text[1:] if text == "-0.000" else text

    def __call__(self, label, *values):
        self.lines.append(f"{label}: " + " ".join(self.text(v) for v in values))

    def outcome(self, label, function):
        """What a call gives: warnings, and a value or an error."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value = self.text(function())
            except Exception as error:
                value = f"{type(error).__name__}: " + str(error).split("\n")[0]
        for w in caught:
            self.lines.append(f"{label} warns: {w.category.__name__}: " + str(w.message).split("\n")[0])
        self.lines.append(f"{label}: {value}")

    def gradients(self, label, loss, *leaves):
        """The gradients of a sum of squares."""
        total = sum((x * x).sum() for x in (loss if isinstance(loss, (tuple, list)) else [loss]))
        found = self.torch.autograd.grad(total, leaves, allow_unused=True)
        self(label, *[x for x in found if x is not None])


def output(name, torch):
    """The lines of one program on one engine."""
    program = importlib.import_module(f"tests.nn.programs.{name}")
    report = Report(torch)
    torch.manual_seed(0)
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        program.run(torch, report)
    return [line.replace("rushlight", "torch") for line in report.lines]
