"""Surnames that nobody bears: a small GPT learns the letters of 10,000 real ones and then invents its own.

    python examples/names.py            with PyTorch
    rushlight run examples/names.py     with rushlight, this file as it is

The names are the 10,000 most frequent ones of the US census of 1990 (README.md says where they come from).
The model reads a name letter by letter and says at each place how likely every next letter is. It is what
language models are made of, at 1/1,000,000 of their size: embeddings of letters and places, blocks of causal
attention and of a small network, each added to what came before, and scores at the end.

Its loss, in nats per letter, stands beside that of a table which only knows how often a letter follows another.
"""

import argparse
import gzip
import json
import math
import pathlib
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

DATA = pathlib.Path(__file__).with_name("surnames.txt.gz")
LETTERS = ".abcdefghijklmnopqrstuvwxyz"  # the dot stands before the first letter and after the last
PLACES = 14  # thirteen letters and the dot
NOTHING = -100  # what cross_entropy leaves out unless told otherwise: the places after the end of a name
BATCH = 32


def load_names(path):
    with gzip.open(path, "rt") as stream:
        return stream.read().split()


def encode(names):
    """What the model reads and what it should say next, one row for each name."""
    codes = [[LETTERS.index(letter) for letter in name] for name in names]
    read = [[0, *row] + [0] * (PLACES - 1 - len(row)) for row in codes]
    said = [[*row, 0] + [NOTHING] * (PLACES - 1 - len(row)) for row in codes]
    return torch.tensor(read), torch.tensor(said)


class Block(nn.Module):
    """Attention to the letters so far, then a network for each place; both are added to what came in."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.before_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.mix = nn.Linear(width, width)
        self.network = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
            nn.Dropout(dropout),
        )

    def attend(self, x):
        batch, places, width = x.shape
        heads = self.queries_keys_values(x).view(batch, places, 3, self.heads, width // self.heads)
        queries, keys, values = heads.permute(2, 0, 3, 1, 4).unbind()
        seen = F.scaled_dot_product_attention(
            queries, keys, values, is_causal=True
        )  # no place sees a later one
        return self.mix(seen.transpose(1, 2).reshape(batch, places, width))

    def forward(self, x):
        x = x + F.dropout(self.attend(self.before_attention(x)), self.dropout, self.training)
        return x + self.network(x)


class Model(nn.Module):
    def __init__(self, width=64, heads=4, blocks=2, dropout=0.05):
        super().__init__()
        self.letters = nn.Embedding(len(LETTERS), width)
        self.places = nn.Embedding(PLACES, width)
        self.blocks = nn.Sequential(*(Block(width, heads, dropout) for _ in range(blocks)))
        self.last = nn.LayerNorm(width)
        self.scores = nn.Linear(width, len(LETTERS))
        for embedding in (self.letters, self.places):
            nn.init.normal_(embedding.weight, std=0.1)

    def forward(self, read):
        x = self.letters(read) + self.places(torch.arange(read.shape[1]))
        return self.scores(self.last(self.blocks(x)))


def loss_of(model, read, said):
    return F.cross_entropy(model(read).flatten(0, 1), said.flatten())


def train(model, read, said, steps, progress):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.05)
    warm = max(1, steps // 20)  # small steps first, while Adam's averages are still made of few gradients
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, 0.5 + 0.5 * math.cos(math.pi * step / steps))
    )
    losses = []
    order = iter(())
    for step in range(steps):
        chosen = next(order, None)
        if chosen is None or len(chosen) < BATCH:  # all names were seen: shuffle them anew
            order = iter(torch.randperm(len(read)).split(BATCH))
            chosen = next(order)
        optimizer.zero_grad()
        loss = loss_of(model, read[chosen], said[chosen])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
        progress(step + 1, steps, losses)
    return losses


def table_loss(read, said, test_read, test_said):
    """The loss of a table of pairs: how often each letter followed each, and one more so that none is impossible."""
    known = said != NOTHING
    pairs = torch.bincount(read[known] * len(LETTERS) + said[known], minlength=len(LETTERS) ** 2) + 1
    table = pairs.view(len(LETTERS), len(LETTERS)).float()
    return F.cross_entropy(table.log()[test_read].flatten(0, 1), test_said.flatten()).item()


@torch.no_grad()
def invent(model, count, temperature=0.8):
    """New names, all letters drawn by chance as the model weighs them; a lower temperature trusts it more."""
    model.eval()
    read = torch.zeros(count, 1, dtype=torch.long)
    for _ in range(PLACES - 1):
        likely = F.softmax(model(read)[:, -1] / temperature, dim=-1)
        read = torch.cat([read, torch.multinomial(likely, 1)], dim=1)
    return ["".join(LETTERS[code] for code in row).split(".")[1] for row in read.tolist()]


def progress_bar(done, of, losses):
    """A bar on standard error that redraws itself, where a person is watching; elsewhere nothing."""
    if sys.stderr.isatty() and (done % 10 == 0 or done == of):
        bar, recent = "#" * (30 * done // of), losses[-50:]
        end = "\n" if done == of else ""
        loss = sum(recent) / len(recent)
        print(f"\rtraining [{bar:.<30}] {done}/{of}  loss {loss:.4f}", end=end, file=sys.stderr, flush=True)


def plot(path, losses, final, table, places):
    """The course of the loss, and which places lie near each other for the model."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    matplotlib.use("Agg")  # files only: no window, no screen needed
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.plot(losses, linewidth=0.6)
    left.axhline(table, color="gray", linestyle=":", label="table of pairs, on the test names")
    left.axhline(final, color="C1", linestyle="--", label="this model, on the test names")
    left.set(title="training", xlabel="step", ylabel="nats per letter")
    left.legend()
    near = F.cosine_similarity(places[:, None], places[None], dim=-1)
    image = right.imshow(near.tolist(), cmap="RdBu", vmin=-1, vmax=1)
    right.set(title="likeness of the places in a name", xlabel="place", ylabel="place")
    figure.colorbar(image, label="cosine of the embeddings")
    figure.savefig(path, dpi=120)
    print(f"plot saved to {path}")


