"""A record as a table: plain text, or a data frame where a library for them is installed."""

import importlib

__all__ = ["as_text", "as_rich", "as_pandas", "as_polars", "columns", "figure", "plural"]


def as_text(record, entries, sort, limit):
    """Rows of name, operator, shape, line and the figures of the gradient; then what must be known beside it."""
    head, rows, shown = _cells(entries, sort, limit)
    lines = columns(head, rows, left=4)
    if shown < len(entries):
        lines.append(f"... and {len(entries) - shown} more")
    return "\n".join(lines + [f"note: {n}" for n in record.notes])


def as_rich(record, entries):
    """The same table for the library rich, which asks for it: gradients that are not finite are red, missing ones dim."""
    table = importlib.import_module("rich.table").Table(caption="\n".join(record.notes) or None)
    head, rows, _ = _cells(entries, None, None)
    for i, name in enumerate(head):
        table.add_column(name, justify="left" if i < 4 else "right")
    for entry, row in zip(entries, rows):
        found = entry.statistics
        style = "dim" if found is None else None if found.finite else "bold red"
        table.add_row(*(cell.replace("[", "\\[") for cell in row), style=style)
    return table


def _cells(entries, sort, limit):
    """(head, rows of text, how many entries are shown)."""
    if sort is not None:
        entries = sorted(entries, key=lambda e: _sort_value(e, sort), reverse=True)
    shown = entries if limit is None else entries[:limit]
    updates = any(e.update is not None for e in shown)
    head = ["name", "op", "shape", "line", "norm", "mean", "std", "zeros", "nan", "inf", "grad/weight"] + ["update/weight"] * updates
    rows = []
    for e in shown:
        s = e.statistics
        row = [e.name, e.op, "x".join(map(str, e.shape)) or "()", str(e.place) if e.place.file else ""]
        if s is None:
            row += ["-" if not e.arrivals else e.kept] + [""] * 5
        else:
            row += [
                figure(s.norm),
                figure(s.mean),
                figure(s.std),
                f"{100 * s.share_of_zeros:.0f}%",
                str(s.nan or ""),
                str(s.inf or ""),
            ]
        row += [figure(e.ratio)] + [figure(e.update_ratio)] * updates
        rows.append(row)
    return head, rows, len(shown)


def _sort_value(entry, by):
    found = entry.as_dict()
    if by not in found:
        raise ValueError(f"a table cannot be sorted by {by!r}\nIt has {', '.join(found)}.")
    value = found[by]
    return (value is not None, value if value is not None else 0)


def figure(value):
    """A number in few characters; nothing for None."""
    return "" if value is None else f"{value:.3g}"


def plural(n, what):
    """A number of things: "1 step", "2 steps"."""
    return f"{n} {what}" + ("" if n == 1 else "s")


def columns(head, rows, left=1):
    """Lines of a table whose columns are as wide as what stands in them; the first ``left`` are flush left."""
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, ["-" * w for w in widths], *rows]:
        cells = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return lines


def _frame(record, library):
    try:
        module = importlib.import_module(library)
    except ImportError as error:
        raise ImportError(
            f"to_{library} needs {library}, which is not installed\nInstall it, or use table() or [e.as_dict() for e in rec]."
        ) from error
    rows = [e.as_dict() for e in record]
    return module.DataFrame(rows)


def as_pandas(record):
    return _frame(record, "pandas")


def as_polars(record):
    return _frame(record, "polars")
