"""The summary in plain text, and the small texts that the reports share."""

import math

import numpy as np
import pytest
from tests.observe.models import inputs, settle
from tests.observe.report.runs import make_model, train

from rushlight import observe
from rushlight.observe.report import summary
from rushlight.observe.report.words import bins, brief, duration, ending, number, plural, printable, spark


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "observe.db")


def text(file, **options):
    with observe.read(file) as runs:
        return summary.text(runs[-1], **options)


def test_a_run_that_went_well(torch, file):
    def spoil(step, model, x):
        with torch.no_grad():
            model(x)

    train(torch, file, run="good", spoil=spoil)
    found = text(file)
    with observe.read(file) as runs:
        losses = runs[-1].scalars()["loss"][1]
        figures = {t.name: runs[-1].at(5)[t.number]["norm"] for t in runs[-1].tensors if t.outputs}
    lines = found.splitlines()
    assert lines[0].startswith("good: finished after ")
    assert lines[0].endswith(f" 6 steps of 10 tensors (6 intermediates, 4 parameters) on {torch.__name__}.")
    assert lines[1] == f"loss went from {losses[0]:.3g} to {losses[-1]:.3g}, its lowest {losses.min():.3g} at step {losses.argmin()}."
    top, bottom = max(figures, key=figures.get), min(figures, key=figures.get)
    assert lines[2] == (
        f"Gradient norms of layers at step 5: largest {figures[top]:.3g} at {top}, smallest {figures[bottom]:.3g} at {bottom}."
    )
    assert "Skipped: " in found and "under no_grad" in found
    assert lines[-1] == f"More: rushlight report {file}"


def test_parameters_without_a_gradient_are_named_with_the_reason(torch, file):
    train(torch, file)
    assert "No gradient came to spare.weight, spare.bias. " in text(file).replace("spare.bias, spare.weight", "spare.weight, spare.bias")
    assert "never called" in text(file)


def test_a_handful_of_alarms_is_said_and_the_rest_counted(torch, file):
    def spoil(step, model, x):
        settle(torch, model)  # weights that stay NaN are told of once
        if step > 1:
            x[0, 0] = math.nan

    train(torch, file, 12, spoil=spoil)
    found = text(file, limit=1)
    with observe.read(file) as runs:
        alarms = [a for a in runs[-1].alarms if a["kind"] != "missing"]
    assert len(alarms) > 10 and f"{len(alarms)} alarms:" in found and "... and 1 more of other places." in found
    assert alarms[0]["text"] in found and alarms[1]["text"] not in found
    assert "The same 9 more times, last at step 11." in found
    assert "At step 11 the gradients of 2 of 2 layers are not finite: first, second." in found
    assert alarms[1]["text"] in text(file)
    assert "runs.py:" in found and ": h = torch.relu(self.first(x))" in found
    assert "loss went from " in found and "to NaN" in found and "it was not finite in 10 steps." in found


def test_a_run_without_steps_and_one_that_broke(torch, file):
    with pytest.warns(UserWarning, match="nothing was recorded"), observe.record(file=file, engine=torch.__name__, run="nothing"):
        pass
    assert text(file).startswith("nothing: finished after ") and "0 steps on" in text(file)

    def spoil(step, model, x):
        raise ValueError("no data")

    with pytest.raises(ValueError):
        train(torch, file, spoil=spoil, run="broken")
    assert text(file).startswith("broken: ended after ") and " with ValueError: no data. 0 steps" in text(file)


def test_further_notes_are_said_once(torch, file):
    train(torch, file, 1)
    found = text(file, notes=["The file could not be written.", "The file could not be written."])
    assert found.count("The file could not be written.") == 1
    assert "at its only step." in found


def test_a_file_name_with_spaces_is_quoted(torch, tmp_path):
    file = str(tmp_path / "my runs.db")
    train(torch, file, 1)
    assert text(file).endswith(f"More: rushlight report '{file}'")


def test_without_modules_the_parameters_are_the_layers(torch, file):
    model = settle(torch, torch.nn.Linear(4, 1))
    with observe.record(model, file=file, only="weight", keep="statistics"):
        torch.nn.functional.linear(inputs(torch, 2, 4), model.weight).sum().backward()
    assert "Gradient norms of layers at step 0: 2.4" in text(file) or " at weight." in text(file)


