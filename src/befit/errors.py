"""Every error befit raises on purpose. Each knows what, where, why and what to do next.

    BefitError                     E100  exit 1   internal, with a file to look at
    ├── UsageError                 E101  exit 2   the command line's words are off
    ├── ConfigError                E110  exit 2   one problem in a project file
    │   └── ProjectError                exit 2/8 all problems of a project, at once
    ├── PluginError                E120  exit 2   unknown name, with the nearest known ones
    ├── DataError                  E200  exit 8   a sample or data file
    ├── StoreError                 E300  exit 1   the workspace file
    │   ├── StoreBusyError         E310  exit 2   another process holds it
    │   └── StoreFullError         E320  exit 5   no room or no right to write
    ├── TargetError                E400  exit 7   one failed attempt, carries a Failure
    ├── ModelError                 E410  exit 7   a local model that is not there or not intact
    ├── SpendCapError              E500  exit 6   the cap is reached; resumable
    └── ForbiddenError             E600  exit 9   blind review, permissions

An error is printed as one line (what, where) with `why` and `do` below it; a
traceback is shown only with `--debug`.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from befit.core.completion import Completion
    from befit.core.failure import Failure


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system says where a disk, a quota or a file is full."""


class BefitError(Exception):
    """Base of all of befit's errors.

    Args:
        what: what is wrong, in one short sentence.
        where: `file:line key.path`, or the command or endpoint.
        why: the reason, if it is not plain.
        do: what to do next, preferably a command.
    """

    code = "E100"
    exit_code = 1

    def __init__(self, what: str, *, where: str = "", why: str = "", do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.why = why
        self.do = do

    def __str__(self) -> str:
        """Render as one line, then `why` and `do` where given."""
        lines = [" ".join(part for part in (self.code, self.where, self.what) if part)]
        lines += [f"  why  {self.why}"] if self.why else []
        lines += [f"  do   {self.do}"] if self.do else []
        return "\n".join(lines)


class UsageError(BefitError):
    """The command line's words are off."""

    code = "E101"
    exit_code = 2


class ConfigError(BefitError):
    """One problem in a project file; `where` is `file:line key.path`."""

    code = "E110"
    exit_code = 2


class PluginError(BefitError):
    """A plug-in that does not exist or does not load."""

    code = "E120"
    exit_code = 2


class DataError(BefitError):
    """One problem in a sample or data file; `where` is `file:line`."""

    code = "E200"
    exit_code = 8


class ProjectError(ConfigError):
    """All problems found in a project, reported together before any call is made."""

    def __init__(self, problems: Sequence[BefitError]) -> None:
        super().__init__(f"{len(problems)} problem(s) found")
        self.problems = tuple(problems)
        data_only = all(isinstance(problem, DataError) for problem in problems)
        self.exit_code = DataError.exit_code if data_only else ConfigError.exit_code

    def __str__(self) -> str:
        """Each problem in its own lines, in the order of the files."""
        return "\n".join(str(problem) for problem in self.problems)


class StoreError(BefitError):
    """The workspace cannot be used, or not be made where it was asked for."""

    code = "E300"
    exit_code = 2


class StoreBusyError(StoreError):
    """Another process is at work: nothing is wrong, the same command works when it has ended."""

    code = "E310"
    exit_code = 2


class StoreFullError(StoreError):
    """There is no room, or no right, to write: what is stored is kept, the rest is not."""

    code = "E320"
    exit_code = 5


class TargetError(BefitError):
    """One failed attempt at a target; the engine decides what happens next.

    `partial` is what had arrived before it failed (a cut stream, a filtered
    answer): never an answer, but its tokens may be billed.
    """

    code = "E400"
    exit_code = 7

    def __init__(
        self, failure: Failure, *, where: str = "", partial: Completion | None = None
    ) -> None:
        super().__init__(f"{failure.kind}: {failure.message}", where=where)
        self.failure = failure
        self.partial = partial


class ModelError(BefitError):
    """A local model is missing, damaged or cannot be loaded."""

    code = "E410"
    exit_code = 7


class SpendCapError(BefitError):
    """The spend cap is reached; what was paid for is stored and the run can be resumed."""

    code = "E500"
    exit_code = 6


class ForbiddenError(BefitError):
    """Not allowed: blinding or permissions."""

    code = "E600"
    exit_code = 9


def unwritable(what: str, *, where: object, error: OSError, do: str) -> BefitError:
    """Return the error for a file that was asked for and cannot be written: no room, or no way."""
    kind = StoreFullError if error.errno in NO_ROOM else UsageError
    return kind(
        f"{what} cannot be written", where=str(where), why=error.strerror or str(error), do=do
    )
