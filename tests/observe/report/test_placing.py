"""Where nodes stand in a drawing of layers: apart, in a good order, over their neighbours."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rushlight.observe.report.placing import _apart, _crossings, _ordered, placed


def sides(layers, edges):
    above, below = [[] for _ in layers], [[] for _ in layers]
    for a, b in edges:
        above[b].append(a)
        below[a].append(b)
    return above, below


@st.composite
def layered(draw):
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    layers = [layer for layer, size in enumerate(sizes) for _ in range(size)]
    pairs = [(a, b) for a, b in itertools.combinations(range(len(layers)), 2) if layers[b] == layers[a] + 1]
    edges = sorted(draw(st.sets(st.sampled_from(pairs), max_size=20))) if pairs else []
    return layers, edges


@given(layered())
def test_neighbours_are_apart_and_orders_do_not_get_worse(found):
    layers, edges = found
    places = placed(layers, edges, ())
    for layer in set(layers):
        across = sorted(p for p, one in zip(places, layers) if one == layer)
        assert all(b - a > 1 - 1e-9 for a, b in itertools.pairwise(across))
    above, below = sides(layers, edges)
    rows = [[n for n, one in enumerate(layers) if one == layer] for layer in range(max(layers) + 1)]
    better = _ordered(rows, above, below)
    assert [sorted(r) for r in better] == rows and _crossings(better, below) <= _crossings(rows, below)


@given(layered())
def test_crossings_are_counted_as_pairs_of_edges(found):
    layers, edges = found
    rows = [[n for n, one in enumerate(layers) if one == layer] for layer in range(max(layers) + 1)]
    crossing = sum(layers[a] == layers[c] and (a - c) * (b - d) < 0 for (a, b), (c, d) in itertools.combinations(edges, 2))
    assert _crossings(rows, sides(layers, edges)[1]) == crossing


@given(st.lists(st.tuples(st.floats(-20, 20), st.sampled_from([1.0, 4.0])), min_size=1, max_size=8))
def test_places_are_the_nearest_that_are_apart(wishes):
    wanted, weights = zip(*wishes)
    found = _apart(wanted, weights)
    assert all(b - a > 1 - 1e-9 for a, b in itertools.pairwise(found))

    def cost(places):
        return sum(w * (p - q) ** 2 for p, q, w in zip(places, wanted, weights))

    for start, end in itertools.combinations(range(len(found) + 1), 2):  # no run of neighbours gains by moving
        for by in (-1e-3, 1e-3):
            moved = [p + by if start <= i < end else p for i, p in enumerate(found)]
            if all(b - a > 1 - 1e-9 for a, b in itertools.pairwise(moved)):
                assert cost(moved) >= cost(found) - 1e-9


def test_a_chain_is_straight_and_a_ladder_uncrossed():
    assert placed([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)], ()) == pytest.approx([0.0] * 4)
    places = placed([0, 0, 1, 1], [(0, 3), (1, 2)], ())
    assert (places[0] < places[1]) == (places[3] < places[2])
    assert placed([], [], ()) == []


def test_a_long_edge_is_straight_beside_what_it_passes():
    # 0 -> 1 -> 2 -> 3, and 0 -> 3 with bends 4 and 5
    places = placed([0, 1, 2, 3, 1, 2], [(0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (5, 3)], (4, 5))
    assert places[4] == pytest.approx(places[5]) and places[1] == pytest.approx(places[2]) and abs(places[4] - places[1]) >= 1 - 1e-9
