"""A table of public results, models x benchmarks, as every reader of benchmark tables makes it.

Readers (`table`, `lm_eval`, `inspect_log`, `helm`) put what they find into a
`Collector`: values, and as far as given items, standard errors, repeated runs,
results per item, date and source. A missing cell is simply not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from befit.core.screening import BenchmarkSettings
from befit.errors import BefitError, DataError, ProjectError

MOST_PROBLEMS = 20


class Result(NamedTuple):
    """One cell. A named tuple, since a table may hold a million of them."""

    value: float
    items: int | None = None
    error: float | None = None
    """Standard error of one evaluation, in the unit of the value."""
    runs: tuple[float, ...] = ()
    """Values of repeated evaluations; `value` is their mean."""
    by_item: Mapping[str, float] | None = None
    """Item id -> score, averaged over the runs."""
    date: str = ""
    source: str = ""


class PlainColumn(Mapping[str, Result]):
    """A column of bare values; a `Result` is made only for a cell that is looked at."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: Mapping[str, float]) -> None:
        self.numbers = numbers

    def __getitem__(self, model: str) -> Result:
        """Return the result of a model."""
        return Result(self.numbers[model])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the models."""
        return iter(self.numbers)

    def __len__(self) -> int:
        """Return the number of models."""
        return len(self.numbers)

    def __contains__(self, model: object) -> bool:
        """Tell whether a model has a value."""
        return model in self.numbers


def numbers_of(column: Mapping[str, Result]) -> Mapping[str, float]:
    """Return the bare values of a column by model."""
    if isinstance(column, PlainColumn):
        return column.numbers
    return {model: result.value for model, result in column.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkTable:
    """All results; `results[benchmark][model]` is there only where something was reported."""

    models: tuple[str, ...]
    results: Mapping[str, Mapping[str, Result]]
    settings: Mapping[str, BenchmarkSettings]
    """What is known of each benchmark, its scale resolved."""
    tables: tuple[str, ...]
    digest: str
    notes: tuple[str, ...]

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.results)


class Troubles:
    """Collects what is wrong with tables, so that all of it is told at once, in bounded length."""

    def __init__(self) -> None:
        self._found: list[BefitError] = []
        self._more = 0

    def add(self, what: str, where: str, *, why: str = "", do: str = "") -> None:
        """Add one mistake."""
        if len(self._found) < MOST_PROBLEMS:
            self._found.append(DataError(what, where=where, why=why, do=do))
        else:
            self._more += 1

    def __len__(self) -> int:
        return len(self._found) + self._more

    def raise_if_any(self) -> None:
        """Raise everything found.

        Raises:
            ProjectError: all problems, exit code 8.
        """
        if self._more:
            self._found.append(DataError(f"and {self._more:,} more problems like these"))
            self._more = 0
        if self._found:
            raise ProjectError(self._found)


@dataclass(slots=True)
class _Cell:
    where: str
    results: list[Result]
    runs: set[str]


@dataclass(slots=True)
class Collector:
    """Takes results one by one and tells apart a repeated evaluation from a mistake."""

    troubles: Troubles
    info: dict[str, BenchmarkSettings] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _cells: dict[str, dict[str, _Cell | Result]] = field(default_factory=dict)
    _plain: dict[str, PlainColumn] = field(default_factory=dict)
    _models: dict[str, None] = field(default_factory=dict)

    def add(
        self, model: str, benchmark: str, result: Result, *, where: str, run: str | None = None
    ) -> None:
        """Take one result.

        Args:
            model: its name.
            benchmark: the name of the column.
            result: of one evaluation.
            where: the place, for messages.
            run: names the evaluation, where there may be several of one cell.
        """
        self._models[model] = None
        if benchmark in self._plain:
            self._cells[benchmark] = dict(self._plain.pop(benchmark))
        column = self._cells.setdefault(benchmark, {})
        held = column.get(model)
        if held is None:
            column[model] = _Cell(where, [result], {run}) if run is not None else result
            return
        if run is None or not isinstance(held, _Cell) or run in held.runs:
            first = f" (first at {held.where})" if isinstance(held, _Cell) else ""
            self.troubles.add(
                f"'{model}' has two results for '{benchmark}'{first}",
                where,
                do="remove one; for repeated evaluations add a column 'run' with different values",
            )
            return
        held.results.append(result)
        held.runs.add(run)

    def add_plain(self, benchmark: str, numbers: Mapping[str, float]) -> None:
        """Take a column of bare values at once: no model twice, nothing of it known yet."""
        self._plain[benchmark] = PlainColumn(numbers)
        self._models.update(dict.fromkeys(numbers))

    def has(self, benchmark: str) -> bool:
        """Tell whether another table told of this benchmark before."""
        return benchmark in self._cells or benchmark in self._plain

    def note(self, text: str) -> None:
        """Keep something that a reader of the results should know."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def models(self) -> tuple[str, ...]:
        """All models met, in order."""
        return tuple(self._models)

    def results(self) -> Iterator[tuple[str, Mapping[str, Result]]]:
        """Yield each benchmark with its results, repeated evaluations put together."""
        yield from self._plain.items()
        for name, column in self._cells.items():
            yield (
                name,
                {m: c if isinstance(c, Result) else _joined(c.results) for m, c in column.items()},
            )


def _joined(results: list[Result]) -> Result:
    if len(results) == 1:
        return results[0]
    first = results[0]
    errors = [r.error for r in results if r.error is not None]
    values = tuple(r.value for r in results)
    items = [r.items for r in results if r.items is not None]
    return first._replace(
        value=sum(values) / len(values),
        items=min(items) if items else None,
        error=sum(errors) / len(errors) if errors else None,
        runs=values,
        by_item=_mean_items([r.by_item for r in results if r.by_item]),
    )


def _mean_items(found: list[Mapping[str, float]]) -> dict[str, float] | None:
    if not found:
        return None
    sums: dict[str, list[float]] = {}
    for items in found:
        for item, score in items.items():
            sums.setdefault(item, []).append(score)
    return {item: sum(scores) / len(scores) for item, scores in sums.items()}


def one_line(text: str) -> str:
    """Return a name on one line: headers of real tables hold line breaks."""
    return " ".join(text.split())
