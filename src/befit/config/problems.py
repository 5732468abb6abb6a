"""Collects everything that is wrong with a project, so that it is told at once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from befit.datasets.files_tree import Node, find
from befit.datasets.files_words import Finding
from befit.errors import BefitError, ConfigError, ProjectError

_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+)(?:\s|$)")


class Problems:
    """Problems and warnings of one project, each told once.

    A place that is already broken (a missing variable, a file that is not
    there) takes no second problem: what follows from the first is no news.
    """

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self._found: list[BefitError] = []
        self._seen: set[tuple[str, str]] = set()
        self._broken: set[str] = set()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, what: str, at: Node | str, *, why: str = "", do: str = "") -> None:
        """Add a mistake in a project file."""
        where = at if isinstance(at, str) else at.where
        self.extend([ConfigError(what, where=where, why=why, do=do)])

    def broken(self, what: str, at: Node, *, why: str = "", do: str = "") -> None:
        """Add a mistake and keep quiet about whatever follows from it at the same place."""
        self.add(what, at, why=why, do=do)
        self._broken.add(at.where)

    def mute(self, places: Iterable[str]) -> None:
        """Keep quiet about whatever follows at places where something is told already."""
        self._broken.update(places)

    def extend(self, problems: Iterable[BefitError]) -> None:
        """Add problems made elsewhere."""
        for problem in problems:
            key = (problem.where, problem.what)
            if key not in self._seen and problem.where not in self._broken:
                self._seen.add(key)
                self._found.append(problem)

    def findings(self, found: Iterable[Finding], root: Node) -> None:
        """Add what a validation found below `root`, each at its own key."""
        for finding in found:
            self.add(finding.what, find(root, finding.loc), do=finding.do)

    def warn(self, what: str, at: Node | str) -> None:
        """Add something that is allowed but should be known."""
        where = at if isinstance(at, str) else at.where
        text = f"{where} {what}".strip()
        if text not in self.warnings:
            self.warnings.append(text)

    def raise_if_any(self) -> None:
        """Raise everything at once, in the order of files and lines.

        Raises:
            ProjectError: there are problems.
        """
        if not self._found:
            return
        files: dict[str, int] = {}

        def order(problem: BefitError) -> tuple[int, int]:
            place = _PLACE.match(problem.where)
            file = place["file"] if place else problem.where
            return files.setdefault(file, len(files)), int(place["line"]) if place else 0

        raise ProjectError(sorted(self._found, key=order))
