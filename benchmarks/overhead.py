"""Where Python's overhead decides: single operators, short and long chains, with and without gradients.

    python benchmarks/overhead.py
"""
import numpy as np
from harness import table

SHAPES = {10: (2, 5), 1000: (10, 100)}


def leaf(lib, shape, requires_grad, seed=0):
    array = np.random.default_rng(seed).standard_normal(shape).astype("float32")
    t = lib.from_numpy(array)
    return t.requires_grad_() if requires_grad else t


def operators(lib, n, grad):
    """{name: forward} of the operators of the table, on tensors of ``n`` elements."""
    shape = SHAPES[n]
    rows, columns = shape
    F = lib.nn.functional
    x, y = leaf(lib, shape, grad), leaf(lib, shape, grad, 1)
    square, w, b = leaf(lib, (columns, columns), grad, 2), leaf(lib, (4, columns), grad, 3), leaf(lib, (4,), grad, 4)
    return {
        "add": lambda: x + y,
        "mul by a number": lambda: x * 2.5,
        "sum": lambda: x.sum(),
        "matmul": lambda: x @ square,
        "indexing": lambda: x[1],
        "view": lambda: x.view(columns, rows),
        "cat": lambda: lib.cat([x, y]),
        "softmax": lambda: F.softmax(x, -1),
        "relu": lambda: lib.relu(x),
        "linear": lambda: F.linear(x, w, b),
    }


def with_backward(lib, forward):
    seed = lib.ones_like(forward().detach())
    return lambda: forward().backward(seed)


def cases_of_operators():
    cases = {}
    for n in SHAPES:
        for name in operators(__import__("rushlight"), n, False):
            cases[f"{name}, {n}"] = lambda lib, n=n, name=name: operators(lib, n, False)[name]
            cases[f"{name}, {n}, forward+backward"] = lambda lib, n=n, name=name: with_backward(lib, operators(lib, n, True)[name])
    return cases


def chain(lib, n, length, retain):
    """``length`` operators one after another, forward and backward; with ``retain``, each keeps its gradient.

    The factors are near 1, so that neither values nor gradients leave the range of ordinary numbers, where processors are slow.
    """
    x = leaf(lib, (n,), True)
    a = lib.from_numpy(np.random.default_rng(1).uniform(0.9, 1.1, n).astype("float32"))
    b = lib.from_numpy(np.random.default_rng(2).uniform(-0.01, 0.01, n).astype("float32"))
    seed = lib.ones_like(a)
    steps = (lambda t: t * a, lambda t: t + b, lib.tanh, lambda t: t * 1.1)

    def work():
        y = x
        for _ in range(length // 4):
            for step in steps:
                y = step(y)
                if retain:
                    y.retain_grad()
        y.backward(seed)
    return work


def cases_of_chains():
    cases = {}
    for n in SHAPES:
        for length in (4, 200):
            for retain in (False, True):
                name = f"{length} operators on {n}{', retain_grad on each' if retain else ''}"
                cases[name] = lambda lib, n=n, length=length, retain=retain: chain(lib, n, length, retain)
    return cases


def training_step(lib, optimizer):
    """One step of a 64-128-10 network at batch 64."""
    lib.manual_seed(0)
    nn, F = lib.nn, lib.nn.functional
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    step = getattr(lib.optim, optimizer)(model.parameters(), lr=0.01)
    x = leaf(lib, (64, 64), False)
    y = lib.from_numpy(np.random.default_rng(1).integers(0, 10, 64))

    def work():
        step.zero_grad()
        F.cross_entropy(model(x), y).backward()
        step.step()
    return work


def cases_of_training():
    return {f"64-128-10, batch 64, {name}": lambda lib, name=name: training_step(lib, name) for name in ("SGD", "Adam")}


def main():
    table("single operators", cases_of_operators())
    table("chains, forward and backward", cases_of_chains(), rounds=11, seconds=0.02)
    table("training step", cases_of_training(), rounds=15, seconds=0.05)


if __name__ == "__main__":
    main()
