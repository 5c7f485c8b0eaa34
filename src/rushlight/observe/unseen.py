"""What a recording did not see, and why: tensors without a gradient by reason, and those that asked to retain theirs in vain."""

import weakref

__all__ = ["reason", "counted", "nothing_text", "never_reached", "retained_notes"]

OTHER_THREADS = "calls in other threads"
_RESULTS_KEPT = 20_000  # tensors without history whose cut is remembered


def reason(recorder, tensor, inputs):
    """Why a tensor that an operator just made needs no gradient, as a text to count by.

    What was computed from something that had been cut off is remembered with that cut, so that an error far behind can name it.
    """
    record, engine = recorder.record, recorder.engine
    cut = None
    for t in inputs:
        found = record._cut_results.get(id(t))
        if found is not None and found[0]() is t:
            cut = found[1]
            _remember(record, tensor, cut)
            break
    if tensor.is_inference():
        return "tensors made in inference_mode"
    if not engine.grad_enabled():
        return "tensors computed under no_grad"
    if cut is not None:
        return "tensors computed from what was cut off"
    if any(engine.needs_grad(t) for t in inputs):
        return "tensors that were cut off, as by detach"
    if any(type(t).__name__ == "Parameter" for t in inputs):
        return "tensors computed from frozen parameters"
    return "tensors computed from data alone"


def counted(n, what):
    """A number of what a reason tells of: ``12 tensors that were cut off, as by detach``, ``1 tensor that was cut off, as by detach``."""
    if n == 1:
        noun, *rest = what.replace(" that were ", " that was ").split(" ", 1)
        what = " ".join([noun.removesuffix("s"), *rest])
    return f"{n} {what}"


def _remember(record, tensor, cut):
    results = record._cut_results
    if len(results) >= _RESULTS_KEPT:
        for key in [k for k, (reference, _) in results.items() if reference() is None]:
            del results[key]
    if len(results) < _RESULTS_KEPT:
        results[id(tensor)] = weakref.ref(tensor), cut


def nothing_text(record):
    """Why a recording is empty, in a sentence or two."""
    elsewhere = record.skipped.get(OTHER_THREADS)
    if elsewhere and not any(what != OTHER_THREADS and "data alone" not in what for what in record.skipped):
        return (
            f"Nothing was recorded: the modules ran in other threads ({counted(elsewhere, 'calls')}), and a recording sees only the thread "
            "that opens it. Open one in the thread that trains, inside the function that it runs: with observe.watch(model, "
            'file="observe.db").'
        )
    reasons = ", ".join(counted(n, what) for what, n in record.skipped.items())
    return "No tensor that requires grad was computed inside" + (f" ({reasons})." if reasons else ".")


def never_reached(record):
    """The entries whose tensor lives, asked to retain its gradient, and has none: no backward pass came to it."""
    found = []
    for entry in record.entries:
        if entry.kind == "intermediate" and not entry.arrivals:
            tensor = entry.ref()
            if tensor is not None and tensor.retains_grad and record.engine.grad_of(tensor) is None and entry not in found:
                found.append(entry)
    return found


def retained_notes(record):
    """A sentence for each entry of ``never_reached`` (ten at most)."""
    sentences = []
    for entry in never_reached(record)[:10]:
        where = f"{entry.op} at {entry.place}" if entry.place.file else entry.op
        sentences.append(f"{entry.name} ({where}) asked to retain its gradient, and no backward pass reached it.")
    return sentences
