"""Extraction, field by field: right, wrong, missed; and for what is absent three outcomes apart.

A field that the document does not hold can be marked "not found", silently
left out, or filled with a guess. Rates are pooled over fields and clustered by
document, since the fields of one document are not independent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from befit.analysis.results import FieldCell
from befit.core.estimate import Estimate, not_measured
from befit.core.landed import ScoreRow
from befit.stats.ratio import estimate_ratio

CHECKS = ("field", "field_present", "field_value", "field_format")
ABSENT = frozenset({"true_null_marked", "omitted", "invented"})
PRESENT = frozenset({"right", "wrong", "missed"})
UNIT = (0.0, 1.0)


@dataclass(slots=True)
class _Tally:
    """Sums per document: score name or outcome -> document -> [numerator, denominator]."""

    outcomes: dict[str, int] = field(default_factory=dict)
    sums: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    trials: set[tuple[str, int]] = field(default_factory=set)

    def add(self, name: str, document: str, value: float) -> None:
        pair = self.sums.setdefault(name, {}).setdefault(document, [0.0, 0.0])
        pair[0] += value
        pair[1] += 1.0

    def estimate(self, name: str) -> Estimate:
        pairs = np.array(list(self.sums.get(name, {}).values()), dtype=np.float64)
        if not len(pairs):
            return not_measured("no such field in the documents")
        return estimate_ratio(
            pairs[:, 0],
            pairs[:, 1],
            n_trials=len(self.trials),
            n_missing=0,
            limits=UNIT,
        )


def field_cells(rows: Iterable[ScoreRow]) -> tuple[FieldCell, ...]:
    """Return one cell per candidate, scenario and field, and one for all fields together.

    Args:
        rows: the part scores of the `fields` scorer (names `field`,
            `field_present`, `field_value`, `field_format`).
    """
    tallies: dict[tuple[str, str, str | None], _Tally] = {}
    for row in rows:
        if row.scorer != "fields" or row.part is None or row.name not in CHECKS:
            continue
        for part in (None, row.part):
            tally = tallies.setdefault((row.candidate, row.scenario, part), _Tally())
            _count(tally, row)
    return tuple(
        _cell(candidate, scenario, part, tally=tally)
        for (candidate, scenario, part), tally in tallies.items()
    )


def _count(tally: _Tally, row: ScoreRow) -> None:
    tally.trials.add((row.sample_id, row.repeat))
    if row.value is not None:
        tally.add(row.name, row.sample_id, row.value)
    if row.name != "field" or row.label is None:
        return
    tally.outcomes[row.label] = tally.outcomes.get(row.label, 0) + 1
    if row.label in ABSENT:
        for outcome in ABSENT:
            tally.add(outcome, row.sample_id, float(row.label == outcome))
    else:
        # An answer that could not be read finds nothing: the present field is missed.
        lost = row.label in {"missed", "unparsed"}
        tally.add("missed", row.sample_id, float(lost))


def _cell(candidate: str, scenario: str, part: str | None, *, tally: _Tally) -> FieldCell:
    return FieldCell(
        candidate=candidate,
        scenario=scenario,
        field=part,
        outcomes=dict(sorted(tally.outcomes.items())),
        accuracy=tally.estimate("field"),
        present=tally.estimate("field_present"),
        value=tally.estimate("field_value"),
        format=tally.estimate("field_format"),
        marked_not_found=tally.estimate("true_null_marked"),
        omitted=tally.estimate("omitted"),
        invented=tally.estimate("invented"),
        missed=tally.estimate("missed"),
    )
