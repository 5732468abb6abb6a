"""The live table of `befit load`: one row a level, the last one moving; lines where nobody watches.

Values without intervals, of the last thousand calls where a level still runs: for watching
only. What counts is in the result.
"""

from __future__ import annotations

import time
from io import StringIO
from typing import TYPE_CHECKING

from befit.charts.numbers import value_text
from befit.cli.load_words import level_line
from befit.cli.words import duration
from befit.core.written import in_percent

if TYPE_CHECKING:
    from rich.live import Live as RichLive
    from rich.table import Table

    from befit.analysis.load import LoadLevel
    from befit.analysis.load_search import Tried
    from befit.cli.shell import Shell
    from befit.engine.load_log import CallLog
    from befit.engine.load_shape import LoadShape

EVERY = 0.5
EVERY_QUIET = 10.0
LAST = 1000
HEADER = ("level", "time", "calls", "in flight", "ans/s", "p50", "p95", "failed", "kept")
Row = tuple[str, ...]


class LiveTable:
    """What a person sees while levels are measured. Close it at the end."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._moving = shell.err.isatty() and not (shell.plain or shell.quiet or shell.as_json)
        self._every = EVERY if self._moving else EVERY_QUIET
        self._said = time.monotonic()
        self._shape: LoadShape | None = None
        self._done: list[Row] = []
        self._live: RichLive | None = None

    def begun(self, shape: LoadShape) -> None:
        """A level begins, or is made once more because chance could still turn its verdict."""
        again = self._shape is not None and self._shape.name == shape.name
        self._shape = shape
        self._said = time.monotonic()
        if not self._moving:
            name = "  once more, as chance could still turn it" if again else shape.name
            self._say(f"{name}, {duration(shape.duration)}")

    def watch(self, now: float, in_flight: int, log: CallLog) -> None:
        """Show where the level stands, if it is time."""
        if time.monotonic() - self._said < self._every or self._shape is None:
            return
        self._said = time.monotonic()
        row = _row(self._shape, now, in_flight, log)
        if self._moving:
            self._show(row)
            return
        _, at, calls, flying, _, middle, tail, failed, _ = row
        self._say(
            f"  {at}  done {calls}  in flight {flying}"
            f"  last {min(log.n, LAST)}: p50 {middle}, p95 {tail}, failed {failed}"
        )

    def level(self, level: LoadLevel, tried: Tried | None) -> None:
        """A level has ended."""
        self._shape = None
        if not self._moving:
            self._say(level_line(level, tried))
            return
        latency = level.times["latency"]
        kept = level.attainment
        verdict = "" if kept.value is None else value_text(kept, "percent")
        self._done.append(
            (
                level.shape.short + (" !" if level.invalid else ""),
                duration(level.shape.duration),
                f"{level.calls:,}",
                f"{level.mean_in_flight:.1f}",
                value_text(level.requests_per_second, "number"),
                duration(latency.p50.value),
                duration(latency.p95.value),
                value_text(level.error_rate, "percent"),
                verdict if tried is None else tried.verdict.replace("_", " "),
            )
        )
        self._show(None)

    def close(self) -> None:
        """Take the table away; the result takes its place."""
        if self._live is not None:
            self._live.stop()

    def _say(self, text: str) -> None:
        """Tell it; that nobody reads it any more (`2>&1 | head`) ends no measurement."""
        try:
            self._shell.say(text)
        except BrokenPipeError:
            self._shell.err = StringIO()

    def _show(self, moving: Row | None) -> None:
        from rich.live import Live  # noqa: PLC0415 - rich is slow to import

        table = _table(self._done if moving is None else [*self._done, moving])
        if self._live is None:
            console = self._shell.console(stderr=True)
            self._live = Live(table, console=console, transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(table, refresh=True)


def _row(shape: LoadShape, now: float, in_flight: int, log: CallLog) -> Row:
    first = max(0, log.n - LAST)
    ends, due, codes = log.column("end"), log.column("scheduled"), log.failures
    took = sorted(ends[i] - due[i] for i in range(first, log.n))
    lost = sum(codes[i] >= 0 for i in range(first, log.n))
    span = now - ends[first] if log.n > first else 0.0
    return (
        shape.short,
        f"{now:.0f} of {shape.duration:.0f} s",
        f"{log.n:,}",
        str(in_flight),
        f"{(len(took) - lost) / span:.1f}" if span > 1 else "",
        duration(took[len(took) // 2]) if took else "",
        duration(took[int(len(took) * 0.95)]) if took else "",
        f"{in_percent(lost / len(took))} %" if took else "",
        "",
    )


def _table(rows: list[Row]) -> Table:
    from rich.table import Table  # noqa: PLC0415 - rich is slow to import
    from rich.text import Text  # noqa: PLC0415 - the same

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in HEADER:
        table.add_column(name, justify="left" if name == "level" else "right", no_wrap=True)
    for row in rows:
        table.add_row(*[Text(cell) for cell in row])
    return table
