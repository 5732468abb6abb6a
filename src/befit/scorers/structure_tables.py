"""The part of `structure` about CSV and Markdown tables: columns and number of rows."""

from __future__ import annotations

from collections import Counter

from befit.core.record import Json
from befit.scorers.checks import Check
from befit.scorers.evidence import quoted, storable
from befit.scorers.parsing import Form, payloads
from befit.scorers.structure_options import Rows, StructureOptions
from befit.scorers.tables import Table, read_csv, read_markdown


def find_table(output: str, options: StructureOptions) -> tuple[Table | None, Form, str | None]:
    """Return (table, form, None), or (None, "invalid", why); the last block that parses counts."""
    error: str | None = None
    # A line of prose is a table of one column; so one column has to be asked for.
    least = 1 if options.columns is not None and len(options.columns) == 1 else 2
    for place in reversed(payloads(output)):
        if options.format == "csv":
            table, why = read_csv(output, place.span, delimiter=options.delimiter)
        else:
            table, why = read_markdown(output, place.span)
        if table is not None and len(table.columns) < least:
            table, why = None, f"fewer than {least} columns"
        if table is not None:
            start, end = table.span
            inside = output[place.span[0] : start].strip() or output[end : place.span[1]].strip()
            return table, "embedded" if inside else place.form, None
        error = error or why
    return None, "invalid", error


def stored_table(table: Table) -> Json:
    """Return the cells as lists, header first."""
    return [list(table.columns), *(list(row) for row in table.rows)]


def check_table(table: Table | None, options: StructureOptions) -> list[Check]:
    """Return `table_ok` and, for what was asked, `columns` and `row_count`; all whole-trial."""
    details: list[Check] = []
    if options.columns is not None:
        details.append(_columns(table, options.columns, ordered=options.column_order))
    if options.rows is not None:
        details.append(_row_count(table, options.rows))
    good = all(check.value == 1 for check in details)
    wrong = "; ".join(check.explanation for check in details if check.explanation)
    whole = Check(
        name="table_ok",
        value=float(good),
        label=("right" if good else "wrong") if table else "unparsed",
        rule="the table has the expected columns and number of rows",
        span=table.span if table else None,
        explanation=wrong or None,
    )
    return [whole, *details]


def _columns(table: Table | None, wanted: tuple[str, ...], *, ordered: bool) -> Check:
    label = "unparsed" if table is None else _columns_label(table.columns, wanted, ordered=ordered)
    found = list(table.columns) if table else []
    right = label == "right"
    return Check(
        name="columns",
        value=float(right),
        label=label,
        rule=f"the columns are {', '.join(wanted)}" + ("" if ordered else ", in any order"),
        answer=[storable(column) for column in found[:100]] if table else None,
        explanation=None if right or table is None else f"columns {quoted(found[:20], limit=200)}",
    )


def _columns_label(found: tuple[str, ...], wanted: tuple[str, ...], *, ordered: bool) -> str:
    if found == wanted or (not ordered and Counter(found) == Counter(wanted)):
        return "right"
    if Counter(wanted) - Counter(found):
        return "missing_columns"
    return "extra_columns" if len(found) > len(wanted) else "wrong_order"


def _row_count(table: Table | None, wanted: Rows) -> Check:
    count = None if table is None else len(table.rows)
    label = "unparsed"
    if count is not None:
        label = "too_few_rows" if count < wanted.min else "right"
        label = "too_many_rows" if wanted.max is not None and count > wanted.max else label
    upper = "or more" if wanted.max is None else f"to {wanted.max}"
    exact = wanted.max == wanted.min
    return Check(
        name="row_count",
        value=float(label == "right"),
        label=label,
        rule=f"{wanted.min} rows" if exact else f"{wanted.min} {upper} rows",
        answer=count,
        explanation=None if label == "right" or count is None else f"{count} rows",
    )
