"""Where the nodes of a layered graph stand within their layers: few crossings, short and straight edges.

The method is that of Sugiyama, Tagawa and Toda ("Methods for visual understanding of hierarchical system structures", 1981): each layer
is sorted by the mean place of its neighbours in the layer before, down and up in turn, and the order with the fewest crossings is kept.
Then every node moves to the mean of its neighbours, as near as its layer's order and the distance between nodes allow. With the order
given that is a regression with a monotone result, which pooling adjacent violators solves exactly (Ayer and others, 1955).

The libraries that do this have licences that would bind whoever installs the extra, or need a program beside Python.
"""

import bisect
import itertools

__all__ = ["placed"]

_SWEEPS = 8
_STRAIGHT = 4.0  # how much more a bend of a long edge wants to stand in line with its neighbours


def placed(layers, edges, bends):
    """The place of each node across its layer, as a list of numbers, neighbours in a layer at least 1 apart.

    ``layers``: the layer of each node; ``edges``: pairs of nodes in neighbouring layers; ``bends``: nodes that are only bends of an edge.
    """
    if not layers:
        return []
    rows = [[] for _ in range(max(layers) + 1)]
    for node, layer in enumerate(layers):
        rows[layer].append(node)
    above, below = [[] for _ in layers], [[] for _ in layers]
    for a, b in edges:
        upper, lower = (a, b) if layers[a] < layers[b] else (b, a)
        above[lower].append(upper)
        below[upper].append(lower)
    rows = _ordered(rows, above, below)
    places = [0.0] * len(layers)
    for row in rows:
        for i, node in enumerate(row):
            places[node] = i - (len(row) - 1) / 2
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            near = above if sweep % 2 == 0 else below
            wanted, weights = [], []
            for node in row:
                found = near[node] or above[node] or below[node]
                wanted.append(sum(places[n] for n in found) / len(found) if found else places[node])
                weights.append(_STRAIGHT if node in bends else 1.0)
            for node, place in zip(row, _apart(wanted, weights)):
                places[node] = place
    return places


def _ordered(rows, above, below):
    """The rows in the order that crosses the fewest edges, of those that the sweeps come by."""
    best, fewest = rows, _crossings(rows, below)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        rows = [list(row) for row in rows]
        near = above if sweep % 2 == 0 else below
        rank = {node: i for row in rows for i, node in enumerate(row)}
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda node: sum(rank[n] for n in near[node]) / len(near[node]) if near[node] else rank[node])
            rank.update((node, i) for i, node in enumerate(row))
        count = _crossings(rows, below)
        if count < fewest:
            best, fewest = rows, count
    return best


def _crossings(rows, below):
    """How many pairs of edges cross: of the edges in the order of their upper ends, the inversions of the lower ones."""
    count = 0
    for upper, lower in itertools.pairwise(rows):
        rank = {node: i for i, node in enumerate(lower)}
        seen = []
        for node in upper:
            ends = sorted(rank[n] for n in below[node])
            count += sum(len(seen) - bisect.bisect_right(seen, end) for end in ends)
            for end in ends:
                bisect.insort(seen, end)
    return count


def _apart(wanted, weights):
    """The places nearest to the wanted ones, by weighted squares, that keep the order and a distance of 1."""
    blocks = []  # (sum of weighted places, sum of weights, how many)
    for i, (place, weight) in enumerate(zip(wanted, weights)):
        block = [(place - i) * weight, weight, 1]
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            before = blocks.pop()
            block = [before[0] + block[0], before[1] + block[1], before[2] + block[2]]
        blocks.append(block)
    found = []
    for total, weight, count in blocks:
        found += [total / weight + len(found) + k for k in range(count)]
    return found
