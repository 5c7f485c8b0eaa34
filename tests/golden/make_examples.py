"""Records what examples/test_training.py compares with: the losses of a short run of each example, step by step,
and the figures that a whole run prints.

Run it where PyTorch is installed:

python tests/golden/make_examples.py
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).parent / "examples"
SCRIPTS = pathlib.Path(__file__).parent.parent.parent / "examples"

SHORT = {  # at least 20 steps; that of digits_cnn goes beyond its interruption, which comes after 23
    "digits_cnn": ["--epochs", "2"],
    "names": ["--steps", "30"],
    "series": ["--epochs", "1"],
}
FIGURES = {  # what to look for in the printed text
    "digits_cnn": {
        "training loss": r"training loss (\S+)",
        "test loss": r"test loss (\S+)",
        "test accuracy": r"test accuracy (\S+)%",
    },
    "names": {
        "training loss": r"training loss (\S+)",
        "test loss": r"test loss (\S+)",
        "table of pairs": r"table of pairs of letters: ([\d.]+)",
    },
    "series": {
        "training loss": r"training loss (\S+)",
        "LSTM": r"\n +all +(\S+)",
        "naive": r"\n +all +\S+ +(\S+)",
        "line": r"\n +all +\S+ +\S+ +(\S+)",
    },
}


def run(name, words):
    """What the example prints and the losses of its steps, with this interpreter's PyTorch."""
    with tempfile.TemporaryDirectory() as folder:
        losses = pathlib.Path(folder) / "losses.json"
        plot = str(pathlib.Path(folder) / "plot.png")
        command = [
            sys.executable,
            str(SCRIPTS / f"{name}.py"),
            *words,
            "--losses",
            str(losses),
            "--plot",
            plot,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout, json.loads(losses.read_text())


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, words in SHORT.items():
        _, losses = run(name, words)
        text, _ = run(name, [])
        figures = {label: float(re.search(pattern, text)[1]) for label, pattern in FIGURES[name].items()}
        record = {"torch": torch.__version__, "arguments": words, "losses": losses, "whole run": figures}
        (HERE / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
