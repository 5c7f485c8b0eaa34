"""Observing a whole program that stays as it is: what ``rushlight run --observe`` puts around it.

A watch without a model, with every optimizer, into a file. Alarms are said on standard error when they come, at most a few; the
program's own output stays its own. At the end, however the program ends, a summary says what was seen.
"""

import os
import sys
import warnings

from .alarms import NonFinite, watch
from .explain import explain
from .report import summary
from .runs import read
from .store import NoRunFile, connect

__all__ = ["Session", "NoRunFile"]

_SAID = 3  # alarms that are printed as they come


class Session:
    """A context manager around a program. ``file``: where the run is written to; ``engine``: "rushlight" or "torch"; ``every``,
    ``values``: as for ``record``; ``stop``: whether the first non-finite number ends the program, with ``NonFinite``.

    ``NoRunFile`` is raised if the file cannot be used, before anything of the program has run.
    """

    def __init__(self, file="observe.db", *, engine="rushlight", every=1, values=False, stop=False, run=None, out=None):
        self.file, self.out = os.path.abspath(file), out  # the program may change its folder
        connect(self.file, write=True).close()
        self._said = 0
        self.watching = watch(
            on="raise" if stop else self._say,
            optimizer="all",
            engine=engine,
            every=every,
            values=values,
            file=self.file,
            run=run,
        )

    def _print(self, text):
        print(text, file=self.out or sys.stderr, flush=True)

    def _say(self, *, alarm):
        self._said += 1
        if self._said <= _SAID:
            self._print(f"rushlight: {alarm.text}")
        elif self._said == _SAID + 1:
            self._print(f"rushlight: further alarms are in {self.file}")

    def __enter__(self):
        self.watching.__enter__()
        return self

    def __exit__(self, kind, error, traceback):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nothing was watched stands in the summary
            self.watching.__exit__(kind, error, traceback)
        if isinstance(error, RuntimeError) and self.watching.engine.name != "rushlight":  # whose errors say it themselves
            self._explain(error)
        if isinstance(error, NonFinite):
            error.add_note(f"The run is in {self.file}: rushlight report {self.file}")
        self._summarize()

    def _explain(self, error):
        try:
            self._print(f"rushlight: {explain(error, record=self.watching.record)}")
        except TypeError:  # it is none of those that can be explained
            return
        except Exception as problem:
            self._print(f"rushlight: the error could not be explained: {type(problem).__name__}: {problem}")

    def _summarize(self):
        writer = self.watching.record.writer
        if os.getpid() != writer.process:
            return  # a forked child that came to its end here
        if sys.stdout is not None and not sys.stdout.closed:  # the program may have closed it
            sys.stdout.flush()
        try:
            with read(_shown(self.file)) as runs:
                run = next(r for r in runs if r.number == writer.run)
                self._print(summary.text(run))
        except Exception as problem:  # the program has run, and nothing of ours may change how it ends
            self._print(f"rushlight: no summary of {self.file}: {type(problem).__name__}: {problem}")
        if writer.failed is not None:
            self._print(f"rushlight: {self.watching.record.notes[-1]}")


def _shown(file):
    """The file's name as short as it can be said in this folder."""
    relative = os.path.relpath(file)
    return file if relative.startswith(os.pardir) else relative
