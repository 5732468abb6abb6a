"""Benchmark tables as rows: CSV, TSV, and lists of records from JSON or YAML; wide or long.

Wide: one row a model, one column a benchmark. Long: one row a result (model,
benchmark, score), with an item column one row an answer. Everything wrong is
told with its line; nothing is guessed that could be read in two ways.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from befit.core.screening import BenchmarkSettings
from befit.core.spreadsheet import next_row
from befit.interop.benchmarks import Collector, Result, one_line
from befit.interop.table_columns import Columns, find_columns
from befit.interop.table_numbers import HUGE, Number, is_missing, quick_number, read_number

MOST_CELLS = 5_000_000
TEXT_SHARE = 0.5
"""A column of which more than this is text is no benchmark but something about the models."""
_FIELD = 1_000_000

Row = tuple[int, Sequence[str]]


def read_csv(text: str, *, file: str, collector: Collector) -> None:
    """Read a CSV or TSV text into the collector."""
    first = text.split("\n", 1)[0]
    mark = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    rows: list[Row] = []
    cells = 0
    try:
        while (row := next_row(reader, longest=_FIELD)) is not None:
            if any(cell.strip() for cell in row):
                rows.append((reader.line_num, row))
                cells += len(row)
            if cells > MOST_CELLS:
                collector.troubles.add(f"the table has more than {MOST_CELLS:,} cells", file)
                return
    except csv.Error as error:
        where = f"{file}:{reader.line_num}"
        collector.troubles.add("this is no CSV", where, why=str(error), do="check the quotes")
        return
    if len(rows) <= 1:
        what = "the table has no rows" if rows else "the file is empty"
        collector.troubles.add(what, file)
        return
    read_rows([one_line(name) for name in rows[0][1]], rows[1:], file=file, collector=collector)


def read_records(records: Sequence[object], *, file: str, collector: Collector) -> None:
    """Read a list of mappings, each like one row of a CSV file."""
    names: dict[str, None] = {}
    for i, record in enumerate(records):
        if not isinstance(record, dict):
            collector.troubles.add("a row is a mapping", f"{file} row {i + 1}")
            return
        names.update(dict.fromkeys(str(key) for key in record))
    rows: Iterable[Row] = (
        (i + 1, ["" if (v := record.get(name)) is None else str(v) for name in names])
        for i, record in enumerate(records)
        if isinstance(record, dict)
    )
    read_rows([one_line(name) for name in names], list(rows), file=file, collector=collector)


def read_rows(
    names: Sequence[str], rows: Sequence[Row], *, file: str, collector: Collector
) -> None:
    """Read rows of text under their column names."""
    if all(read_number(name) for name in names if not is_missing(name)):
        collector.troubles.add(
            "the first row holds numbers, not the names of columns", f"{file}:1", do="add a header"
        )
        return
    columns = find_columns(names, where=f"{file}:1", troubles=collector.troubles)
    if columns is None:
        return
    kept = _sound(rows, columns, file=file, collector=collector)
    if columns.is_long:
        _Long(columns, file, collector).read(kept)
    else:
        _Wide(columns, file, collector).read(kept)


def _sound(
    rows: Sequence[Row], columns: Columns, *, file: str, collector: Collector
) -> list[tuple[int, list[str]]]:
    width, short = len(columns.names), 0
    kept = []
    for line, row in rows:
        if len(row) > width:
            extra = len(row) - width
            collector.troubles.add(
                f"the row has {extra} more cell(s) than the header", f"{file}:{line}",
                do="check for separators inside values",
            )  # fmt: skip
            continue
        if len(row) < width:
            short += 1
            row = [*row, *[""] * (width - len(row))]  # noqa: PLW2901 - the same row, whole
        cells = list(row)
        cells[columns.model] = one_line(cells[columns.model])
        if not cells[columns.model]:
            collector.troubles.add("the row names no model", f"{file}:{line}")
            continue
        kept.append((line, cells))
    if short:
        collector.note(f"{file}: {short} row(s) are shorter than the header; the rest is missing")
    return kept


@dataclass(slots=True)
class _Reader:
    columns: Columns
    file: str
    collector: Collector

    def where(self, line: int, column: int) -> str:
        return f"{self.file}:{line} {self.columns.names[column]}"

    def about(self, cells: Sequence[str], key: str) -> str:
        place = self.columns.about.get(key)
        return "" if place is None else cells[place].strip()

    def number(self, line: int, cells: Sequence[str], column: int | None) -> float | None:
        """Return a companion number (items, standard error); None where missing or wrong."""
        if column is None or is_missing(cells[column]):
            return None
        found = read_number(cells[column])
        if found is None or found.value < 0:
            self.wrong(line, column, cells[column])
            return None
        return found.value

    def wrong(self, line: int, column: int, text: str) -> None:
        self.collector.troubles.add(
            f"'{text[:40]}' is no number",
            self.where(line, column),
            do="write a number, or leave the cell empty",
        )

    def run(self, cells: Sequence[str]) -> str | None:
        return self.about(cells, "run") if "run" in self.columns.about else None

    def whole(self, line: int, cells: Sequence[str], column: int | None) -> int | None:
        found = self.number(line, cells, column)
        if found is not None and (found < 1 or found != int(found)):
            self.wrong(line, column or 0, cells[column or 0])
            return None
        return None if found is None else int(found)


class _Wide(_Reader):
    def read(self, rows: Sequence[tuple[int, list[str]]]) -> None:
        if "run" not in self.columns.about and self._doubled(rows):
            return
        for column in self.columns.scores:
            self._column(column, rows)

    def _doubled(self, rows: Sequence[tuple[int, list[str]]]) -> bool:
        first: dict[str, int] = {}
        doubled = False
        for line, cells in rows:
            model = cells[self.columns.model]
            if first.setdefault(model, line) != line:
                doubled = True
                self.collector.troubles.add(
                    f"the model '{model}' occurs twice (first in line {first[model]})",
                    f"{self.file}:{line}",
                    do="remove one; for repeated evaluations add a column 'run'",
                )
        return doubled

    def _column(self, column: int, rows: Sequence[tuple[int, list[str]]]) -> None:
        name = self.columns.names[column]
        if self._plainly(name, column, rows):
            return
        found: list[tuple[int, list[str], Number]] = []
        bad: list[tuple[int, str]] = []
        for line, cells in rows:
            text = cells[column]
            value = quick_number(text)
            if value is not None:
                found.append((line, cells, Number(value)))
            elif not is_missing(text):
                number = read_number(text)
                if number is None:
                    bad.append((line, text))
                else:
                    found.append((line, cells, number))
        if len(bad) > TEXT_SHARE * (len(found) + len(bad)):
            self.collector.note(f"'{name}' holds text, so it is no benchmark")
            return
        for line, text in bad:
            self.wrong(line, column, text)
        if found and all(number.percent for _, _, number in found):
            self.collector.info.setdefault(name, BenchmarkSettings(scale="percent"))
        self._take(name, column, _decimal(found, column))

    def _plainly(self, name: str, column: int, rows: Sequence[tuple[int, list[str]]]) -> bool:
        """Take a column of nothing but plain numbers, as most are: large tables need the speed."""
        columns = self.columns
        if columns.errors or columns.items or columns.about or self.collector.has(name):
            return False
        texts = [cells[column] for _, cells in rows]
        try:
            values = [float(text) if text else None for text in texts]
        except ValueError:
            return False
        known = [value for value in values if value is not None]
        if not known or not -HUGE < sum(known) < HUGE or "_" in "".join(texts):
            return False
        names = (cells[columns.model] for _, cells in rows)
        self.collector.add_plain(
            name, {m: v for m, v in zip(names, values, strict=True) if v is not None}
        )
        return True

    def _take(self, name: str, column: int, found: Sequence[tuple[int, list[str], Number]]) -> None:
        model = self.columns.model
        results = [
            (line, cells, self._result(line, cells, column, number.value, number.error))
            for line, cells, number in found
        ]
        for line, cells, result in results:
            where = f"{self.file}:{line}"
            self.collector.add(cells[model], name, result, where=where, run=self.run(cells))

    def _result(
        self, line: int, cells: Sequence[str], column: int, value: float, error: float | None
    ) -> Result:
        columns = self.columns
        if not columns.errors and not columns.items and not columns.about:
            return Result(value, None, error)
        alone = columns.about.get("error") if len(columns.scores) == 1 else None
        spread = columns.errors.get(column, alone)
        items = columns.items.get(column, columns.about.get("items"))
        given = self.number(line, cells, spread)
        return Result(
            value,
            self.whole(line, cells, items),
            error if given is None else given,
            date=self.about(cells, "date"),
            source=self.about(cells, "source"),
        )


def _decimal(
    found: Sequence[tuple[int, list[str], Number]], column: int
) -> Sequence[tuple[int, list[str], Number]]:
    """Read `1,254` as 1.254 where other cells of the column show a decimal comma."""
    if not any(number.comma for _, _, number in found):
        return found
    again = []
    for line, cells, number in found:
        doubtful = number.comma is None and "," in cells[column]
        told = read_number(cells[column], decimal_comma=True) if doubtful else None
        again.append((line, cells, told or number))
    return again


class _Long(_Reader):
    def read(self, rows: Sequence[tuple[int, list[str]]]) -> None:
        if "item" in self.columns.about:
            self._items(rows)
            return
        for line, cells, name, value, error in self._values(rows):
            given = self.number(line, cells, self.columns.about.get("error"))
            result = Result(
                value,
                self.whole(line, cells, self.columns.about.get("items")),
                error if given is None else given,
                date=self.about(cells, "date"),
                source=self.about(cells, "source"),
            )
            self.collector.add(
                cells[self.columns.model],
                name,
                result,
                where=f"{self.file}:{line}",
                run=self.run(cells),
            )

    def _values(
        self, rows: Sequence[tuple[int, list[str]]]
    ) -> Iterator[tuple[int, list[str], str, float, float | None]]:
        place, bench = self.columns.value or 0, self.columns.benchmark or 0
        for line, cells in rows:
            name = one_line(cells[bench])
            if not name:
                self.collector.troubles.add("the row names no benchmark", f"{self.file}:{line}")
                continue
            if is_missing(cells[place]):
                continue
            number = read_number(_truth(cells[place]))
            if number is None:
                self.wrong(line, place, cells[place])
                continue
            if name not in self.collector.info:
                self._learn(name, cells, percent=number.percent)
            yield line, cells, name, number.value, number.error

    def _learn(self, name: str, cells: Sequence[str], *, percent: bool) -> None:
        told: dict[str, object] = {"scale": "percent"} if percent else {}
        if skill := self.about(cells, "skill"):
            told["skill"] = skill
        for key, field in (("language", "languages"), ("modality", "modality")):
            if words := self.about(cells, key):
                told[field] = tuple(words.replace(",", " ").replace("+", " ").split())
        self.collector.info[name] = BenchmarkSettings.model_validate(told)

    def _items(self, rows: Sequence[tuple[int, list[str]]]) -> None:
        """Put answers together into one result per model, benchmark and run."""
        found: dict[tuple[str, str, str | None], dict[str, float]] = {}
        places: dict[tuple[str, str, str | None], tuple[int, list[str]]] = {}
        for line, cells, name, value, _ in self._values(rows):
            key = (cells[self.columns.model], name, self.run(cells))
            items = found.setdefault(key, {})
            places.setdefault(key, (line, cells))
            item = self.about(cells, "item")
            if item in items:
                self.collector.troubles.add(
                    f"'{key[0]}' has two results for item '{item}' of '{name}'",
                    f"{self.file}:{line}",
                    do="remove one, or add a column 'run'",
                )
                continue
            items[item] = value
        for (model, name, run), items in found.items():
            line, cells = places[model, name, run]
            result = Result(
                sum(items.values()) / len(items),
                len(items),
                by_item=items,
                date=self.about(cells, "date"),
                source=self.about(cells, "source"),
            )
            where = f"{self.file}:{line}"
            self.collector.add(model, name, result, where=where, run=run)


def _truth(text: str) -> str:
    """Return `true` and `false` as numbers: answers are often written so."""
    return {"true": "1", "false": "0"}.get(text.strip().lower(), text)
