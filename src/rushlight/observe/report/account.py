"""The account of a comparison, in sentences and two short tables: what ``rushlight compare`` prints."""

import math

from ..table import columns
from .pairs import SHOWN, nearest_tensor
from .words import began, ending, is_rate, number, plural, printable

__all__ = ["account"]

_SHOWN = 6  # names in one list


def account(found, values):
    """The text of a ``Comparison``. ``values``: whether values were compared beside gradients."""
    names = ["", "run", "engine", "steps", "began", "state", "file"]
    head, _, *sides = columns(names, [_side("A", found.a), _side("B", found.b)], left=len(names))
    lines = [head, *sides, "", *_verdict(found, values)]
    remarks = _remarks(found)
    if remarks:
        lines += ["", *remarks]
    if found.later:
        lines += ["", "How it goes on:", *_later(found)]
    elif table := _losses(found):
        lines += ["", *table]
    return printable("\n".join(lines))


def _side(letter, run):
    return [letter, run.name, run.engine, f"{run.steps:,}", began(run), ending(run), run.file]


# ---------------------------------------------------------------- where they part


def _verdict(found, values):
    if not len(found.steps):
        return ["They cannot be compared: there is no step that both recorded."]
    if not found.compared:
        return ["They cannot be compared: no tensor is in both. See below what their names are."]
    what = f"{plural(found.compared, 'tensor')} {'(values and gradients)' if values else '(gradients)'}"
    if found.parting is None:
        measure = f"to within {found.largest:.1e}" if found.largest else "to the last digit"
        head = "No difference" if found.same else "No difference in what both have"
        return [f"{head}: {plural(len(found.steps), 'step')} of {what} agree {measure} (allowed: {found.rtol:g})."]
    p = found.parting
    lines = [f"They part at step {p.step}: {_subject(p)}"]
    lines += [f"  {line}" for line in _lines_of_code(p)]
    lines.append(f"  {_numbers(p)}")
    before = f"{plural(found.agreed, 'step')} of {what}"
    within = f"{plural(found.agreed_within, 'gradient')} of this step"
    if found.agreed or found.agreed_within:
        said = " and ".join(([before] if found.agreed else []) + ([within] if found.agreed_within else []))
        measure = f"to within {found.largest:.1e}" if found.largest else "to the last digit"
        lines.append(f"Before that {said} agreed {measure} (allowed: {found.rtol:g}).")
    else:
        lines.append("Nothing was compared before it: they differ from the beginning.")
    return lines


def _subject(p):
    name = p.name if p.name == p.name_b else f"{p.name} (in B {p.name_b})"
    if p.kind == "scalar":
        return f"{name}."
    if p.kind == "weight":
        return f"the weight {name}, as the step finds it."
    if p.kind == "update":
        return f"the update of {name} by the optimizer."
    shape = "x".join(map(str, p.tensor_a.shape)) or "()"
    return f"the {p.kind} of {name} ({p.tensor_a.op}, {shape})."


def _lines_of_code(p):
    """The line that makes the tensor, in both programs if they differ."""
    if p.tensor_a is None:
        return []
    sides = [f"{t.place}: {t.source}" if t.source else t.place for t in (p.tensor_a, p.tensor_b)]
    if sides[0] == sides[1]:
        return [sides[0]] if sides[0] else []
    return [f"{letter}  {side or 'line not known'}" for letter, side in zip("AB", sides)]


def _numbers(p):
    if p.figure == "there":
        return f"It was computed only in {'A' if p.a else 'B'}."
    if p.figure == "shape":
        shapes = ("x".join(map(str, t.shape)) or "()" for t in (p.tensor_a, p.tensor_b))
        return "shape: A {}, B {}".format(*shapes)
    if p.figure == "arrivals":
        return f"A gradient came only in {'A' if p.a else 'B'}."
    name = SHOWN.get(p.figure, p.figure)
    if p.figure in ("size", "nan", "inf"):
        return f"{name}: A {p.a:.0f}, B {p.b:.0f}"
    measure = f", relative difference {p.difference:.1e}" if math.isfinite(p.difference) else ""
    return f"{name}: A {p.a:.8g}, B {p.b:.8g}{measure}"


# ---------------------------------------------------------------- beside it


def _remarks(found):
    lines = []
    a, b = found.a, found.b
    if a.engine != b.engine:
        lines.append(f"The engines differ: A ran on {a.engine}, B on {b.engine}.")
    if a.program != b.program:
        lines.append(f"The programs differ: A is {a.program}, B is {b.program}.")
    steps_a, steps_b = a.steps, b.steps
    if len(found.steps) != max(steps_a, steps_b):
        lines.append(f"A has {plural(steps_a, 'step')}, B {steps_b:,}; compared are the {len(found.steps):,} that both have.")
    if found.parting is not None:
        for name, (steps, ones, others) in found.scalars.items():
            at = dict(zip(steps, zip(ones, others))).get(found.parting.step)
            if is_rate(name) and at is not None and at[0] != at[1]:
                lines.append(f"The {name} of step {found.parting.step} differs: A {at[0]:.8g}, B {at[1]:.8g}.")
    if found.renamed:
        some = ", ".join(f"{x.name} as {y.name}" for x, y in found.renamed[:_SHOWN])
        lines.append(f"Taken for the same, by module, line and shape: {some}{_more(found.renamed)}.")
    for letter, only, others in (("A", found.only_a, found.only_b), ("B", found.only_b, found.only_a)):
        if only:
            some = ", ".join(_with_nearest(t, others) for t in only[:_SHOWN])
            lines.append(f"Only in {letter}: {some}{_more(only)}.")
    if found.shapes:
        some = ", ".join(f"{x.name} {_shape(x)} and {_shape(y)}" for x, y in found.shapes[:_SHOWN])
        lines.append(f"The shapes differ: {some}{_more(found.shapes)}.")
    if found.noisy:
        some = ", ".join(found.noisy[:_SHOWN])
        lines.append(f"The gradient is nothing but rounding noise, so that weights and updates do not count: {some}{_more(found.noisy)}.")
    if found.silent:
        lines.append(f"Of {plural(found.silent, 'tensor')} one run or the other has no figures of a gradient.")
    return lines


def _shape(tensor):
    return "x".join(map(str, tensor.shape)) or "()"


def _with_nearest(tensor, others):
    near = nearest_tensor(tensor, others)
    return tensor.name if near is None else f"{tensor.name} (nearest: {near.name})"


def _more(items):
    return f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""


def _loss_name(found):
    names = [n for n in found.scalars if not is_rate(n)]
    return max(names, key=lambda n: len(found.scalars[n][0])) if names else None


def _digits(value):
    return number(value) if value is None or not math.isfinite(value) else f"{value:.6g}"


def _later(found):
    name = _loss_name(found)
    at = {} if name is None else {step: (x, y) for step, x, y in zip(*found.scalars[name])}
    rows = []
    for step, largest, where in found.later:
        x, y = at.get(step, (None, None))
        rows.append([str(step), f"{largest:.1e}" if math.isfinite(largest) else "beyond measure", where, _digits(x), _digits(y)])
    return columns(["step", "largest difference", "at", f"{name or 'loss'} of A", "of B"], rows, left=3)


def _losses(found):
    name = _loss_name(found)
    if name is None:
        return []
    rows = [[str(step), _digits(x), _digits(y)] for step, x, y in zip(*found.scalars[name])]
    return columns(["step", f"{name} of A", "of B"], rows, left=1)
