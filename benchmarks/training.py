"""Whole training steps beside PyTorch, from three weights to a small GPT, and the peak memory of each.

    python benchmarks/training.py [NAME ...]
    python benchmarks/training.py --memory
"""
import argparse
import itertools
import resource
import subprocess
import sys

import numpy as np
from harness import table


def numbers(lib, *shape, seed=0):
    return lib.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def labels(lib, high, *shape, seed=1):
    return lib.from_numpy(np.random.default_rng(seed).integers(0, high, shape))


def stepper(lib, model, optimizer, loss):
    """A function that makes one step."""
    def work():
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    return work


def regression(lib):
    w = numbers(lib, 3).requires_grad_()
    x, y = numbers(lib, 32, 3, seed=1), numbers(lib, 32, seed=2)
    return stepper(lib, None, lib.optim.SGD([w], lr=0.01), lambda: ((x @ w - y) ** 2).mean())


def perceptron(lib, sizes, batch, optimizer):
    lib.manual_seed(0)
    nn = lib.nn
    layers = []
    for a, b in itertools.pairwise(sizes):
        layers += [nn.Linear(a, b), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    x, y = numbers(lib, batch, sizes[0]), labels(lib, sizes[-1], batch)
    chosen = getattr(lib.optim, optimizer)(model.parameters(), lr=0.001)
    return stepper(lib, model, chosen, lambda: nn.functional.cross_entropy(model(x), y))


def cell_loop(lib):
    lib.manual_seed(0)
    cell = lib.nn.RNNCell(16, 32)
    x = numbers(lib, 50, 8, 16)

    def loss():
        h = lib.zeros(8, 32)
        for t in range(50):
            h = cell(x[t], h)
        return (h * h).mean()
    return stepper(lib, cell, lib.optim.SGD(cell.parameters(), lr=0.01), loss)


def lstm(lib):
    lib.manual_seed(0)
    model = lib.nn.LSTM(64, 128)
    x = numbers(lib, 32, 32, 64)
    return stepper(lib, model, lib.optim.Adam(model.parameters()), lambda: (model(x)[0] ** 2).mean())


def lenet(lib):
    lib.manual_seed(0)
    nn = lib.nn
    model = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
    x, y = numbers(lib, 64, 1, 28, 28), labels(lib, 10, 64)
    return stepper(lib, model, lib.optim.SGD(model.parameters(), lr=0.01), lambda: nn.functional.cross_entropy(model(x), y))


def gpt(lib, layers=4, width=128, length=64, batch=16, heads=4, vocabulary=64):
    lib.manual_seed(0)
    nn, F = lib.nn, lib.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            n, t, c = x.shape
            q, k, v = (part.view(n, t, heads, c // heads).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(c, 2))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(n, t, c))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.place = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

        def forward(self, ids):
            x = self.token(ids) + self.place(lib.arange(ids.shape[1]))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))
    model = Model()
    ids = labels(lib, vocabulary, batch, length + 1)
    return stepper(lib, model, lib.optim.AdamW(model.parameters(), lr=1e-3),
                   lambda: F.cross_entropy(model(ids[:, :-1]).reshape(-1, vocabulary), ids[:, 1:].reshape(-1)))


CASES = {
    "linear regression, 3 weights, SGD": regression,
    "64-128-10, batch 64, SGD": lambda lib: perceptron(lib, (64, 128, 10), 64, "SGD"),
    "64-128-10, batch 64, Adam": lambda lib: perceptron(lib, (64, 128, 10), 64, "Adam"),
    "784-512-512-10, batch 128, Adam": lambda lib: perceptron(lib, (784, 512, 512, 10), 128, "Adam"),
    "50 steps of RNNCell, SGD": cell_loop,
    "LSTM 64 to 128, 32 steps, batch 32, Adam": lstm,
    "LeNet, batch 64 of 28x28, SGD": lenet,
    "GPT, 4 layers, 128 wide, 64 tokens, batch 16": gpt,
}


def memory(names):
    """Peak memory that ten steps add to a process that has imported the engine, torch / rushlight."""
    print(f"{'peak memory added by ten steps, MiB':48}{'torch':>10}{'rushlight':>12}")
    for name in names:
        peaks = []
        for engine in ("torch", "rushlight"):
            code = ("import resource, sys, importlib; sys.path.insert(0, sys.argv[1]); import training; "
                    "lib = importlib.import_module(sys.argv[2]); "
                    "lib.nn, lib.optim; (lib.ones(2, requires_grad=True) * 2).sum().backward(); "
                    "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; work = training.CASES[sys.argv[3]](lib); "
                    "[work() for _ in range(10)]; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)")
            done = subprocess.run([sys.executable, "-c", code, sys.path[0], engine, name], capture_output=True, text=True, check=True)
            peaks.append(int(done.stdout.split()[-1]) / 1024)
        print(f"{name:48}{peaks[0]:10.1f}{peaks[1]:12.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of the names of the cases to run")
    parser.add_argument("--memory", action="store_true", help="peak memory instead of time")
    options = parser.parse_args()
    chosen = [n for n in CASES if not options.names or any(part in n for part in options.names)]
    if options.memory:
        memory(chosen)
    else:
        table("training steps", {n: CASES[n] for n in chosen}, rounds=11, seconds=0.1)
        print(f"peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
