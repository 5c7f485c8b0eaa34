"""Memory and import: what a process pays before its first tensor, what a graph holds, and what a step leaves behind.

    python benchmarks/memory.py
"""
import gc
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc


def child(code):
    """(seconds, peak KiB) of a fresh interpreter that runs ``code``."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code + "; import resource; "
                           "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"], capture_output=True, text=True, check=True)
    return time.perf_counter() - start, int(done.stdout.split()[-1])


def imports(rounds=9):
    times, peaks = {}, {}
    for i in range(rounds):
        for name in ("numpy", "rushlight", "torch"):
            seconds, peak = child(f"import {name}")
            if i:                              # the first round fills the caches
                times.setdefault(name, []).append(seconds)
                peaks.setdefault(name, []).append(peak)
    empty = statistics.median(child("pass")[0] for _ in range(rounds))
    t = {n: statistics.median(v) for n, v in times.items()}
    p = {n: statistics.median(v) for n, v in peaks.items()}
    print("import, whole process: " + ", ".join(f"{n} {t[n]:.3f} s, {p[n] / 1024:.0f} MiB" for n in t))
    print(f"time of import rushlight / time of import numpy: {(t['rushlight'] - empty) / (t['numpy'] - empty):.2f}")
    print(f"peak of import rushlight / peak of import torch: {p['rushlight'] / p['torch']:.3f}")


def long_chain(rushlight, lengths=(125_000, 250_000, 500_000, 1_000_000)):
    """Build, walk and free a chain of operators; time per operator should not grow."""
    for n in lengths:
        x = rushlight.ones(1, requires_grad=True)
        start = time.perf_counter()
        y = x
        for _ in range(n):
            y = y + 1.0
        built = time.perf_counter()
        y.backward()
        walked = time.perf_counter()
        del y
        freed = time.perf_counter()
        print(f"chain of {n:9,}: build {(built - start) / n * 1e6:.2f} us, walk {(walked - built) / n * 1e6:.2f} us, "
              f"free {(freed - walked) / n * 1e6:.2f} us per operator; gradient {x.grad.item()}")


def training_growth(rushlight, steps=1000):
    """Memory left by training steps with the garbage collector off."""
    nn = rushlight.nn
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = rushlight.optim.Adam(model.parameters())
    x, y = rushlight.randn(64, 64), rushlight.randint(0, 10, (64,))

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    gc.collect()
    gc.disable()
    tracemalloc.start()
    for _ in range(20):          # buffers and caches that stay are made once
        step()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(steps):
        step()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    gc.enable()
    print(f"growth over {steps} steps without the garbage collector: {after - before} bytes")


def kept_by_graph(rushlight, n=1_000_000, length=20):
    """Bytes that a recorded chain holds beyond its input: products with constants keep nothing of the chain, exp its results."""
    for name, step, expected in (("mul by a tensor without grad", None, "one constant"), ("exp", "exp", f"{length} results")):
        x = rushlight.zeros(n, requires_grad=True)
        constant = rushlight.full((n,), 1.0)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        y = x
        for _ in range(length):
            y = y.exp() * 0.0 if step else y * constant
        held = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        print(f"chain of {length} {name}: {held / (4 * n):.2f} arrays held (expected: {expected} and the last result)")
        del y


def main():
    import rushlight  # after the children: their figures are of fresh processes

    imports()
    long_chain(rushlight)
    training_growth(rushlight)
    kept_by_graph(rushlight)
    print(f"peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
