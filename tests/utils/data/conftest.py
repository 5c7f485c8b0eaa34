"""The data package of the engine under test."""

import importlib

import pytest


@pytest.fixture
def data(torch):
    """`torch.utils.data` of the engine under test."""
    return importlib.import_module(f"{torch.__name__}.utils.data")


@pytest.fixture
def rushdata(rushlight):
    """rushlight's own, for what it does beyond PyTorch."""
    return importlib.import_module("rushlight.utils.data")
