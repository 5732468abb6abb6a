"""Importing logs: read, redact, store in batches, join halves, and account for every line.

Nothing of an import is visible before all of it is stored; an import that
fails is erased, one that was killed is erased by the next.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from befit.core.interaction import Interaction, Outcome
from befit.datasets.logrow import row_of, unplaced_tags
from befit.datasets.redact import Redactor
from befit.errors import DataError
from befit.interop.log_item import Half, Item, Unknown, joined
from befit.interop.logs import READERS, Line, read_log
from befit.storage.interactions import LogRow
from befit.storage.workspace import Workspace

BATCH = 2_000
LISTED = 1_000
"""Broken lines kept in the report; all of them go to the listener."""
_ORDER = {"span": 0, "answered": 1, "asked": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A line that could not be read. Its content is not kept: nothing unredacted is."""

    file: str
    line: int
    problem: str


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What became of every line.

    `lines` = `broken` + `without` (no exchange in them) + `with_items`;
    `items` (exchanges and halves) = `stored` + `known`.
    """

    import_id: str = ""
    files: list[str] = field(default_factory=list)
    lines: int = 0
    broken: int = 0
    without: int = 0
    with_items: int = 0
    items: int = 0
    stored: int = 0
    known: int = 0
    halves: int = 0
    bare: int = 0
    """Calls without their content (a span that captured no messages)."""
    joined: int = 0
    """Exchanges made of halves."""
    outcomes: int = 0
    nul: int = 0
    """NUL characters taken out of texts: no sample may hold one."""
    redacted: int = 0
    """Exchanges in which something was replaced."""
    pictures: int = 0
    replaced: dict[str, int] = field(default_factory=dict)
    """Class of personal data -> values replaced."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Names of a known family that this version cannot place -> how often."""
    unplaced: dict[str, int] = field(default_factory=dict)
    """Key of metadata that is kept but is no field of a stratum -> exchanges that have it."""
    problems: list[Broken] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON values."""
        return asdict(self)


Listener = Callable[[Broken], None]
Progress = Callable[[ImportReport], None]


def import_logs(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    redactor: Redactor,
    form: str = "auto",
    listen: Listener | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Import log files and return what became of every line.

    Args:
        workspace: where to.
        paths: files, in this order.
        redactor: looks at everything before it is stored.
        form: log format, or `auto`.
        listen: told of each broken line as it is met.
        progress: told after each batch.

    Raises:
        DataError: a file that cannot be read to its end; nothing of this import stays.
        UsageError: an unknown format.
    """
    with workspace.hold("import"):
        logs = workspace.interactions
        report = ImportReport(import_id=logs.begin(), files=[str(path) for path in paths])
        work = _Import(workspace, redactor, report, listen, progress)
        try:
            for path in paths:
                _refuse_foreign(path, work.file(path, form=form))
            work.flush()
            report.redacted, report.pictures = redactor.touched, redactor.pictures
            report.replaced = dict(redactor.counts.most_common())
            report.joined = logs.finish(report.import_id, report.to_dict(), work.merged())
        except BaseException:
            logs.abandon(report.import_id)
            raise
    return report


