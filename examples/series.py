"""A forecast of a chaotic series: an LSTM sees 40 values and says the next 12.

    python examples/series.py            with PyTorch
    rushlight run examples/series.py     with rushlight, this file as it is

The series follows the law of Mackey and Glass (*Oscillation and chaos in physiological control systems*, Science
197, 1977), which describes how many white blood cells there are when new ones arrive late:

    dx/dt = 0.2 x(t - 17) / (1 + x(t - 17)^10) - 0.1 x(t)

With a delay of 17 the solution swings about every 50 units of time, but never twice in the same way. It is solved
here by Heun's method, in steps of 0.1, and every third unit of time is kept: 40 values are 120 units of time.

A forecast is worth what it is better than doing nothing. So the error stands beside that of the naive
forecast, which says that all stays as it is, and beside that of a straight line through the last two values.
"""

import argparse
import json
import pathlib
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

SEEN, AHEAD = 40, 12
BATCH = 64


def mackey_glass(count, every=30, step=0.1, delay=17.0, start=1.2):
    """`count` values of the series, after the first 300 units of time, in which it forgets how it started.

    Heun's method: the slope at a guess of the next value is averaged with the slope here. Plain Python floats, so
    that the series is the same to the last bit whatever computes with it afterwards.
    """

    def slope(now, late):
        return 0.2 * late / (1 + late**10) - 0.1 * now

    lag, warm_up = round(delay / step), round(300 / step)
    x = [start] * (lag + 1)  # before the beginning it stood still
    for n in range(lag, lag + warm_up + count * every):
        here = slope(x[n], x[n - lag])
        there = slope(x[n] + step * here, x[n + 1 - lag])
        x.append(x[n] + step * (here + there) / 2)
    return x[-count * every :: every]


class Forecaster(nn.Module):
    """Reads the values one after another; from what the LSTM remembers at the end come all values ahead.

    What it says is the change against the last value, so that it starts from the naive forecast.
    """

    def __init__(self, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(input_size=1, hidden_size=hidden, num_layers=1, batch_first=True)
        self.changes = nn.Linear(hidden, AHEAD)

    def forward(self, seen):
        remembered, _ = self.lstm(seen.unsqueeze(-1))
        return seen[:, -1:] + self.changes(remembered[:, -1])


def windows(series):
    """All stretches of the series: what is seen, and what comes then."""
    stretches = series.unfold(0, SEEN + AHEAD, 1)
    return stretches[:, :SEEN], stretches[:, SEEN:]


def train(model, seen, ahead, epochs, progress):
    loader = DataLoader(TensorDataset(seen, ahead), batch_size=BATCH, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    losses = []
    for epoch in range(epochs):
        for before, after in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(model(before), after)
            loss.backward()
            nn.utils.clip_grad_norm_(
                model.parameters(), 1.0
            )  # 40 steps back through time can make a gradient large
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        progress(epoch + 1, epochs, sum(losses[-len(loader) :]) / len(loader))
    return losses


def error(forecast, truth):
    """The root of the mean square error, for each step ahead."""
    return (forecast - truth).square().mean(dim=0).sqrt()


def free_run(model, seen, blocks):
    """A long forecast: the model reads its own forecasts as if they had come true."""
    values = seen
    for _ in range(blocks):
        values = torch.cat([values, model(values[:, -SEEN:])], dim=1)
    return values[:, SEEN:]


def progress_bar(done, of, loss):
    """A bar on standard error that redraws itself, where a person is watching; elsewhere nothing."""
    if sys.stderr.isatty():
        bar = "#" * (30 * done // of)
        end = "\n" if done == of else ""
        print(f"\rtraining [{bar:.<30}] {done}/{of}  loss {loss:.6f}", end=end, file=sys.stderr, flush=True)


def plot(path, series, forecast, errors):
    """The long forecast beside the truth, and the error that grows with the steps ahead."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    matplotlib.use("Agg")  # files only: no window, no screen needed
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4), width_ratios=(2, 1), layout="constrained")
    left.plot(series, color="gray", label="the law")
    left.plot(range(SEEN, SEEN + len(forecast)), forecast, color="C1", label="forecast, fed with itself")
    left.axvline(SEEN - 1, color="gray", linestyle=":")
    left.set(
        title="the test series", xlabel="step (dotted: the last value seen)", ylabel="x", ylim=(0.3, 1.6)
    )
    left.legend(loc="upper right", ncols=2)
    for name, values in errors.items():
        right.semilogy(range(1, AHEAD + 1), values, marker=".", label=name)
    right.set(title="error on the test series", xlabel="steps ahead", ylabel="root of the mean square error")
    right.legend()
    figure.savefig(path, dpi=120)
    print(f"plot saved to {path}")


def main():
    parser = argparse.ArgumentParser(description="Forecast a chaotic series with an LSTM.")
    parser.add_argument(
        "--epochs", type=int, default=25, help="passes over the series (default: %(default)s)"
    )
    parser.add_argument("--plot", default="series.png", help="where the plot goes (default: %(default)s)")
    parser.add_argument("--losses", help="a file that receives the loss of every step, as JSON")
    words = parser.parse_args()

    torch.manual_seed(0)  # the same weights and the same order of the windows, every time
    series = torch.tensor(mackey_glass(2000))
    past, future = series[:1600], series[1600:]  # the test series lies after all that was learned
    mean, spread = past.mean(), past.std()
    seen, ahead = windows((past - mean) / spread)
    test_seen, test_ahead = windows((future - mean) / spread)
    print(f"{len(seen)} windows to learn from, {len(test_seen)} later ones to be tested on")

    model = Forecaster()
    print(f"{sum(parameter.numel() for parameter in model.parameters())} parameters")
    started = time.perf_counter()
    losses = train(model, seen, ahead, words.epochs, progress_bar)
    print(f"trained {words.epochs} epochs in {time.perf_counter() - started:.1f} s")

    with torch.no_grad():
        last, slope = test_seen[:, -1:], test_seen[:, -1:] - test_seen[:, -2:-1]
        forecasts = {
            "LSTM": model(test_seen),
            "naive": last.expand(-1, AHEAD),
            "line": last + slope * torch.arange(1, AHEAD + 1),
        }
        errors = {name: error(forecast, test_ahead) * spread for name, forecast in forecasts.items()}
        blocks = 10
        free = free_run(model, test_seen[:1], blocks)[0] * spread + mean

    epoch = -(-len(seen) // BATCH)
    print(f"training loss {sum(losses[-epoch:]) / epoch:.6f} over the last epoch")
    print("\nroot of the mean square error on the test series, by steps ahead:")
    print(f"{'ahead':>6}" + "".join(f"{name:>10}" for name in errors))
    for step in (1, 2, 3, 6, 9, 12):
        print(f"{step:6}" + "".join(f"{values[step - 1].item():10.4f}" for values in errors.values()))
    print(
        f"{'all':>6}" + "".join(f"{values.square().mean().sqrt().item():10.4f}" for values in errors.values())
    )
    print(f"(the series itself has a standard deviation of {future.std().item():.4f})")
    if words.losses:
        pathlib.Path(words.losses).write_text(json.dumps(losses))
    stretch = future[: SEEN + blocks * AHEAD].tolist()
    plot(words.plot, stretch, free.tolist(), {name: values.tolist() for name, values in errors.items()})


if __name__ == "__main__":
    main()
