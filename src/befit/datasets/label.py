"""Labels: what people say the right answer is, how far they agree, and what comes of it.

Everybody labels alone and sees nobody else's answer. Where labels differ an
adjudicator decides; what is agreed or decided is written into the sample file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from pydantic import Field, ValidationError

from befit.core.estimate import Estimate
from befit.core.fingerprint import canonical_json
from befit.core.record import Json, Record
from befit.core.sample import Kind, Sample, ScorerSpec
from befit.datasets.files_row import RowError, scorer_short_form
from befit.stats.krippendorff import estimate_alpha
from befit.storage.labels import StoredLabel

ADJUDICATOR = "adjudicator"
"""Begins the labeller name of a decision, so that it is never taken for a label."""
DRAFT = "draft"
"""Begins the labeller name of what is not sent yet."""


class LabelError(ValueError):
    """A label that cannot be one; the text says why."""


class Label(Record):
    """One person's answer to one sample."""

    target: Json = None
    checks: tuple[ScorerSpec, ...] = ()
    kind: Kind = "typical"
    unsure: bool = False
    """The labeller cannot judge it."""
    note: str = Field(default="", max_length=4000)

    @property
    def answer(self) -> str:
        """What two labellers have to agree on, as canonical text."""
        checks = sorted(canonical_json(check.model_dump()) for check in self.checks)
        return canonical_json([_plain(self.target), checks])


def _plain(value: Json) -> Json:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def read_label(form: Mapping[str, str]) -> Label:
    """Return the label of a form or a spreadsheet row.

    `target` is text, or JSON where it starts with `{` or `[`; `absent` names
    fields that are truly not in the input (null in the target); `checks` is one
    check or a list of them, as in a sample file.

    Raises:
        LabelError: one of them cannot be read, or there is neither target nor check.
    """
    target = _target(form.get("target", ""))
    absent = [name.strip() for name in form.get("absent", "").split(",") if name.strip()]
    if absent:
        if target is None:
            target = {}
        if not isinstance(target, dict):
            raise LabelError('absent fields need a target with fields, such as {"total": 12.5}')
        clash = [name for name in absent if target.get(name) is not None]
        if clash:
            raise LabelError(f"'{clash[0]}' has a value and is said to be absent")
        target = {**target, **dict.fromkeys(absent)}
    checks = _checks(form.get("checks", ""))
    unsure = form.get("unsure", "").lower() in {"1", "on", "true", "yes"}
    if target is None and not checks and not unsure:
        raise LabelError("give a target or a check, or say that it cannot be judged")
    try:
        return Label(
            target=None if unsure else target,
            checks=() if unsure else checks,
            kind=form.get("kind") or "typical",
            unsure=unsure,
            note=form.get("note", ""),
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise LabelError(f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from None


def _target(text: str) -> Json:
    text = text.strip()
    if not text:
        return None
    if text[:1] not in {"{", "["}:
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise LabelError(f"the target is no JSON: {error.msg}") from None


def _checks(text: str) -> tuple[ScorerSpec, ...]:
    text = text.strip()
    if not text:
        return ()
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise LabelError(f"the checks are no JSON: {error.msg}") from None
    try:
        return tuple(
            ScorerSpec.model_validate(scorer_short_form(one, ()))
            for one in (value if isinstance(value, list) else [value])
        )
    except (RowError, ValidationError):
        raise LabelError('a check is one name with its options: {"match": {}}') from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one sample stands."""

    sample: Sample
    labels: dict[str, Label]
    """Labeller -> label."""
    decision: Label | None
    """What the adjudicator said."""
    stale: bool
    """Labelled before its input was changed."""

    @property
    def agreed(self) -> Label | None:
        """The label all labellers agree on, or that was decided; None where neither is."""
        if self.decision is not None:
            return self.decision
        sure = [label for label in self.labels.values() if not label.unsure]
        if sure and len(sure) == len(self.labels) and len({one.answer for one in sure}) == 1:
            return sure[0]
        return None

    @property
    def disputed(self) -> bool:
        """Whether an adjudicator is needed."""
        return self.decision is None and bool(self.labels) and self.agreed is None


def standings(samples: Iterable[Sample], stored: Sequence[StoredLabel]) -> list[Standing]:
    """Return where each sample stands, in their order."""
    by_sample: dict[str, list[StoredLabel]] = {}
    for one in stored:
        by_sample.setdefault(one.sample_id, []).append(one)
    found = []
    for sample in samples:
        held = by_sample.get(sample.id, [])
        labels = {
            one.labeller: Label.model_validate(one.body)
            for one in held
            if not one.labeller.startswith((f"{ADJUDICATOR} ", f"{DRAFT} "))
        }
        decisions = [one for one in held if one.labeller.startswith(f"{ADJUDICATOR} ")]
        newest = max(decisions, key=lambda one: (one.created_at, one.revision), default=None)
        shown = {one.shown for one in held if not one.labeller.startswith(f"{DRAFT} ")}
        found.append(
            Standing(
                sample=sample,
                labels=labels,
                decision=None if newest is None else Label.model_validate(newest.body),
                stale=bool(shown - {sample.input_fingerprint}),
            )
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far labellers agree on samples that two or more of them labelled."""

    both: int
    same: int
    alpha: Estimate
    """Krippendorff's alpha, nominal, over target and checks."""
    kind_alpha: Estimate
    labellers: tuple[str, ...]


def agreement(found: Sequence[Standing], *, seed: int = 0) -> Agreement:
    """Return the agreement of the labellers before any adjudication."""
    labellers = sorted({name for one in found for name in one.labels})
    several = [one for one in found if len(one.labels) > 1]
    same = sum(len({label.answer for label in one.labels.values()}) == 1 for one in several)
    return Agreement(
        both=len(several),
        same=same,
        alpha=_alpha(several, labellers, lambda label: label.answer, seed),
        kind_alpha=_alpha(several, labellers, lambda label: label.kind, seed),
        labellers=tuple(labellers),
    )


def _alpha(found: Sequence[Standing], labellers: Sequence[str], of: Any, seed: int) -> Estimate:
    codes: dict[str, int] = {}
    table = np.full((max(1, len(labellers)), max(1, len(found))), np.nan)
    for column, one in enumerate(found):
        for name, label in one.labels.items():
            value = "unsure" if label.unsure else of(label)
            table[labellers.index(name), column] = codes.setdefault(value, len(codes))
    return estimate_alpha(table, rng=np.random.default_rng(seed))


def applied(sample: Sample, label: Label) -> Sample:
    """Return the sample with an agreed label in it."""
    return sample.model_copy(
        update={"target": label.target, "checks": label.checks, "kind": label.kind}
    )


def form_of(label: Label | None) -> dict[str, str]:
    """Return a label as the texts of a form."""
    if label is None:
        return {"target": "", "absent": "", "checks": "", "kind": "", "note": "", "unsure": ""}
    target, absent = label.target, ""
    if isinstance(target, dict):
        absent = ", ".join(name for name, value in target.items() if value is None)
        target = {name: value for name, value in target.items() if value is not None}
    text = "" if target is None or (target == {} and absent) else target
    checks = [{one.name: one.options} for one in label.checks]
    return {
        "target": text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, indent=1),
        "absent": absent,
        "checks": json.dumps(checks, ensure_ascii=False) if checks else "",
        "kind": label.kind,
        "note": label.note,
        "unsure": "on" if label.unsure else "",
    }
