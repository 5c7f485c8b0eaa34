"""Record what the programs over layers say on the real PyTorch: run ``python -m tests.golden.make_programs``."""

import pathlib

import torch
from tests.nn import programs

FOLDER = pathlib.Path(__file__).parent / "programs"


def main():
    FOLDER.mkdir(exist_ok=True)
    for name in programs.NAMES:
        (FOLDER / f"{name}.txt").write_text("\n".join(programs.output(name, torch)) + "\n")


if __name__ == "__main__":
    main()
