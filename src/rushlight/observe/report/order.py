"""In which order a report shows tensors: as a model reads, and one model after the other.

A program may have several models, as a generator and its discriminator, and run them in turn. In the order of computation their layers
would alternate. So tensors are grouped by their *root*, the first name of their module's path (``G`` of ``G.0``); the groups stand in the
order in which their first tensors were computed. What is computed outside of any module goes with what it is computed from, as a loss
with the network that it judges, and an input with what uses it. Where one model was given to the recording its paths begin within it, and
there is one group.
"""

__all__ = ["groups", "in_order"]


def groups(tensors):
    """{number of a tensor: which group it is in, counted from 0}."""
    order = sorted(tensors, key=lambda t: t.number)  # as they were seen first
    if any("" in t.outputs for t in order):
        return dict.fromkeys((t.number for t in order), 0)
    found, known, users = {}, {}, {}
    for t in order:
        for number in t.inputs:
            users.setdefault(number, t.number)
    last = 0
    for t in order:
        root = t.path.partition(".")[0]
        if t.kind == "intermediate":
            if root:
                last = known.setdefault(root, len(known))
            else:
                behind = [n for n in t.inputs if n in found]
                last = found[max(behind)] if behind else last
            found[t.number] = last
    for t in order:
        if t.kind != "intermediate":
            root = t.path.partition(".")[0]
            found[t.number] = known.get(root, found.get(users.get(t.number), len(known)))
    return found


def in_order(tensors):
    """As a model reads: each module's output, then its parameters; parameters of modules without an output last in their group."""
    position, group = {}, groups(tensors)
    for t in tensors:
        if t.kind != "parameter":
            for path in (*t.outputs, *([t.path] if t.path not in position else [])):
                position[path] = t.position, t.number
    end = max((t.position for t in tensors), default=0) + 1, 0

    def key(t):
        if t.kind != "parameter":
            return (group[t.number], (t.position, t.number), 0)
        return (group[t.number], position.get(t.path, end), 1, t.name.endswith("bias"), t.number)

    return sorted(tensors, key=key)
