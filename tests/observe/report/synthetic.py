"""Files of runs of any size, written through SQL: a training of 100,000 steps takes too long to wait for."""

import contextlib
import time

import numpy as np

from rushlight.observe.store import connect


def write_run(file, *, tensors, steps, name="long", first=0, every=1, values=False, spike=None, alarm=None):
    """A run of a chain of ``tensors`` layers, each tenth with a weight.

    More than 50 are in modules of ten, in stages of fifty. ``spike``: (layer, step) whose norm is 1e6; ``alarm``: a layer.
    """
    rng = np.random.default_rng(tensors * 7919 + steps)
    with contextlib.closing(connect(file, write=True)) as connection:
        connection.execute("BEGIN")
        run = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM runs").fetchone()[0]
        now = time.time()
        _insert(connection, "runs", [(run, name, "train.py --long", "rushlight", "Python, NumPy", 1, now - 3600, now, "finished")])
        ids = _tensors(connection, run, tensors)
        numbers = (first + every * np.arange(steps)).tolist()
        _insert(connection, "steps", [(run, s, 3600.0 * i / steps, len(ids), len(ids), run << 32) for i, s in enumerate(numbers)])
        loss = 3.0 * np.exp(-np.arange(steps) / steps * 3) + 0.1 * rng.standard_normal(steps)
        _insert(connection, "scalars", [(run, "loss", s, v) for s, v in zip(numbers, loss.tolist())])
        quantiles = np.sort(rng.standard_normal(21))
        for i, tensor in enumerate(ids):
            norms = 10.0 ** (-4.0 * (1 - i / len(ids)) + np.linspace(0, -1, steps) + 0.1 * rng.standard_normal(steps))
            if spike is not None and spike[0] == i:
                norms[spike[1]] = 1e6
            for of_value in (0, 1) if values else (0,):
                _insert(connection, "figures", (_figures(tensor, of_value, s, n, quantiles) for s, n in zip(numbers, norms.tolist())))
        if alarm is not None:
            _insert(connection, "alarms", [(run, numbers[-1], "gradient", f"layers.{alarm}", "train.py", 5, "x = y", "It went wrong.")])
        connection.execute("COMMIT")


def write_graph(file, paths, edges, *, name="graph", steps=2, parameters=()):
    """A run whose graph has these edges: pairs of places in ``paths``, the paths of its tensors' modules. ``parameters``: places too."""
    with contextlib.closing(connect(file, write=True)) as connection:
        connection.execute("BEGIN")
        run = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM runs").fetchone()[0]
        now, first = time.time(), run << 32
        _insert(connection, "runs", [(run, name, "train.py", "rushlight", "Python, NumPy", 1, now, now, "finished")])
        kinds = ["parameter" if i in parameters else "intermediate" for i in range(len(paths))]
        rows = [
            (first | i + 1, run, i, f"{path}.t{i}".lstrip("."), kind, path, 0, "op", None, "", "train.py", i + 1, "x", "2", "float32")
            for i, (path, kind) in enumerate(zip(paths, kinds))
        ]
        if rows:
            _insert(connection, "tensors", rows)
        if edges:
            _insert(connection, "edges", [(first, first | a + 1, first | b + 1) for a, b in sorted(set(edges))])
        _insert(connection, "steps", [(run, s, s / steps, len(paths), len(paths), first) for s in range(steps)])
        quantiles = np.linspace(-1, 1, 21)
        if rows:
            norms = 10.0 ** np.linspace(-3, 1, len(rows))
            of_step = ((first | i + 1, 0, s, float(n), quantiles) for s in range(steps) for i, n in enumerate(norms))
            _insert(connection, "figures", (_figures(*x) for x in of_step))
        connection.execute("COMMIT")


def _tensors(connection, run, count):
    rows = []
    for i in range(count):
        path = f"stages.{i // 50}.blocks.{i // 10}" if count > 50 else f"layers.{i}"
        outputs = f"layers.{i}\n" if i % 10 == 0 or count <= 50 else ""
        name, place = f"layers.{i}", ("train.py", 10 + i, f"x = layer_{i}(x)")
        rows.append((run << 32 | i + 1, run, i, name, "intermediate", path, 0, "linear", None, outputs, *place, "32x64", "float32"))
        if i % 10 == 0:
            number, place = run << 32 | count + i + 1, (None, None, None)
            rows.append((number, run, count + i, f"{name}.weight", "parameter", path, 0, "parameter", None, "", *place, "64x64", "float32"))
    _insert(connection, "tensors", rows)
    _insert(connection, "edges", [(run << 32, run << 32 | i + 1, run << 32 | i + 2) for i in range(count - 1)])
    return sorted(r[0] for r in rows)


def _figures(tensor, of_value, step, norm, quantiles):
    numbers = (2048, norm, norm / 1000, norm / 45, -norm / 10, norm / 10, 0, 0, 0, None, None)
    return (tensor, of_value, step, 1, *numbers, (quantiles * norm / 100).astype("<f4").tobytes())


def _insert(connection, table, rows):
    rows = iter(rows)
    for row in rows:
        text = f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})"
        connection.execute(text, row)
        connection.executemany(text, rows)
