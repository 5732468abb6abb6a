"""Tables for notebooks: plain rows with a stable schema, polars and pandas on request."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from befit.errors import PluginError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

SHOWN = 20
"""Rows shown in a notebook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of one kind. `schema` names the kind and its version (`befit/trials/1`)."""

    schema: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            yield dict(zip(self.columns, row, strict=True))

    def __getitem__(self, index: int) -> dict[str, Any]:
        return dict(zip(self.columns, self.rows[index], strict=True))

    def head(self, n: int = 5) -> Table:
        """Return the first n rows."""
        return Table(schema=self.schema, columns=self.columns, rows=self.rows[:n])

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        return list(self)

    def to_polars(self) -> pl.DataFrame:
        """Return a polars frame (extra `tables`)."""
        try:
            import polars as pl  # noqa: PLC0415 - an optional extra, and slow to import
        except ImportError as error:
            raise _no_extra("polars") from error
        columns = {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}
        return pl.DataFrame(columns, strict=False)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas frame (extra `tables`)."""
        try:
            import pandas as pd  # noqa: PLC0415 - an optional extra, and slow to import
        except ImportError as error:
            raise _no_extra("pandas") from error
        return pd.DataFrame(list(self.rows), columns=list(self.columns))

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_short(value))}</td>" for value in row) + "</tr>"
            for row in self.rows[:SHOWN]
        )
        more = len(self.rows) - SHOWN
        note = f"<p>and {more} more rows</p>" if more > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def table(schema: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """Return a table from any rows."""
    return Table(schema=schema, columns=tuple(columns), rows=tuple(tuple(row) for row in rows))


def _short(value: object) -> str:
    if value is None:
        return "—"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004 - one table cell


def _no_extra(package: str) -> PluginError:
    return PluginError(
        f"{package} is not installed", why="it is an extra", do="pip install 'befit[tables]'"
    )