def test_a_model_of_one_layer(torch, file):
    model = make_model(torch)
    with observe.record(model.first, file=file):
        model.first(inputs(torch, 2, 4)).sum().backward()
    assert " at output." in text(file)


def test_a_loss_module_is_no_layer(torch, file):
    model, criterion = make_model(torch), torch.nn.MSELoss()
    with observe.record(file=file, engine=torch.__name__):
        criterion(model(inputs(torch, 8, 4)), torch.ones(8, 2)).backward()
    assert "criterion" not in text(file).partition("norms of layers")[2].partition("\n")[0]
    with observe.record(file=file, engine=torch.__name__):
        criterion(torch.ones(2, 2, requires_grad=True), torch.zeros(2, 2)).backward()
    assert "norms of layers" not in text(file)


def test_what_was_skipped_is_counted_in_the_singular_too(torch, file):
    model = make_model(torch)
    with observe.record(model, file=file) as rec:
        model(inputs(torch, 8, 4)).sum().backward()
        model.second(torch.ones(1, 6)).detach().exp()
    notes = rec.skipped_notes()
    assert "Skipped: 1 tensor that was cut off, as by detach." in notes, notes
    assert repr(rec) == "<Record of 1 tensor in 2 steps, 0 with a gradient>"
    with observe.read(file) as runs:
        assert repr(runs[0]).endswith(f" {runs[0].steps} step{'' if runs[0].steps == 1 else 's'}, finished>")


# ---------------------------------------------------------------- small texts


def test_a_long_error_is_said_in_brief(torch, file):
    assert brief("finished") == "finished" and brief("ValueError: no data.") == "ValueError: no data"
    assert brief("IndexError: x.py:3 is at 1.5 of a. Look.\nMore") == "IndexError: x.py:3 is at 1.5 of a"
    assert len(brief("E: " + "long " * 100)) == 160 and brief("E: " + "long " * 100).endswith("…")

    def spoil(step, model, x):
        if step == 2:
            raise ValueError("It is over. " + "More of it. " * 40)

    with pytest.raises(ValueError):
        train(torch, file, spoil=spoil)
    with observe.read(file) as runs:
        assert ending(runs[0]).endswith(" with ValueError: It is over")
    assert " with ValueError: It is over. 2 steps of " in text(file)


def test_numbers_and_durations():
    numbers = [number(v) for v in (None, math.nan, math.inf, -math.inf, 0.0, 1234.5, 1e-9)]
    assert numbers == ["-", "NaN", "Inf", "-Inf", "0", "1.23e+03", "1e-09"]
    times = [duration(s) for s in (0.04, 59.0, 61, 3599.9, 3601, 7260)]
    assert times == ["0.0 s", "59.0 s", "1 min 01 s", "1 h 00 min", "1 h 00 min", "2 h 01 min"]
    assert printable("a\x1b[31m\tb\nc\x9b") == "a\\x1b[31m\tb\nc\\x9b"
    assert plural(1, "step") == "1 step" and plural(0, "step") == "0 steps" and plural(12345, "step") == "12,345 steps"


def test_sparklines():
    assert spark([0, 1, 2, 3, 4, 5, 6, 7], 8) == "▁▂▃▄▅▆▇█"
    assert spark([0, 1, 2, 3, 4, 5, 6, 7], 8, "12345678") == "12345678"
    assert spark([3.0, 3.0], 8) == "▁▁" and spark([], 8) == "" and spark([math.nan, math.inf], 8) == "NN"
    assert spark([1.0, math.nan, 2.0], 8) == "▁N█"
    long = np.arange(1000.0)
    long[500] = math.nan
    assert len(spark(long, 50)) == 50 and spark(long, 50).count("N") == 1
    assert bins(np.arange(10.0), 5).tolist() == [0.5, 2.5, 4.5, 6.5, 8.5]
    assert bins(np.arange(3.0), 5).tolist() == [0.0, 1.0, 2.0]
