"""The norm over the steps: jumps against growth."""

import random

from rushlight.observe.trend import Trend


def notes(norms, window=50):
    trend = Trend(window)
    return [(i, text) for i, n in enumerate(norms) if (text := trend.note(i, n)) is not None]


def test_a_jump_points_at_the_data():
    ((step, text),) = notes([1.0] * 9 + [500.0] + [1.0] * 9)
    assert step == 9 and text == (
        "Step 9: the norm of all gradients is 500, 500 times the median of the 9 steps before it (1). Look at this step's data."
    )


def test_growth_is_said_once_and_names_its_beginning():
    noise = random.Random(0)
    norms = [1.0] * 10 + [2.0**i * noise.uniform(0.7, 1.4) for i in range(40)]
    ((step, text),) = notes(norms)
    assert 15 < step < 35 and "has grown steadily since step " in text and "Try a smaller learning rate." in text and "data" not in text


def test_growth_is_said_again_after_it_ended():
    up = [3.0**i for i in range(20)]
    assert len(notes(up + [1e9] * 60 + [1e9 * n for n in up])) == 2


def test_a_jump_on_the_way_up_is_a_jump():
    assert all("Look at this step's data" in text for _, text in notes([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1e6]))


def test_no_usual_no_word():
    assert notes([1.0, 1.0, 1.0, 1e9]) == [] and notes([0.0] * 20 + [5.0]) == [] and notes([0.0] + [3.0**i for i in range(9)]) != []
