"""Is the converted document the same data? CSV, JSON, YAML, XML, Markdown tables.

The target is the data itself, or a text in the format asked for. Both are
compared as data: layout, quoting and the order of keys are free. A format that
knows texts only (CSV, XML, Markdown) is compared by the text of each value; JSON
and YAML keep the types apart unless `types: false`. In XML, a list of one cannot
be told from its only item, and is not; a target that is a list is what the outermost
element holds. A table has flat rows: one mapping is a table of one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.convert_compare import Ways, compare
from befit.scorers.convert_read import Format, read_data
from befit.scorers.evidence import Span, storable, version_of
from befit.scorers.parsing import payloads
from befit.scorers.structure_fields import stored

NAME = "convert"
CODE_VERSION = "2"
_TABLES = frozenset({"csv", "markdown"})
_SHOWN = 5


class ConvertOptions(Record):
    """The format asked for and what is free in it."""

    to: Format = Field(description="The format of the answer.")
    types: bool = Field(
        default=True, description="json, yaml: 5 and '5' differ; false: compared by their text."
    )
    row_order: bool = Field(default=True, description="Whether the order of lists counts.")
    column_order: bool = Field(
        default=False, description="csv, markdown: whether the order of columns counts."
    )
    bare_only: bool = Field(
        default=False, description="Only bare output counts: a code fence around it fails."
    )
    embedded: bool = Field(
        default=False, description="Whether a code fence with prose around it counts."
    )
    root: bool = Field(
        default=False, description="xml: whether the name of the outermost element counts."
    )
    delimiter: str = Field(default=",", min_length=1, max_length=1, description="Of CSV.")


class Convert:
    """A conversion compared as data."""

    name = NAME
    primary = "converted"
    names = ("converted", "parses", "values_kept")
    needs_target = True
    Options = ConvertOptions

    def __init__(self, options: ConvertOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)
        self._ways = Ways(
            types=options.types and options.to in {"json", "yaml"},
            ordered=options.row_order,
            columns=options.column_order and options.to in {"csv", "markdown"},
            single_is_list=options.to == "xml",
        )

    def target_problem(self, target: Json) -> str | None:
        """Return why no document can be the same data as `target`, None where one can."""
        return None if target is None else self._wanted(target)[1]

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `converted`, `parses` and `values_kept`, the share of values that are right."""
        return [check.score(NAME, self.version) for check in self._checks(sample, trial)]

    def _checks(self, sample: Sample, trial: Trial) -> list[Check]:
        if sample.target is None:
            return [Check(name="converted", value=None, label="no_target", rule="the target")]
        wanted, why = self._wanted(sample.target)
        if why is not None:
            rule = f"the target is data, or {self.options.to}"
            bad = Check(
                name="converted", value=None, label="bad_target", rule=rule, explanation=why
            )
            return [bad]
        read, label, span, error = self._answer(trial)
        parses = Check(
            name="parses",
            value=float(span is not None),
            label=label,
            rule=f"the output is {self.options.to}",
            span=span,
            explanation=storable(error) if error else None,
        )
        if span is None:
            rule = "the same data"
            failed = Check(
                name="converted", value=0.0, label=label, rule=rule, explanation=parses.explanation
            )
            return [failed, parses, failed._replace(name="values_kept")]
        if isinstance(wanted, list):
            read = self._listed(read)
        found = compare(read, wanted, self._ways)
        same = not found.differences
        shown = [storable(difference.text) for difference in found.differences[:_SHOWN]]
        more = len(found.differences) - len(shown)
        whole = Check(
            name="converted",
            value=float(same),
            label="right" if same else found.differences[0].label,
            rule="the same data",
            answer=stored(read),
            span=span,
            explanation=None if same else "; ".join(shown) + (f"; {more} more" if more > 0 else ""),
        )
        kept = Check(
            name="values_kept",
            value=found.share,
            label=whole.label,
            rule=f"{found.right} of {found.total} values",
        )
        return [whole, parses, kept]

    def _wanted(self, target: Json) -> tuple[Json, str | None]:
        if not isinstance(target, str):
            return self._rows(target) if self.options.to in _TABLES else (target, None)
        value, why = read_data(target, self.options.to, delimiter=self.options.delimiter)
        return (None, why) if why is not None else (self._rootless(value), None)

    def _rows(self, target: Json) -> tuple[Json, str | None]:
        """Return the rows of a table, or why the target is none."""
        rows = [target] if isinstance(target, dict) else target
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            return None, f"{self.options.to} holds rows: write a list of mappings"
        cells = [cell for row in rows if isinstance(row, dict) for cell in row.values()]
        if any(isinstance(cell, dict | list) for cell in cells):
            return None, f"a row of {self.options.to} is flat: one of the target holds a list"
        return rows, None

    def _listed(self, value: Json) -> Json:
        """Return what an element around a list holds, where a list is due."""
        wraps = self.options.to == "xml" and not self.options.root and isinstance(value, dict)
        if not wraps or not isinstance(value, dict) or len(value) != 1:
            return value
        (inside,) = value.values()
        return inside if isinstance(inside, list) else [inside]

    def _answer(self, trial: Trial) -> tuple[Json, str, Span | None, str | None]:
        output = trial.output
        if not output.strip():
            return None, "no_answer", None, None
        error: str | None = None
        for start, end, form in _places(output):
            if form == "embedded" and not self.options.embedded:
                error = error or "prose stands around it"
                continue
            value, why = read_data(
                output[start:end], self.options.to, delimiter=self.options.delimiter
            )
            if why is None and not _is_prose(value, self.options.to):
                if form == "fenced" and self.options.bare_only:
                    return None, "fenced", None, "a code fence stands around it"
                return self._rootless(value), form, (start, end), None
            error = error or why or "a text, no data"
        cut = bool(trial.completions) and trial.completions[-1].finish_reason == "length"
        return None, "truncated" if cut else "unparsed", None, error

    def _rootless(self, value: Json) -> Json:
        if self.options.to == "xml" and not self.options.root and isinstance(value, dict):
            return next(iter(value.values()))
        return value


def _places(output: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the document may stand: a code fence, the last first, or the whole."""
    for place in reversed(payloads(output)):
        yield (*place.span, place.form)


def _is_prose(value: Json, form: Format) -> bool:
    """Whether a plain sentence was read as a document, as YAML and CSV allow."""
    return form in {"yaml", "csv"} and (value is None or isinstance(value, str) or value == [])
