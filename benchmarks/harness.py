"""Timing two engines side by side.

Every case is a function that takes an engine (``rushlight`` or ``torch``) and returns a function without arguments: the work.
Both are timed in turn, many short rounds, so that a machine whose speed drifts slows both; what is reported is the ratio of
the medians, PyTorch / rushlight: above 1 rushlight is faster. Absolute times are printed for orientation only.
"""
import gc
import importlib
import math
import statistics
import time


def engines():
    """(torch, rushlight)."""
    return importlib.import_module("torch"), importlib.import_module("rushlight")


def calibrate(work, seconds):
    """How many calls take about ``seconds``."""
    n = 1
    while True:
        start = time.perf_counter()
        for _ in range(n):
            work()
        taken = time.perf_counter() - start
        if taken > seconds / 2:
            return max(1, int(n * seconds / taken))
        n *= 4


def timed(work, n):
    start = time.perf_counter()
    for _ in range(n):
        work()
    return (time.perf_counter() - start) / n


def compare(case, rounds=15, seconds=0.01):
    """(median of torch, median of rushlight, ratio) of a case, in seconds per call."""
    torch, rushlight = engines()
    works = [case(torch), case(rushlight)]
    counts = []
    for work in works:
        work()
        counts.append(calibrate(work, seconds))
    times = ([], [])
    gc.collect()
    for i in range(rounds):
        for which in ((0, 1) if i % 2 else (1, 0)):
            times[which].append(timed(works[which], counts[which]))
    a, b = statistics.median(times[0]), statistics.median(times[1])
    return a, b, a / b


def table(title, cases, rounds=15, seconds=0.01):
    """Print a row per case and the geometric mean; returns {name: ratio}."""
    print(f"\n{title}\n{'case':44}{'torch us':>12}{'rushlight us':>14}{'ratio':>8}")
    ratios = {}
    for name, case in cases.items():
        a, b, ratio = compare(case, rounds, seconds)
        ratios[name] = ratio
        print(f"{name:44}{a * 1e6:12.2f}{b * 1e6:14.2f}{ratio:8.2f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print(f"{'geometric mean':44}{'':26}{mean:8.2f}   lowest {min(ratios.values()):.2f} ({min(ratios, key=ratios.get)})")
    return ratios
