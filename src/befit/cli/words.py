"""Numbers in words a person reads: rates with intervals, money, times, counts."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from befit.cli.columns import GAP, HEADER, LONGEST, narrowest, natural, widths, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from befit.cli.shell import Shell
    from befit.core.estimate import Estimate
    from befit.engine.plan import Span

NOT_MEASURED = "—"
MINUTE, HOUR = 60.0, 3600.0


def rate(estimate: Estimate) -> tuple[str, str]:
    """Return a rate in percent and its interval, for two columns."""
    if estimate.value is None:
        return NOT_MEASURED, estimate.method
    from befit.report.numbers import interval, share  # noqa: PLC0415 - keeps --help light

    return f"{share(estimate.value, estimate)} %", f"[{interval(estimate)}]"


def count(estimate: Estimate) -> str:
    """Return the n behind an estimate: samples x repeats, and what is missing."""
    if not estimate.n_samples:
        return NOT_MEASURED
    repeats = estimate.n_trials / estimate.n_samples
    missing = f", {estimate.n_missing} missing" if estimate.n_missing else ""
    return f"{estimate.n_samples}x{repeats:.3g}{missing}"


def money(value: float | None) -> str:
    """Return USD with as many digits as the amount needs."""
    if value is None:
        return "unknown"
    if value and abs(value) < 0.01:  # noqa: PLR2004 - below a cent
        return f"${value:.2g}"
    return f"${value:,.2f}"


def money_span(span: Span | None) -> str:
    """Return a range of USD."""
    if span is None:
        return "unknown"
    if span.high is None:
        return f"at least {money(span.low)}"
    return f"{money(span.low)} to {money(span.high)}"


def duration(seconds: float | None) -> str:
    """Return a time as people say it."""
    if seconds is None:
        return "unknown"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < MINUTE:
        return f"{seconds:.1f} s"
    if seconds < HOUR:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d} min"
    return f"{seconds / HOUR:.1f} h"


def number(value: float | None) -> str:
    """Return a whole number with separators."""
    return "unknown" if value is None else f"{value:,.0f}"


def show_table(
    shell: Shell,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    numeric: Sequence[int] = (),
    least: Sequence[int] = (),
) -> None:
    """Print a table to stdout; plain, it is tab-separated.

    Args:
        shell: where to print.
        header: column names.
        rows: cells as text.
        title: a line above.
        numeric: columns to be right-aligned.
        least: columns that may be dropped on a narrow terminal, the first to go first; they are
            named below the table when they were.
    """
    from befit.cli.shell import visible  # noqa: PLC0415 - avoids a cycle of light modules

    clean = [[visible(cell) for cell in row] for row in rows]
    if shell.as_json:
        return
    if shell.plain:
        for row in [list(header), *clean]:
            shell.row(row)
        return
    from rich.table import Table  # noqa: PLC0415 - rich is slow to import
    from rich.text import Text  # noqa: PLC0415 - the same

    console = shell.console()
    kept, dropped = _fit(header, clean, width=console.width, least=least)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    made = {at: [header[at], *(row[at] for row in clean)] for at in kept}
    wide = widths(made, numeric=numeric, width=console.width)
    for column in kept:
        table.add_column(
            header[column],
            justify="right" if column in numeric else "left",
            width=wide[column],
            overflow="fold",
        )
    for row in clean:
        table.add_row(*[Text(wrapped(row[column], wide[column])) for column in kept])
    if title:
        console.print(Text(title, style="bold"))
    console.print(table)
    if dropped:
        names = ", ".join(header[column] for column in dropped)
        shell.say(f"(narrow terminal: left out {names}; --plain shows all)")


def fits(
    shell: Shell, header: Sequence[str], rows: Sequence[Sequence[str]], *, names: int = 0
) -> bool:
    """Tell whether a table has room for all its columns; a plain one always has.

    Args:
        shell: where it would be printed.
        header: column names.
        rows: cells as text.
        names: the first so many columns hold names, which are not to be wrapped word by word.
    """
    if shell.plain or shell.as_json:
        return True
    columns = [[header[at], *(row[at] for row in rows)] for at in range(len(header))]
    needed = [min(natural(cells), LONGEST) for cells in columns[:names]]
    needed += [narrowest(cells, header=HEADER) for cells in columns[names:]]
    return sum(needed) + GAP * len(columns) <= shell.console().width


def show_note(shell: Shell, text: str) -> None:
    """Print a sentence below a table, within the width of the terminal."""
    width = shell.console().width
    for line in textwrap.wrap(text, width=width, break_long_words=False) or [""]:
        shell.data(line)


def _fit(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, width: int, least: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the columns that fit, and those that had to go."""
    kept = list(range(len(header)))
    widths = [max([len(header[i]), *(len(row[i]) for row in rows)], default=0) for i in kept]
    dropped: list[int] = []
    for column in least:
        if sum(min(widths[i], 40) + 2 for i in kept) <= width:
            break
        kept.remove(column)
        dropped.append(column)
    return kept, dropped
