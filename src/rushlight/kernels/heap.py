"""Memory that is freed stays with the process, so that the next step need not ask for it again.

A training step allocates and frees the same arrays as the step before. The C library of GNU/Linux gives what lies free at the end of its
heap back to the system, and asks for it again a moment later; each page then comes back empty, through a fault of the processor. In
small networks this took a third of a step's time. Two settings end it: how much may lie free at the end, and up to which size an array
comes from the heap at all. The greatest amount of memory in use stays the same; what is free, up to ``KEPT`` bytes, is kept for the
next array.

The settings of the user (``MALLOC_TRIM_THRESHOLD_``, ``GLIBC_TUNABLES``, ...) are left alone, and ``RUSHLIGHT_HEAP=system`` leaves all
as the system has it. Where PyTorch is in the process already, its memory is not ours to manage, and a comparison of the two would
measure our settings on both sides. Other C libraries have no such settings.
"""
import ctypes
import os
import sys

__all__ = ["keep", "KEPT"]

KEPT = 256 * 2**20
_LARGEST = 32 * 2**20     # the largest size that glibc takes for M_MMAP_THRESHOLD
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3     # the names of the settings in malloc.h
_USERS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "MALLOC_MMAP_MAX_")


def keep(environment=os.environ, modules=sys.modules):
    """Let the process keep freed memory; whether it was done."""
    if not sys.platform.startswith("linux") or environment.get("RUSHLIGHT_HEAP") == "system" or "torch" in modules:
        return False
    if any(name in environment for name in _USERS) or "glibc.malloc" in environment.get("GLIBC_TUNABLES", ""):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:     # musl
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _LARGEST) and mallopt(_TRIM_THRESHOLD, KEPT))
