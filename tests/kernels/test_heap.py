"""Freed memory stays with the process: pages come once, not with every array."""

import os
import platform
import subprocess
import sys

import pytest

from rushlight.kernels import heap

GLIBC = sys.platform.startswith("linux") and platform.libc_ver()[0] == "glibc"
COUNT = """
import resource, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import rushlight
for _ in range(3):
    held = [np.ones(250_000) for _ in range(8)]   # 16 MB
    del held
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    held = [np.ones(250_000) for _ in range(8)]
    del held
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(**environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_", "RUSHLIGHT_"))}
    sources = os.path.dirname(os.path.dirname(os.path.dirname(heap.__file__)))
    words = [sys.executable, "-c", COUNT, sources]
    return int(subprocess.run(words, capture_output=True, text=True, check=True, timeout=60, env=kept | environment).stdout)


@pytest.mark.skipif(not GLIBC, reason="the settings are those of glibc")
def test_a_step_like_the_last_one_gets_no_new_pages():
    assert faults() < 1000 < 10_000 < faults(RUSHLIGHT_HEAP="system")


@pytest.mark.parametrize(
    "environment",
    [
        {"RUSHLIGHT_HEAP": "system"},
        {"MALLOC_TRIM_THRESHOLD_": "1000"},
        {"MALLOC_MMAP_THRESHOLD_": "1000"},
        {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=1000"},
    ],
)
def test_settings_of_the_user_are_left_alone(environment):
    assert heap.keep(environment, {}) is False


def test_a_process_that_has_pytorch_is_left_alone():
    assert heap.keep({}, {"torch": object()}) is False


@pytest.mark.skipif(not GLIBC, reason="the settings are those of glibc")
def test_it_is_done_where_nothing_speaks_against_it():
    assert heap.keep({}, {}) is True
