"""Where the nodes of a graph stand: layers from the inputs at the top to the loss at the bottom.

A page cannot show 500 operators at once, so a graph is drawn as *views*. In the view of depth d all that lies inside one module, d names
deep, is one box; behind the box is the view of its inside, and so on down to the operators. Each view is small enough to be read.

The layers are found here, by the longest way from an input: what a program computes comes in an order, and an edge against that order
(two steps that took different ways share one graph) is turned around for the drawing. An edge over several layers gets a bend in each
of them, so that every edge joins neighbours; then ``placing`` orders the layers with few crossings and gives the places.
"""

import itertools

from .placing import placed

__all__ = ["views", "LARGEST"]

LARGEST = 700  # boxes in one view
_FEW, _READABLE, _MANY = 4, 30, 150  # boxes: the first view should have 4 to 30, and rather 150 than 1


def views(tensors, present):
    """The views of a graph as a dict of JSON's types.

    ``tensors``: the run's, in the page's order; ``present``: the places in that list of those that are drawn, where something is known of
    what they lead to. Parameters are no boxes: ``parameters`` gives {place of a tensor: places of the parameters of its module}.
    A view has ``nodes``, each [reference, x, y], ``edges``, each [from, to, x, y, x, y, ...], places in ``nodes`` and the bends
    between, and ``cut``, how many boxes are left out, those furthest from the loss. A reference is the place of a tensor, or the path
    of a module.
    """
    place_of = {tensors[i].number: i for i in present if tensors[i].kind != "parameter"}
    edges = [(place_of[n], i) for i in place_of.values() for n in tensors[i].inputs if n in place_of]
    joined = {i for edge in edges for i in edge}
    drawn = [i for i in place_of.values() if tensors[i].kind == "intermediate" or i in joined]
    paths = {i: tensors[i].path.split(".") if tensors[i].path else [] for i in drawn}
    deepest = max((len(p) for p in paths.values()), default=0)
    depths, found, first = [], {}, None
    for depth in range(1, deepest + 2):
        groups = _fold(drawn, paths, depth)
        if depths and len(set(groups.values())) == depths[-1][1]:
            continue
        count = len(set(groups.values()))
        if count > LARGEST and depths:
            break
        key = "all" if count == len(drawn) else f"depth {depth}"
        found[key] = _view(groups, edges)
        depths.append((key, count))
        if first is None or count <= _READABLE or depths[-2][1] < _FEW and count <= _MANY:
            first = key
    modules = sorted({r for v in found.values() for r, *_ in v["nodes"] if isinstance(r, str)})
    while modules:
        path = modules.pop(0)
        key = f"in {path}"
        if key not in found:
            start = path.split(".")
            inside = [i for i in drawn if paths[i][: len(start)] == start]
            groups = _inside(inside, paths, len(start))
            found[key] = _view(groups, _with_outside(edges, set(inside), groups))
            modules += [r for r, *_ in found[key]["nodes"] if isinstance(r, str)]
    return {
        "views": found,
        "depths": [list(d) for d in depths],
        "first": first,
        "count": len(drawn),
        "parameters": _parameters(tensors, drawn, present),
    }


def _fold(members, paths, depth):
    """{place: reference}: one for all inside a module at ``depth``; a module of a single tensor is that tensor."""
    groups = {i: ".".join(paths[i][:depth]) if len(paths[i]) >= depth else i for i in members}
    sizes = {}
    for reference in groups.values():
        sizes[reference] = sizes.get(reference, 0) + 1
    return {i: i if sizes[r] == 1 else r for i, r in groups.items()}


def _inside(members, paths, depth):
    """The inside of a module: as one level of folding, or more where one level has a single box."""
    for deeper in range(depth + 1, depth + 60):
        groups = _fold(members, paths, deeper)
        if len(set(groups.values())) > 1:
            return groups
    return {i: i for i in members}


def _with_outside(edges, inside, groups):
    """The edges that touch a module's inside. What is outside becomes a node of its own and is added to ``groups``."""
    kept = []
    for source, target in edges:
        if source in inside or target in inside:
            kept.append((source, target))
            groups.setdefault(source, source)
            groups.setdefault(target, target)
    return kept


def _view(groups, edges):
    references = list(dict.fromkeys(groups[i] for i in sorted(groups)))
    cut = max(len(references) - LARGEST, 0)
    order = {reference: n for n, reference in enumerate(references[cut:])}
    ends = [(order.get(groups[a]), order.get(groups[b])) for a, b in edges]
    pairs = sorted({(a, b) for a, b in ends if a is not None and b is not None and a != b})
    down = sorted({(min(p), max(p)) for p in pairs})
    layers = [0] * len(order)
    for a, b in down:  # sorted by source, and every source is before its targets
        layers[b] = max(layers[b], layers[a] + 1)
    chains, joined = {}, []
    for a, b in down:
        chain = [a]
        for layer in range(layers[a] + 1, layers[b]):
            layers.append(layer)
            chain.append(len(layers) - 1)
        chain.append(b)
        chains[a, b] = chain
        joined += itertools.pairwise(chain)
    places = placed(layers, joined, range(len(order), len(layers)))
    left = min(places, default=0)
    spots = [(round(x - left, 3), layer) for x, layer in zip(places, layers)]
    lines = []
    for a, b in pairs:
        bends = chains[min(a, b), max(a, b)][1:-1]
        lines.append([a, b, *(n for d in (bends if a < b else reversed(bends)) for n in spots[d])])
    return {"nodes": [[reference, *spots[i]] for reference, i in order.items()], "edges": lines, "cut": cut}


def _parameters(tensors, drawn, present):
    """Which operator's box shows which parameters: the output of the module that has them, or its last operator."""
    last = {}
    for i in drawn:
        if tensors[i].path not in last or tensors[i].path in tensors[i].outputs:
            last[tensors[i].path] = i
    found = {}
    for i in present:
        if tensors[i].kind == "parameter" and tensors[i].path in last:
            found.setdefault(last[tensors[i].path], []).append(i)
    return found
