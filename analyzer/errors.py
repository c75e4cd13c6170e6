"""The one error tree. Each class carries the exit code the command line ends with.

SweepError (1)
├── UsageError (2)          a bad flag, list, file or combination of them
├── BuildError (1)          the engine or a module cannot be built or found
├── TargetError (1)         a server cannot be started or is not the one expected
│   └── HttpError (1)       a server's answer, with URL, status and its own words
├── PreflightError (1)      this machine or server cannot carry the sweep
├── MeasurementError (1)    a cell broke while it was measured
├── RunError (1)            a run directory that is not whole, or not one
├── FitError (1)            data that cannot carry the model asked for
├── VoidCells (3)           measured, but some cells are void
└── AssertionBroken (99)    an assertion of `check` does not hold
"""

from __future__ import annotations


class SweepError(Exception):
    """Base of every error this package raises on purpose; its text is one line for the user."""

    exit_code = 1


class UsageError(SweepError):
    exit_code = 2


class BuildError(SweepError):
    pass


class TargetError(SweepError):
    pass


class HttpError(TargetError):
    """An answer that is not the one hoped for.

    `status` is None when the server did not answer at all.
    """

    def __init__(self, message: str, *, url: str, status: int | None = None) -> None:
        super().__init__(message)
        self.url = url
        self.status = status


class PreflightError(SweepError):
    pass


class MeasurementError(SweepError):
    pass


class RunError(SweepError):
    pass


class FitError(SweepError):
    pass


class VoidCells(SweepError):
    exit_code = 3


class AssertionBroken(SweepError):
    exit_code = 99
