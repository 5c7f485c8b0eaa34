"""Shared fixtures: the engines under test, and what every test leaves behind restored.

A test that asks for the fixture `torch` runs once per engine: on rushlight and, where it is installed, on
the real PyTorch. The same assertions pass on both, so the comparison is live and needs no recording. What
rushlight does beyond PyTorch is tested by asking for the fixture `rushlight` instead.

`RUSHLIGHT_TEST_ENGINE=torch` (or `=rushlight`) leaves only that engine.
"""

import contextlib
import gc
import importlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import warnings

import pytest

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "src"


def engines() -> list[str]:
    """The names of the engines to run, from the environment or from what is installed."""
    chosen = os.environ.get("RUSHLIGHT_TEST_ENGINE")
    if chosen:
        return [chosen]
    return ["rushlight"] + (["torch"] if importlib.util.find_spec("torch") else [])


def load(name):
    """Import an engine; the warnings of that import are not ours to judge."""
    with warnings.catch_warnings():
        if name != "rushlight":
            warnings.simplefilter("ignore")
        return importlib.import_module(name)


@contextlib.contextmanager
def restored(engine):
    """Hand out an engine with a known state, and put the global switches back afterwards."""
    engine.manual_seed(0)
    try:
        yield engine
    finally:
        gc.enable()
        engine.set_default_dtype(engine.float32)
        engine.autograd.set_detect_anomaly(False)
        engine.set_grad_enabled(True)


@pytest.fixture(params=engines())
def torch(request):
    """One engine: rushlight or the real PyTorch."""
    with restored(load(request.param)) as engine:
        yield engine


@pytest.fixture
def rushlight():
    """rushlight alone, for what it does beyond PyTorch."""
    if "rushlight" not in engines():
        pytest.skip("rushlight is not among the engines of this run")
    with restored(load("rushlight")) as engine:
        yield engine


@pytest.fixture
def fails():
    """`with fails(RuntimeError, "sentence"):` compares the beginning of the message, to the letter."""

    @contextlib.contextmanager
    def check(kind, beginning=""):
        with pytest.raises(kind) as info:
            yield info
        assert type(info.value) is kind or kind not in (RuntimeError, TypeError, ValueError), type(info.value)
        message = str(info.value)
        assert message.startswith(beginning), f"{message!r} does not begin with {beginning!r}"

    return check


@pytest.fixture
def warned():
    """`warned(f)` calls f and returns the texts of the UserWarnings that it gave."""

    def call(function):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function()
        return [str(w.message) for w in caught if issubclass(w.category, UserWarning)]

    return call


@pytest.fixture
def quiet():
    """`with quiet():` lets warnings pass that the test is not about."""

    @contextlib.contextmanager
    def block():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield

    return block


@pytest.fixture
def no_gc():
    """Collect once, then leave the garbage collector off: what dies now dies by reference counting."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def fresh_process(torch):
    """`fresh_process(code)` runs code in a new interpreter, `torch` imported, and returns what it printed.

    For what an engine does once per process, or what a crash would take down.
    """

    def run(code):
        script = f"import {torch.__name__} as torch\n" + code
        path = os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
