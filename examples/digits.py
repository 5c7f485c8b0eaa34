"""Handwritten digits: train a small network, then look at the gradients inside it.

    python examples/digits.py            with PyTorch
    rushlight run examples/digits.py     with rushlight, this file as it is

The data are 1,797 images of digits, 8x8 pixels each, which lie beside this file (README.md there says where
they come from). A network of three layers learns four fifths of them and is tested on the rest.

Then comes the question this example is about. `loss.backward()` leaves a gradient in every *parameter*, in
its `.grad`. The tensors between the layers receive gradients as well, but PyTorch drops them as soon as they
were used. A tensor that was asked to with `retain_grad()` keeps its own, and so one can see what arrived at
each station of the network.
"""

import argparse
import csv
import gzip
import pathlib
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

DATA = pathlib.Path(__file__).with_name("digits.csv.gz")
BATCH = 64


def load(path):
    """The images, as floats between 0 and 1 with 64 to a row, and the digits they show."""
    with gzip.open(path, "rt", newline="") as stream:
        rows = [[int(value) for value in row] for row in csv.reader(stream)]
    table = torch.tensor(rows)
    return table[:, :64].float() / 16, table[:, 64]


class Network(nn.Module):
    """64 pixels -> 128 -> 64 -> 10 scores, one for each digit."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 128)
        self.dropout = nn.Dropout(0.2)
        self.second = nn.Linear(128, 64)
        self.scores = nn.Linear(64, 10)

    def stations(self, images):
        """Every intermediate tensor on the way, by name; the last one holds the scores."""
        first = self.first(images)
        first_on = F.relu(first)
        second = self.second(self.dropout(first_on))
        second_on = F.relu(second)
        return {
            "first": first,
            "relu(first)": first_on,
            "second": second,
            "relu(second)": second_on,
            "scores": self.scores(second_on),
        }

    def forward(self, images):
        return self.stations(images)["scores"]


def train(network, images, digits, epochs, progress):
    network.train()
    optimizer = optim.Adam(network.parameters(), weight_decay=1e-3)
    for epoch in range(epochs):
        optimizer.param_groups[0]["lr"] = 4e-3 * (
            1 - epoch / epochs
        )  # ever smaller steps: from searching to settling
        total = 0.0
        for chosen in torch.randperm(len(images)).split(BATCH):
            optimizer.zero_grad()
            loss = F.cross_entropy(network(images[chosen]), digits[chosen])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chosen)
        progress(epoch + 1, epochs, total / len(images))


def accuracy(network, images, digits):
    network.eval()
    with torch.no_grad():
        return (network(images).argmax(dim=1) == digits).float().mean().item()


def gradients_inside(network, images, digits):
    """What each station of the network receives from one backward pass."""
    network.eval()
    stations = network.stations(images)
    for tensor in stations.values():
        tensor.retain_grad()  # before the backward pass: afterwards the gradient is gone
    F.cross_entropy(stations["scores"], digits).backward()
    return {name: tensor.grad for name, tensor in stations.items()}


def print_table(gradients):
    print(f"{'gradient at':14}{'shape':>10}{'norm':>11}{'mean':>12}{'zeros':>8}")
    for name, gradient in gradients.items():
        shape = "x".join(str(size) for size in gradient.shape)
        zeros = (gradient == 0).float().mean().item()
        print(f"{name:14}{shape:>10}{gradient.norm().item():11.3e}{gradient.mean().item():12.2e}{zeros:8.1%}")


def progress_bar(done, of, loss):
    """A bar on standard error that redraws itself, where a person is watching; elsewhere nothing."""
    if sys.stderr.isatty():
        filled = 30 * done // of
        end = "\n" if done == of else ""
        print(
            f"\rtraining [{'#' * filled}{'.' * (30 - filled)}] {done}/{of}  loss {loss:.4f}",
            end=end,
            file=sys.stderr,
        )
        sys.stderr.flush()


def main():
    parser = argparse.ArgumentParser(
        description="Train on handwritten digits, then look at the gradients inside."
    )
    parser.add_argument(
        "--epochs", type=int, default=40, help="passes over the training images (default: %(default)s)"
    )
    epochs = parser.parse_args().epochs

    torch.manual_seed(0)  # the same split, the same first weights and the same order of images, every time
    images, digits = load(DATA)
    order = torch.randperm(len(images))
    images, digits = images[order], digits[order]
    count = len(images) * 4 // 5
    print(f"{len(images)} images: {count} to learn from, {len(images) - count} to be tested on")

    network = Network()
    started = time.perf_counter()
    train(network, images[:count], digits[:count], epochs, progress_bar)
    print(f"trained {epochs} epochs in {time.perf_counter() - started:.1f} s")
    print(f"test accuracy {accuracy(network, images[count:], digits[count:]):.2%}")

    # Read the table from its last row up, the way the gradients travel. A unit that its ReLU switched off for
    # an image passes nothing back: the rows before a ReLU show exact zeros that the rows after it do not. A
    # norm that shrinks or grows by much from row to row would be a vanishing or exploding gradient; these
    # keep their size.
    print("\nThe test images, after training:")
    print_table(gradients_inside(network, images[count:], digits[count:]))


if __name__ == "__main__":
    main()
