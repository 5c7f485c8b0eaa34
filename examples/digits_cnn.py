"""Handwritten digits once more, with convolutions, and with an interruption in the middle of the training.

    python examples/digits_cnn.py            with PyTorch
    rushlight run examples/digits_cnn.py     with rushlight, this file as it is

The images are those of digits.py. Two convolutions look for strokes wherever they lie, which is why this
network needs fewer weights than one that learns every pixel on its own. A `DataLoader` shuffles
and batches; `OneCycleLR` raises the step size and lowers it again.

Halfway the program writes a checkpoint and forgets everything. It builds network, optimizer and scheduler anew,
loads the checkpoint into them and goes on. A checkpoint that only held the weights would make the second half
another training than it would have been: the optimizer's averages, the schedule and the state of the random
numbers (dropout, the order of the images) belong to it as well.
"""

import argparse
import csv
import gzip
import json
import pathlib
import sys
import tempfile
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

DATA = pathlib.Path(__file__).with_name("digits.csv.gz")
BATCH = 64


def load_digits(path):
    """The images, one channel of 8x8 floats between 0 and 1 each, and the digits they show."""
    with gzip.open(path, "rt", newline="") as stream:
        rows = [[int(value) for value in row] for row in csv.reader(stream)]
    table = torch.tensor(rows)
    return table[:, :64].float().view(-1, 1, 8, 8) / 16, table[:, 64]


class Network(nn.Module):
    """1x8x8 -> 16x8x8 -> 32x8x8 -> (halved) 32x4x4 -> 10 scores, one for each digit.

    A bias before a batch normalization would be subtracted again; its gradient would be nothing but rounding,
    which Adam would scale up to steps as large as any other.
    """

    def __init__(self):
        super().__init__()
        self.strokes = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()
        )
        self.shapes = nn.Sequential(
            nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.scores = nn.Sequential(nn.Flatten(), nn.Dropout(0.4), nn.Linear(32 * 4 * 4, 10))

    def forward(self, images):
        return self.scores(self.shapes(self.strokes(images)))


class Training:
    """All that a training consists of, and that has to be in its checkpoint."""

    def __init__(self, steps):
        self.network = Network()
        self.optimizer = torch.optim.AdamW(self.network.parameters(), weight_decay=1e-2)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, max_lr=1e-2, total_steps=steps)
        self.losses = []

    def epoch(self, loader):
        self.network.train()
        for images, digits in loader:
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.network(images), digits)
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            self.losses.append(loss.item())

    def save(self, path):
        torch.save(
            {
                "network": self.network.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "scheduler": self.scheduler.state_dict(),
                "losses": self.losses,
                "random": torch.get_rng_state(),
            },
            path,
        )

    def load(self, path):
        checkpoint = torch.load(path)
        self.network.load_state_dict(checkpoint["network"])
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        self.scheduler.load_state_dict(checkpoint["scheduler"])
        self.losses = checkpoint["losses"]
        torch.set_rng_state(checkpoint["random"])


def scores_of(network, loader):
    """The scores of all images, and the digits that they show."""
    network.eval()
    with torch.no_grad():
        pairs = [(network(images), digits) for images, digits in loader]
    return torch.cat([scores for scores, _ in pairs]), torch.cat([digits for _, digits in pairs])


def resumed(training, steps, loader):
    """A new training that goes on where this one stands, by way of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "checkpoint.pt"
        training.save(path)
        size = path.stat().st_size
        new = Training(steps)  # draws other weights, and moves the random numbers on
        new.load(path)
    same = torch.equal(scores_of(new.network, loader)[0], scores_of(training.network, loader)[0])
    note = "the same scores as before" if same else "OTHER SCORES than before"
    print(f"a checkpoint of {size / 1000:.0f} kB after {len(training.losses)} steps, loaded: {note}")
    return new


def progress_bar(done, of, loss):
    """A bar on standard error that redraws itself, where a person is watching; elsewhere nothing."""
    if sys.stderr.isatty():
        bar = "#" * (30 * done // of)
        end = "\n" if done == of else ""
        print(f"\rtraining [{bar:.<30}] {done}/{of}  loss {loss:.4f}", end=end, file=sys.stderr, flush=True)


def plot(path, losses, scores, digits):
    """The course of the loss, and how often each digit was read as which."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    matplotlib.use("Agg")  # files only: no window, no screen needed
    from matplotlib import pyplot

    confused = torch.bincount(digits * 10 + scores.argmax(dim=1), minlength=100).view(10, 10)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.semilogy(losses, linewidth=0.8)
    left.axvline(len(losses) // 2, color="gray", linestyle=":")
    left.set(title="training", xlabel="step (dotted: the interruption)", ylabel="cross entropy of a batch")
    right.imshow(
        [[count**0.3 for count in row] for row in confused.tolist()], cmap="Blues"
    )  # so that a 1 is seen
    for row, counts in enumerate(confused.tolist()):
        for column, count in enumerate(counts):
            if count:
                right.text(
                    column, row, count, ha="center", va="center", color="white" if row == column else "black"
                )
    right.set(title="test images", xlabel="read as", ylabel="digit", xticks=range(10), yticks=range(10))
    figure.savefig(path, dpi=120)
    print(f"plot saved to {path}")


def main():
    parser = argparse.ArgumentParser(description="Train a small convolutional network on handwritten digits.")
    parser.add_argument(
        "--epochs", type=int, default=12, help="passes over the training images (default: %(default)s)"
    )
    parser.add_argument("--plot", default="digits_cnn.png", help="where the plot goes (default: %(default)s)")
    parser.add_argument("--losses", help="a file that receives the loss of every step, as JSON")
    words = parser.parse_args()

    torch.manual_seed(0)  # the same split, weights, dropout and order of images, every time
    images, digits = load_digits(DATA)
    data = TensorDataset(images, digits)
    count = len(data) * 4 // 5
    learned, tested = random_split(data, [count, len(data) - count])
    loader = DataLoader(learned, batch_size=BATCH, shuffle=True)
    # With random numbers of its own: every pass through a loader draws one, even where nothing is shuffled, and
    # looking at the test images shall not change the training.
    test_loader = DataLoader(tested, batch_size=256, generator=torch.Generator())
    print(f"{len(data)} images: {len(learned)} to learn from, {len(tested)} to be tested on")

    steps = words.epochs * len(loader)
    training = Training(steps)
    print(f"{sum(parameter.numel() for parameter in training.network.parameters())} parameters")
    started = time.perf_counter()
    for epoch in range(words.epochs):
        if epoch == words.epochs // 2:
            training = resumed(training, steps, test_loader)
        training.epoch(loader)
        progress_bar(epoch + 1, words.epochs, sum(training.losses[-len(loader) :]) / len(loader))
    print(f"trained {words.epochs} epochs in {time.perf_counter() - started:.1f} s")

    scores, digits = scores_of(training.network, test_loader)
    right = (scores.argmax(dim=1) == digits).sum().item()
    print(f"training loss {sum(training.losses[-len(loader) :]) / len(loader):.4f} over the last epoch")
    print(f"test loss {F.cross_entropy(scores, digits).item():.4f}")
    print(f"test accuracy {right / len(digits):.2%} ({right} of {len(digits)})")
    if words.losses:
        pathlib.Path(words.losses).write_text(json.dumps(training.losses))
    plot(words.plot, training.losses, scores, digits)


if __name__ == "__main__":
    main()
