"""Extraction: which fields of a document are right, wrong, missed, marked, left out, invented.

Whole-trial scores: `document_complete` (primary), `field_accuracy`, `readable`,
`coverage`, `anls`, and where they can be asked `selective_accuracy`, `hallucination`,
`missed` (for these two less is better). Per field (`part`): `field`, and kept
apart `field_present`, `field_value`, `field_format`; of an answer that could not be
read `field_unread` tells whether the document holds the field.

Field accuracy is (right + true null) / all fields. A field the document does
not have is a true null when it is marked as not found; silently leaving it out
counts the same unless `omitted: wrong`, and keeps its own label.
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.anls import anls_tree
from befit.scorers.checks import Check
from befit.scorers.evidence import quoted, storable, version_of
from befit.scorers.fields_input import Extracted, extract
from befit.scorers.fields_options import FieldsOptions
from befit.scorers.fields_outcome import Outcome, is_null, outcome

NAME = "fields"
CODE_VERSION = "2"


class Fields:
    """The fields of an answer against the sample's target object."""

    name = NAME
    primary = "document_complete"
    needs_target = True
    names = (
        *("document_complete", "field_accuracy", "readable", "coverage", "anls"),
        *("selective_accuracy", "hallucination", "missed"),
    )
    """All whole-trial scores there can be."""
    Options = FieldsOptions

    def __init__(self, options: FieldsOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)

    def target_problem(self, target: Json) -> str | None:
        """Return why `target` cannot be judged by, None where it can.

        A target may hold more than is asked for; but a field that it lacks beside one that
        nobody asks for is a name misspelt, and would count as absent from the document.
        """
        if not isinstance(target, dict):
            return "it is no mapping of fields to values"
        fields = self.options.fields
        foreign = [name for name in target if name not in fields]
        lacking = [name for name in fields if name not in target]
        if not foreign or not lacking:
            return None
        return (
            f"the field {quoted(foreign[0])} is not in 'fields', and {quoted(lacking[0])} is not"
            " in the target (null: the document does not have it)"
        )

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return the scores named at the top of the module; unscored without a target object."""
        target = sample.target
        if not isinstance(target, dict):
            label = "no_target" if target is None else "bad_target"
            why = "the target of extraction is an object: {field: value or null}"
            check = Check(name=self.primary, value=None, label=label, rule=why)
            return (check.score(NAME, self.version),)
        extracted = extract(trial.output, self.options)
        outcomes = [
            outcome(name, spec, target.get(name), extracted, self.options)
            for name, spec in self.options.fields.items()
        ]
        checks = self._whole(outcomes, extracted)
        checks.append(self._anls(outcomes, extracted, target))
        checks += [check for one in outcomes for check in one.checks]
        return [check.score(NAME, self.version) for check in checks]

    def _whole(self, outcomes: Sequence[Outcome], extracted: Extracted) -> list[Check]:
        scored = [one for one in outcomes if one.value is not None]
        right = sum(one.value == 1 for one in scored)
        wrong = [f"{one.name} {one.label}" for one in outcomes if one.value != 1]
        answer: Json = None
        label = "unparsed"
        if extracted.form != "unparsed":
            answer = {one.name: one.canonical for one in outcomes}
            label = "incomplete" if wrong else "complete"
        complete: float | None = float(right == len(outcomes))
        if len(scored) < len(outcomes) and right == len(scored):
            complete, label = None, "bad_target"
        checks = [
            Check(
                name="document_complete",
                value=complete,
                label=label,
                rule="every field is right",
                answer=answer,
                explanation=storable(", ".join(wrong)) or None,
            ),
            Check(
                name="readable",
                value=float(extracted.form != "unparsed"),
                label=extracted.form,
                rule="the output holds a JSON object or 'name: value' lines",
                span=extracted.span,
                explanation=_remark(extracted),
            ),
            _rate("field_accuracy", right, len(scored), "fields right or rightly without value"),
        ]
        return checks + _rates(scored)

    def _anls(
        self, outcomes: Sequence[Outcome], extracted: Extracted, target: dict[str, Json]
    ) -> Check:
        """Partial credit over all fields, from the values as they are written."""
        mine = {name: given.raw for name, given in extracted.given.items()}
        names = [one.name for one in outcomes]
        wanted = {name: _no_null(target.get(name), self.options) for name in names}
        answer = {name: _no_null(mine.get(name), self.options) for name in names}
        value = 0.0 if extracted.form == "unparsed" else anls_tree(answer, wanted)
        return Check(
            name="anls",
            value=value,
            label="unparsed" if extracted.form == "unparsed" else "measured",
            rule="ANLS* of the fields against the target's",
        )


def _rates(scored: Sequence[Outcome]) -> list[Check]:
    """Return the rates of this document that can be asked."""
    answered = [one for one in scored if one.answered]
    # An answer that could not be read is none of their tops, but stays in what they are of.
    absent = [one for one in scored if not one.gold_present]
    present = [one for one in scored if one.gold_present]
    checks = [_rate("coverage", len(answered), len(scored), "fields answered with a value")]
    if answered:
        good = sum(one.label == "right" for one in answered)
        checks.append(_rate("selective_accuracy", good, len(answered), "answered fields right"))
    if absent:
        invented = sum(one.label == "invented" for one in absent)
        rule = "fields the document does not have that were filled with a guess"
        checks.append(_rate("hallucination", invented, len(absent), rule))
    if present:
        gone = sum(one.label == "missed" for one in present)
        rule = "fields the document has that were given no value"
        checks.append(_rate("missed", gone, len(present), rule))
    return checks


def _rate(name: str, count: int, total: int, rule: str) -> Check:
    return Check(
        name=name,
        value=count / total if total else None,
        label="measured" if total else "not_measured",
        rule=f"share of {rule}",
        explanation=f"{count} of {total}",
    )


def _no_null(value: Json, options: FieldsOptions) -> Json:
    return None if is_null(value, options) else value


def _remark(extracted: Extracted) -> str | None:
    if extracted.error:
        return storable(extracted.error)
    names = ", ".join(extracted.unknown[:5])
    return storable(f"not asked for: {names}") if names else None