class _Import:
    def __init__(
        self,
        workspace: Workspace,
        redactor: Redactor,
        report: ImportReport,
        listen: Listener | None,
        progress: Progress | None,
    ) -> None:
        self._logs = workspace.interactions
        self._redactor = redactor
        self._report = report
        self._listen, self._progress = listen, progress
        self._rows: list[LogRow] = []
        self._outcomes: list[tuple[int, Outcome]] = []
        self._unknown: Counter[str] = Counter()
        self._unplaced: Counter[str] = Counter()

    def file(self, path: Path, *, form: str) -> str:
        """Take every line of a file; return what is wrong with its first, if with all of them."""
        first, sound = "", False
        for line in read_log(path, form=form):
            self.take(path, line)
            first = first or (f"line {line.number}: {line.problem}" if line.problem else "")
            sound = sound or not line.problem
        return "" if sound else first

    def take(self, path: Path, line: Line) -> None:
        """Account for one line and put what it holds into the batch."""
        report = self._report
        report.lines += 1
        report.nul += line.nul
        if line.problem:
            report.broken += 1
            broken = Broken(file=str(path), line=line.number, problem=line.problem)
            if len(report.problems) < LISTED:
                report.problems.append(broken)
            if self._listen is not None:
                self._listen(broken)
            return
        held = [item for item in line.items if not isinstance(item, Unknown)]
        report.with_items += bool(held)
        report.without += not held
        for item in line.items:
            self._item(item, line.number)
        if len(self._rows) >= BATCH or len(self._outcomes) >= BATCH:
            self.flush()

    def _item(self, item: Item, number: int) -> None:
        report = self._report
        if isinstance(item, Unknown):
            self._unknown.update(item.names)
        elif isinstance(item, Outcome):
            report.outcomes += 1
            self._outcomes.append((report.lines, self._redactor.outcome(item)))
        else:
            half = self._unnamed(item) if isinstance(item, Half) else None
            held = item.interaction if isinstance(item, Half) else item
            scope = half.join if half is not None else ""
            if not scope and not held.id and not held.conversation_id:
                scope = _scope_of(held, number)
            row = row_of(
                self._redactor.interaction(held, scope=scope), ordinal=report.lines, half=half
            )
            report.items += 1
            report.halves += row.state == "half"
            report.bare += row.state == "bare"
            self._unplaced.update(unplaced_tags(row.interaction))
            self._rows.append(row)

    def _unnamed(self, half: Half) -> Half:
        """Return the half under a key without personal data: it may be somebody's address."""
        join = self._redactor.identifier(half.join)
        return half if join == half.join else replace(half, join=join)

    def flush(self) -> None:
        """Store the batch."""
        known = self._logs.put(self._report.import_id, self._rows, self._outcomes)
        self._report.known += known
        self._report.stored += len(self._rows) - known
        self._report.unknown = dict(self._unknown.most_common())
        self._report.unplaced = dict(self._unplaced.most_common())
        self._rows, self._outcomes = [], []
        if self._progress is not None:
            self._progress(self._report)

    def merged(self) -> Iterator[tuple[Sequence[str], LogRow]]:
        """Yield each exchange of which the halves have arrived, with their ids."""
        for waiting in self._logs.pairs():
            sides: dict[str, list[tuple[str, Interaction]]] = {}
            for one, side, held in waiting:
                sides.setdefault(side, []).append((one, held))
            rounds = min(len(found) for found in sides.values())
            if "span" in sides:
                # All log records of a span belong to its one call.
                yield _whole([(one, side, held) for one, side, held in waiting])
                continue
            for place in range(rounds):
                yield _whole([(*found[place][:1], side, found[place][1])
                              for side, found in sides.items()])  # fmt: skip


def _refuse_foreign(path: Path, problem: str) -> None:
    """A file of which no line is one of a log is the wrong file: say so, rather than list it."""
    if not problem:
        return
    whole = "one JSON" in problem or "no JSON" in problem
    raise DataError(
        "no line of this file can be read",
        where=str(path),
        why=problem,
        do="write one JSON object per line (jq -c '.[]' FILE does it for an array)"
        if whole
        else f"name its format with --format: {', '.join(READERS)}, csv or tsv",
    )


def _whole(parts: list[tuple[str, str, Interaction]]) -> tuple[list[str], LogRow]:
    ordered = sorted(parts, key=lambda part: _ORDER[part[1]])
    halves = [
        Half(interaction=held, join="", side=side)  # type: ignore[arg-type]  # as it was stored
        for _, side, held in ordered
    ]
    return [one for one, _, _ in ordered], row_of(joined(halves), ordinal=0)


def _scope_of(held: Interaction, number: int) -> str:
    text = held.messages[0].text if held.messages else ""
    return f"{number}:{hashlib.blake2b(text.encode('utf-8', 'replace')).hexdigest()[:16]}"
