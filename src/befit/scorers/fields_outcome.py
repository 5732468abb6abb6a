"""The outcome of one field: right, wrong, missed, marked, left out, invented."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from befit.core.record import Json
from befit.scorers.checks import Check
from befit.scorers.evidence import quoted
from befit.scorers.fields_input import Extracted
from befit.scorers.fields_options import FieldsOptions, FieldSpec
from befit.scorers.fields_values import Reading, read, same
from befit.scorers.normalise import normalised

Label = Literal[
    "right",
    "wrong",
    "wrong_format",
    "missed",
    "true_null_marked",
    "omitted",
    "invented",
    "unparsed",
    "bad_target",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One field: its label, whether it counts as right, and its checks as scores to be."""

    name: str
    label: Label
    value: float | None
    """1 right, 0 not, None where the target itself cannot be read."""
    gold_present: bool
    answered: bool
    canonical: Json
    checks: tuple[Check, ...]


def outcome(
    name: str, spec: FieldSpec, target: Json, extracted: Extracted, options: FieldsOptions
) -> Outcome:
    """Return the outcome of field `name`, whose value in the target is `target` (or absent)."""
    gold = None if is_null(target, options) else read(target, spec)
    if gold is not None and gold.value is None:
        why = f"the target is unreadable: {gold.problem}"
        return _finish(name, "bad_target", None, gold=gold, explanation=why)
    if extracted.form == "unparsed":
        return _finish(name, "unparsed", 0.0, gold=gold, explanation="the answer could not be read")
    given = extracted.given.get(name)
    span = given.span if given else None
    if given is None or is_null(given.raw, options):
        silent = given is None or _blank(given.raw)
        if gold is not None:
            why = "left out" if silent else "marked as not found"
            return _finish(name, "missed", 0.0, gold=gold, span=span, explanation=why)
        if silent:
            counts = float(options.omitted == "right")
            return _finish(name, "omitted", counts, gold=None, span=span)
        return _finish(name, "true_null_marked", 1.0, gold=None, span=span)
    mine = read(given.raw, spec)
    if gold is None:
        why = f"{quoted(given.raw)} is not in the document"
        return _finish(name, "invented", 0.0, gold=None, mine=mine, span=span, explanation=why)
    right = mine.value is not None and same(mine, gold, spec)
    if right and options.format_counts and not mine.format_ok:
        why = f"right, but written as {quoted(given.raw)}"
        return _finish(name, "wrong_format", 0.0, gold=gold, mine=mine, span=span, explanation=why)
    reason = None if right else mine.problem or f"expected {quoted(gold.canonical)}"
    label: Label = "right" if right else "wrong"
    return _finish(name, label, float(right), gold=gold, mine=mine, span=span, explanation=reason)


def is_null(raw: Json, options: FieldsOptions) -> bool:
    """Whether a value says that there is none: a declared token, or nothing at all."""
    if raw is None or _blank(raw):
        return True
    if not isinstance(raw, str):
        return False
    return normalised(raw) in _forms(options.not_found)


@lru_cache(maxsize=64)
def _forms(tokens: tuple[str | None, ...]) -> frozenset[str]:
    return frozenset(normalised(token) for token in tokens if token is not None)


def _blank(raw: Json) -> bool:
    return raw == [] or (isinstance(raw, str) and not raw.strip())


def _finish(
    name: str,
    label: Label,
    value: float | None,
    *,
    gold: Reading | None,
    mine: Reading | None = None,
    **evidence: Json,
) -> Outcome:
    canonical = mine.canonical if mine else None
    field = Check(
        name="field",
        value=value,
        label=label,
        rule="the field has the target's value, or none where the document has none",
        part=name,
        answer=canonical,
        **evidence,
    )
    checks = [field]
    if label == "unparsed":
        checks += _unread(name, held=gold is not None)
    elif label != "bad_target":
        checks += _apart(name, label, gold=gold, mine=mine)
    return Outcome(
        name=name,
        label=label,
        value=value,
        gold_present=gold is not None,
        answered=mine is not None,
        canonical=canonical,
        checks=tuple(checks),
    )


def _unread(name: str, *, held: bool) -> list[Check]:
    """Return that nothing was given, and whether the document holds what could not be read."""
    rule = "given where the document has it, not given where it has not"
    return [
        Check(name="field_present", value=0.0, label="unparsed", rule=rule, part=name),
        Check(
            name="field_unread",
            value=0.0,
            label="held" if held else "not_held",
            rule="whether the document holds the field of an answer that could not be read",
            part=name,
        ),
    ]


def _apart(name: str, label: Label, *, gold: Reading | None, mine: Reading | None) -> list[Check]:
    """Return presence, value and format, each where it can be asked."""
    there = mine is not None
    checks = [
        Check(
            name="field_present",
            value=float(there == (gold is not None)),
            label="given" if there else "not_given",
            rule="given where the document has it, not given where it has not",
            part=name,
        )
    ]
    if mine is None:
        return checks
    if gold is not None:
        good = label in {"right", "wrong_format"}
        unreadable = mine.value is None
        checks.append(
            Check(
                name="field_value",
                value=float(good),
                label="right" if good else "unreadable" if unreadable else "wrong",
                rule="the value is the target's after typed reading",
                part=name,
            )
        )
    checks.append(
        Check(
            name="field_format",
            value=float(mine.format_ok),
            label="right" if mine.format_ok else "wrong_format",
            rule="the value is written in the format asked for",
            part=name,
        )
    )
    return checks
