"""Does the answer have the form that was asked for? JSON, a schema, fields, tables.

Whole-trial scores: `parses` always; `schema_valid` with a schema; `fields_ok`
with fields; `table_ok`, `columns`, `row_count` with tables. Per field (`part`):
`has_field`, `field_type`, `enum_value`.
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.evidence import Span, storable, version_of
from befit.scorers.parsing import Form, JsonFound, find_json
from befit.scorers.schema import compile_schema, problems
from befit.scorers.structure_fields import check_fields, stored
from befit.scorers.structure_options import StructureOptions
from befit.scorers.structure_tables import check_table, find_table, stored_table

NAME = "structure"
CODE_VERSION = "1"


class Structure:
    """The form of the answer; needs no target."""

    name = NAME
    needs_target = False
    Options = StructureOptions

    def __init__(self, options: StructureOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)
        schema = options.json_schema
        self._validator = (
            None if schema is None else compile_schema(schema, formats=options.formats)
        )
        self._asks_table = options.columns is not None or options.rows is not None
        self.primary = self._primary()

    def _primary(self) -> str:
        if self._validator is not None:
            return "schema_valid"
        if self.options.fields:
            return "fields_ok"
        return "table_ok" if self._asks_table else "parses"

    @property
    def names(self) -> tuple[str, ...]:
        """All whole-trial scores that these options ask for."""
        columns = ("columns",) if self.options.columns is not None else ()
        rows = ("row_count",) if self.options.rows is not None else ()
        fields = ("fields_ok",) if self.options.fields else ()
        return tuple(dict.fromkeys((self.primary, "parses", *fields, *columns, *rows)))

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:  # noqa: ARG002 - the protocol's
        """Return the scores named at the top of the module that the options ask for."""
        output = trial.output
        cut = bool(trial.completions) and trial.completions[-1].finish_reason == "length"
        checks = (
            self._json(output, cut=cut)
            if self.options.format == "json"
            else self._table(output, cut=cut)
        )
        return [check.score(NAME, self.version) for check in checks]

    def _json(self, output: str, *, cut: bool) -> list[Check]:
        found = find_json(output)
        counts = self._counts(found.form)
        answer = None if found.form == "invalid" else stored(found.value)
        checks = [
            self._parses(_label(output, found.form, cut=cut), found.span, answer, found.error)
        ]
        if self._validator is not None:
            wrong = problems(self._validator, found.value) if counts else []
            checks.append(_schema_check(found, answer, wrong, counts=counts))
        if self.options.fields:
            checks += check_fields(self.options.fields, found.value, found.span, parsed=counts)
        return checks

    def _table(self, output: str, *, cut: bool) -> list[Check]:
        table, form, error = find_table(output, self.options)
        answer = stored(stored_table(table)) if table else None
        span = table.span if table else None
        checks = [self._parses(_label(output, form, cut=cut), span, answer, error)]
        if self._asks_table:
            checks += check_table(table if self._counts(form) else None, self.options)
        return checks

    def _counts(self, form: str) -> bool:
        """Whether an output of this form counts as parsed."""
        if form == "fenced":
            return not self.options.bare_only
        return form == "bare" or (form == "embedded" and self.options.embedded)

    def _parses(self, label: str, span: Span | None, answer: Json, error: str | None) -> Check:
        where = "bare" if self.options.bare_only else "bare or in one code fence"
        where = "anywhere in the output" if self.options.embedded else where
        return Check(
            name="parses",
            value=float(self._counts(label)),
            label=label,
            rule=f"the output is {self.options.format}, {where}",
            answer=answer,
            span=span,
            explanation=storable(error) if error else None,
        )


def _label(output: str, form: Form, *, cut: bool) -> str:
    """Return the form, or why there is none: no answer at all, or cut off by its length."""
    if not output or output.isspace():
        return "no_answer"
    return "truncated" if form == "invalid" and cut else form


def _schema_check(found: JsonFound, answer: Json, wrong: list[str], *, counts: bool) -> Check:
    return Check(
        name="schema_valid",
        value=float(counts and not wrong),
        label=("invalid" if wrong else "valid") if counts else "unparsed",
        rule="the JSON satisfies the schema (draft 2020-12)",
        answer=answer,
        span=found.span,
        explanation="; ".join(wrong) or None,
    )
