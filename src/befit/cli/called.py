"""What candidates are called in the tables of a report: by name, or by number on a narrow terminal.

A name such as `Qwen/Qwen2.5-7B-Instruct-AWQ` takes the room of every figure beside it. Where it
has none, a legend above the tables gives each candidate a number; sentences keep the names, and
what is piped has all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from befit.cli.columns import LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from befit.cli.shell import Shell

ROOM = 60
"""Columns of the terminal that tables need besides the names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """The candidates that have numbers, in their order."""

    names: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> str:
        """Return the number of a candidate, or its name where it has none."""
        return f"#{self.names.index(name) + 1}" if name in self.names else name


THEMSELVES = Called()


def called_in(shell: Shell, candidates: Sequence[str]) -> Called:
    """Return how candidates are called, and print which number is whose where they have one."""
    longest = max(map(len, candidates), default=0)
    if shell.plain or shell.as_json or longest <= LONGEST:
        return THEMSELVES
    if shell.console().width >= ROOM + longest:
        return THEMSELVES
    found = Called(names=tuple(candidates))
    shell.data("Candidates in the tables below")
    for name in candidates:
        shell.data(f"  {found[name]}  {name}")
    shell.data("")
    return found
