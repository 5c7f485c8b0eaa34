"""What it costs to observe: training steps with and without a recording, and the memory that a recording takes.

    python benchmarks/observing.py [--engine rushlight|torch] [--rounds N] [CASE ...]
    python benchmarks/observing.py --memory [--engine rushlight|torch]

A recording is used as people use it: one ``with`` around many steps. Rounds of plain steps and of each way to observe are made in
turn, so that a machine whose speed drifts slows all of them; what is reported is the ratio of the medians, observed / plain, which
includes the opening and closing of the recording, spread over the steps. The engines are not compared, so each runs in a
process of its own, and rushlight alone can be measured where PyTorch is not installed. One thread computes unless ``--threads``
asks for more: threads of a BLAS wait for one another in busy loops, which on a machine with other work hides everything else.

Memory: what a recording of whole gradients holds in arrays, against its budget.
"""
import argparse
import contextlib
import gc
import importlib
import pathlib
import statistics
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import training

from rushlight import compat, observe

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"


def built(lib, case):
    """The step of a case of ``training.py``, and the largest module that was made on the way: the one to be recorded."""
    init, made = lib.nn.Module.__init__, []

    def noting(module, *args, **kwargs):
        made.append(module)
        init(module, *args, **kwargs)
    lib.nn.Module.__init__ = noting
    try:
        step = case(lib)
    finally:
        lib.nn.Module.__init__ = init
    return step, max(made, key=lambda m: sum(1 for _ in m.modules()))


def names_step(lib):
    """The training step of examples/names.py: its model, data, batches and optimizer, as they are there."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        example = importlib.import_module("names")
    finally:
        sys.path.remove(str(EXAMPLES))
    lib.manual_seed(0)
    read, said = example.encode(example.load_names(example.DATA))
    model = example.Model()

    def steps(count):
        example.train(model, read, said, count, lambda *_: None)
    return steps, model


def from_training(name):
    def case(lib):
        step, model = built(lib, training.CASES[name])

        def steps(count):
            for _ in range(count):
                step()
        return steps, model
    return case


CASES = {
    "names.py, GPT of 2 layers, 64 wide": names_step,
    "64-128-10, batch 64, SGD": from_training("64-128-10, batch 64, SGD"),
    "784-512-512-10, batch 128, Adam": from_training("784-512-512-10, batch 128, Adam"),
    "GPT, 4 layers, 128 wide, 64 tokens, batch 16": from_training("GPT, 4 layers, 128 wide, 64 tokens, batch 16"),
}


@contextlib.contextmanager
def plain(model):
    yield None


def recording(**how):
    return lambda model: observe.record(model, **how)


WAYS = {
    "plain": plain,
    "whole": recording(),
    "statistics": recording(keep="statistics"),
    "sample": recording(keep="sample"),
    "watch": lambda model: observe.watch(model, on="log"),
    "statistics, every=10": recording(keep="statistics", every=10),
}


def measure(case, lib, rounds, seconds):
    """{way: seconds per step, one figure for each round} of a case."""
    steps, model = case(lib)
    steps(5)
    start = time.perf_counter()
    steps(10)
    count = max(20, round(10 * seconds / (time.perf_counter() - start)))
    for way in WAYS.values():          # caches of the recorder are filled once
        with way(model):
            steps(2)
    times = {name: [] for name in WAYS}
    for i in range(rounds):
        order = list(WAYS) if i % 2 else list(WAYS)[::-1]
        for name in order:
            gc.collect()
            start = time.perf_counter()
            with WAYS[name](model):
                steps(count)
            times[name].append((time.perf_counter() - start) / count)
    return times


def time_all(lib, engine, chosen, rounds, seconds):
    print(f"\nobserved / plain, {engine}\n{'case':46}{'plain us':>10}" + "".join(f"{n:>12.11}" for n in WAYS if n != "plain"))
    for name in chosen:
        times = {n: statistics.median(t) for n, t in measure(CASES[name], lib, rounds, seconds).items()}
        ratios = "".join(f"{t / times['plain']:12.3f}" for n, t in times.items() if n != "plain")
        print(f"{name:46}{times['plain'] * 1e6:10.0f}{ratios}", flush=True)


def memory(lib, engine):
    """What arrays take under a recording with a budget, and whether it is made use of.

    NumPy tells tracemalloc of its arrays, under a domain of its own; those of the training itself are taken off. What else an entry
    takes are small objects, said beside: some numbers, and of what is kept as statistics beyond the budget 21 quantiles.
    """
    print(f"\nmemory of arrays under a recording of names.py, {engine}, as a share of the budget")
    steps, model = names_step(lib)
    steps(3)
    arrays = [tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)]

    def traced():
        gc.collect()
        return sum(t.size for t in tracemalloc.take_snapshot().filter_traces(arrays).traces)
    gc.collect()
    tracemalloc.start()
    steps(64)
    own = traced()
    tracemalloc.stop()
    for budget in ("5MB", "20MB", "100MB"):
        for keep in ("whole", "sample", "statistics"):
            gc.collect()
            tracemalloc.start()
            with observe.record(model, keep=keep, budget=budget) as rec:
                steps(64)
                held = traced()
                rest = tracemalloc.get_traced_memory()[0] - held
            tracemalloc.stop()
            limit = rec.budget.limit
            kept = sum(1 for e in rec if e.kept == keep)
            print(f"budget {budget:>6}, keep={keep:10}: {(held - own) / limit:6.3f} held, {rec.budget.used / limit:6.3f} counted; "
                  f"{kept} of {len(rec)} entries as asked; {rest / len(rec):5.0f} bytes of objects for each entry", flush=True)
            del rec


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of the names of the cases to run")
    parser.add_argument("--engine", choices=("rushlight", "torch"), help="one engine only, in this process")
    parser.add_argument("--memory", action="store_true", help="memory instead of time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.3, help="how long one round of one way takes, about")
    options = parser.parse_args()
    if options.engine is None:
        for engine in ("rushlight", "torch"):
            if engine == "rushlight" or importlib.util.find_spec("torch"):
                subprocess.run([sys.executable, __file__, "--engine", engine, *sys.argv[1:]], check=True)
        return
    if options.engine == "rushlight":
        compat.install()          # so that the example's `import torch` gives rushlight
    lib = importlib.import_module(options.engine)
    lib.set_num_threads(options.threads)
    if options.memory:
        memory(lib, options.engine)
    else:
        chosen = [n for n in CASES if not options.names or any(part in n for part in options.names)]
        time_all(lib, options.engine, chosen, options.rounds, options.seconds)


if __name__ == "__main__":
    main()