def main():
    parser = argparse.ArgumentParser(description="Learn the letters of surnames and invent new ones.")
    parser.add_argument("--steps", type=int, default=700, help="steps of training (default: %(default)s)")
    parser.add_argument("--plot", default="names.png", help="where the plot goes (default: %(default)s)")
    parser.add_argument("--losses", help="a file that receives the loss of every step, as JSON")
    words = parser.parse_args()

    torch.manual_seed(0)  # the same split, weights, order, dropout and inventions, every time
    names = load_names(DATA)
    read, said = encode(names)
    order = torch.randperm(len(names))
    test, learned = order[:1000], order[1000:]
    print(f"{len(names)} surnames: {len(learned)} to learn from, {len(test)} to be tested on")

    model = Model()
    print(f"{sum(parameter.numel() for parameter in model.parameters())} parameters")
    started = time.perf_counter()
    losses = train(model, read[learned], said[learned], words.steps, progress_bar)
    print(f"trained {words.steps} steps in {time.perf_counter() - started:.1f} s")

    model.eval()
    with torch.no_grad():
        final = loss_of(model, read[test], said[test]).item()
    table = table_loss(read[learned], said[learned], read[test], said[test])
    recent = losses[-100:]
    print(f"training loss {sum(recent) / len(recent):.4f} over the last {len(recent)} steps")
    print(f"test loss {final:.4f} nats per letter (a table of pairs of letters: {table:.4f})")

    known, invented = set(names), invent(model, 60)
    new = list(dict.fromkeys(name for name in invented if name and name not in known))
    print(
        f"{sum(name in known for name in invented)} of {len(invented)} drawn names are in the list. New ones:"
    )
    for start in range(0, min(len(new), 24), 8):
        print("  " + " ".join(f"{name.capitalize():13}" for name in new[start : start + 8]).rstrip())
    if words.losses:
        pathlib.Path(words.losses).write_text(json.dumps(losses))
    plot(words.plot, losses, final, table, model.places.weight.detach())


if __name__ == "__main__":
    main()
