"""Where the nodes of a graph stand: layers from the inputs at the top to the loss at the bottom.

A page cannot show 500 operators at once, so a graph is drawn as *views*. In the view of depth d all that lies inside one module, d names
deep, is one box; behind the box is the view of its inside, and so on down to the operators. Each view is small enough to be read.

The layers are found here, by the longest way from an input; what nothing leads to, as a leaf, stands just above what uses it. Boxes of
modules may lead to one another in circles (an encoder that is called again behind its decoder): an edge against the order in which they
first come is turned around for the drawing. An edge over several layers gets a bend in each of them, so that every edge joins
neighbours; then ``placing`` orders the layers with few crossings and gives the places. A weight that a hundred operators use has a hundred
long edges, and their bends would crowd out the boxes: beyond a number the longest edges have none, and pass behind what is in their way.
"""

import heapq
import itertools

from .placing import placed

__all__ = ["views", "LARGEST"]

LARGEST = 700  # boxes in one view
_BENDS = 2000  # in one view
_FEW, _READABLE, _MANY = 4, 30, 150  # boxes: the first view should have 4 to 30, and rather 150 than 1


def views(tensors, present, edges):
    """The views of a graph as a dict of JSON's types.

    ``tensors``: the run's, in the page's order; ``present``: the places in that list of those that are drawn, where something is known of
    what they lead to; ``edges``: pairs of tensors' numbers. Parameters are no boxes: ``parameters`` gives {place of a tensor: places of the
    parameters that it uses}.
    A view has ``nodes``, each [reference, x, y], ``edges``, each [from, to, x, y, x, y, ...], places in ``nodes`` and the bends
    between, and ``cut``, how many boxes are left out, those furthest from the loss. A reference is the place of a tensor, or the path
    of a module.
    """
    place_of = {tensors[i].number: i for i in present if tensors[i].kind != "parameter"}
    all_edges = edges
    edges = [(place_of[a], place_of[b]) for a, b in edges if a in place_of and b in place_of and a != b]
    joined = {i for edge in edges for i in edge}
    drawn = [i for i in place_of.values() if tensors[i].kind == "intermediate" or i in joined]
    drawn = _computed(drawn, edges, tensors)
    when = {i: n for n, i in enumerate(drawn)}
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
        found[key] = _view(groups, edges, when)
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
            found[key] = _view(groups, _with_outside(edges, set(inside), groups), when)
            modules += [r for r, *_ in found[key]["nodes"] if isinstance(r, str)]
    return {
        "views": found,
        "depths": [list(d) for d in depths],
        "first": first,
        "count": len(drawn),
        "parameters": _parameters(tensors, drawn, present, all_edges),
    }


def _computed(drawn, edges, tensors):
    """The places in an order of computation: what a tensor is computed from stands before it, as far as there is no circle."""
    waits, after = dict.fromkeys(drawn, 0), {i: [] for i in drawn}
    for a, b in set(edges):
        waits[b] += 1
        after[a].append(b)

    def key(i):
        return tensors[i].position, tensors[i].number, i

    ready, left = [key(i) for i in drawn if not waits[i]], sorted(drawn, key=key)
    heapq.heapify(ready)
    found, done = [], set()
    for i in left:
        if i not in done and not ready:
            ready.append(key(i))  # a circle, as of edges of several steps, is begun where it was first
        while ready:
            *_, at = heapq.heappop(ready)
            if at in done:
                continue
            done.add(at)
            found.append(at)
            for other in after[at]:
                waits[other] -= 1
                if not waits[other] and other not in done:
                    heapq.heappush(ready, key(other))
    return found


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


def _view(groups, edges, when):
    references, last = [], {}
    for i in sorted(groups, key=when.get):
        if groups[i] not in last:
            references.append(groups[i])
        last[groups[i]] = when[i]
    cut = max(len(references) - LARGEST, 0)
    gone = set(sorted(references, key=last.get)[:cut])  # a module that is called in all of the program is as near as its last call
    order = {reference: n for n, reference in enumerate(r for r in references if r not in gone)}
    ends = [(order.get(groups[a]), order.get(groups[b])) for a, b in edges]
    pairs = sorted({(a, b) for a, b in ends if a is not None and b is not None and a != b})
    down = sorted({(min(p), max(p)) for p in pairs})
    layers = [0] * len(order)
    for a, b in down:  # sorted by source, and every source is before its targets
        layers[b] = max(layers[b], layers[a] + 1)
    _lower(layers, down)
    chains, joined = {}, []
    for a, b in sorted(down, key=lambda edge: layers[edge[1]] - layers[edge[0]]):
        chain = [a]
        if len(layers) - len(order) + layers[b] - layers[a] - 1 > _BENDS:
            chains[a, b] = [a, b]
            continue
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


def _lower(layers, down):
    """Move what nothing leads to from the first layer to just above what uses it."""
    led_to, highest = {b for _, b in down}, {}
    for a, b in down:
        if a not in led_to:
            highest[a] = min(highest.get(a, layers[b]), layers[b])
    for a, layer in highest.items():
        layers[a] = layer - 1


def _parameters(tensors, drawn, present, edges):
    """Which operator's box shows which parameters: those that use them; where that is not known the output of their module, or its last
    operator.
    """
    shown, places = set(drawn), {tensors[i].number: i for i in present}
    users = {}
    for a, b in edges:
        if a in places and places.get(b) in shown:
            users.setdefault(places[a], []).append(places[b])
    last = {}
    for i in drawn:
        if tensors[i].path not in last or tensors[i].path in tensors[i].outputs:
            last[tensors[i].path] = i
    found = {}
    for i in present:
        if tensors[i].kind == "parameter":
            for user in sorted(users.get(i, [last[tensors[i].path]] if tensors[i].path in last else [])):
                found.setdefault(user, []).append(i)
    return found
