"""Extraction, field by field: right, wrong, missed; and for what is absent three outcomes apart.

A field that the document does not hold can be marked "not found", silently
left out, or filled with a guess. Repeats of a document are averaged first, as
everywhere; then rates are pooled over fields and clustered by document, since the
fields of one document are not independent. (The matrix shows the mean over documents
of each document's accuracy; with the same fields in every document both are the same
number, however many trials of some documents are missing.)

An answer that could not be read, and a trial that failed by the candidate's own
fault, gave no field. Whether the document holds the field is told by the score of an
answer that could not be read, and of a failed trial by the other trials of that document.
Where these failed as well nobody can tell which fields there were: they are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from befit.analysis.columns import Bools, Codes, Floats, Ints, chunks
from befit.analysis.frame import CANDIDATE_FAILURE, Frame
from befit.analysis.items import Items, estimate_over_items, item_means
from befit.analysis.matrix import specs
from befit.analysis.results import FieldCell
from befit.core.estimate import Estimate, not_measured
from befit.core.landed import ScoreRow
from befit.stats.ratio import estimate_ratio

UNREAD = "field_unread"
NAMES = ("field", "field_format", UNREAD)
"""Score names of the `fields` scorer that the cells are made of; the rest follows from labels."""
NO_ANSWER = "no_answer"
LABELS = (
    "right",
    "wrong",
    "wrong_format",
    "missed",
    "true_null_marked",
    "omitted",
    "invented",
    "unparsed",
    NO_ANSWER,
)
_PRESENT, _ABSENT = ("right", "wrong", "wrong_format", "missed"), LABELS[4:7]
_AT = {label: code for code, label in enumerate(LABELS)}
UNIT = (0.0, 1.0)

Counts = NDArray[np.int32]


@dataclass(slots=True)
class _Scenario:
    """The outcomes of one scenario: arrays of (candidates, documents, fields)."""

    n_candidates: int
    n_samples: int
    parts: Codes = field(default_factory=Codes)
    rows: list[Ints] = field(default_factory=list)
    codes: list[Ints] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    format_rows: list[Ints] = field(default_factory=list)
    format_codes: list[Ints] = field(default_factory=list)
    format_values: list[Floats] = field(default_factory=list)
    labels: list[Ints] = field(default_factory=list)
    unread_rows: list[Ints] = field(default_factory=list)
    unread_codes: list[Ints] = field(default_factory=list)
    unread_held: list[Bools] = field(default_factory=list)

    @classmethod
    def of(cls, frame: Frame, scenario: int) -> _Scenario:
        return cls(len(frame.candidates), int((frame.home == scenario).sum()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcomes:
    """What came of every field: counts of shape (candidates, documents, fields, labels)."""

    parts: tuple[str, ...]
    samples: Ints
    counts: Counts
    points: Floats
    """Sum of the field scores (candidates, documents, fields)."""
    format_points: Floats
    format_asked: Counts
    lost: Ints
    """Failed trials at documents whose every trial failed, so that nobody tells their fields."""
    present: NDArray[np.int8]
    """1: the document holds the field, 0: it does not, -1: no trial tells (documents, fields)."""


def field_cells(frame: Frame, rows: Iterable[ScoreRow]) -> tuple[FieldCell, ...]:
    """Return one cell per candidate, scenario and field, and one for all fields together.

    Args:
        frame: the run.
        rows: the part scores `field` and `field_format` of the `fields` scorer.
    """
    found: dict[int, _Scenario] = {}
    for chunk in chunks(rows):
        used = [r for r in chunk if r.scorer == "fields" and r.part is not None and not r.variant]
        for name in NAMES:
            _collect(frame, [row for row in used if row.name == name], found, name=name)
    for scenario, spec in enumerate(specs(frame)):
        if any(scorer.name == "fields" for scorer in spec.scorers):
            found.setdefault(scenario, _Scenario.of(frame, scenario))
    cells: list[FieldCell] = []
    for scenario, collected in sorted(found.items()):
        outcomes = _outcomes(frame, scenario, collected)
        parts = (None, *range(len(outcomes.parts)))
        cells += [
            _cell(frame, scenario, candidate, outcomes=outcomes, part=part)
            for candidate in range(len(frame.candidates))
            for part in parts
        ]
    return tuple(cell for cell in cells if cell.outcomes or cell.accuracy.n_missing)


def _collect(
    frame: Frame, rows: Sequence[ScoreRow], found: dict[int, _Scenario], *, name: str
) -> None:
    """Put rows of one score name into the columns of their scenarios."""
    if not rows:
        return
    at = frame.locator.locate(rows)
    by_scenario: dict[int, list[int]] = {}
    for index, row in enumerate(at.tolist()):
        if row >= 0:
            by_scenario.setdefault(int(frame.scenario[row]), []).append(index)
    for scenario, indices in by_scenario.items():
        held = found.setdefault(scenario, _Scenario.of(frame, scenario))
        own = [rows[i] for i in indices]
        parts = np.fromiter(held.parts.of(r.part for r in own), dtype=np.int64, count=len(own))
        values = np.array([np.nan if r.value is None else r.value for r in own], dtype=np.float64)
        if name == "field":
            labels = [_AT.get(row.label or "", -1) for row in own]
            held.rows.append(at[indices])
            held.codes.append(parts)
            held.values.append(values)
            held.labels.append(np.array(labels, dtype=np.int64))
        elif name == UNREAD:
            held.unread_rows.append(at[indices])
            held.unread_codes.append(parts)
            held.unread_held.append(np.array([row.label == "held" for row in own]))
        else:
            held.format_rows.append(at[indices])
            held.format_codes.append(parts)
            held.format_values.append(values)


def _outcomes(frame: Frame, scenario: int, held: _Scenario) -> Outcomes:
    samples = np.flatnonzero(frame.home == scenario)
    place = np.full(len(frame.samples), -1, dtype=np.int64)
    place[samples] = np.arange(len(samples))
    shape = (held.n_candidates, held.n_samples, len(held.parts.names))

    def cells(rows: Ints, parts: Ints) -> Ints:
        at = frame.candidate[rows] * shape[1] + place[frame.sample[rows]]
        return np.asarray(at * shape[2] + parts, dtype=np.int64)

    size = int(np.prod(shape))
    rows, labels = _joined(held.rows), _joined(held.labels)
    parts, values = _joined(held.codes), np.concatenate([np.zeros(0), *held.values])
    # A field whose target itself cannot be read (no value) is not asked.
    asked = ~np.isnan(values) & (labels >= 0)
    at = cells(rows[asked], parts[asked])
    tallied = np.bincount(at * len(LABELS) + labels[asked], minlength=size * len(LABELS))
    counts: Counts = tallied.reshape(*shape, len(LABELS)).astype(np.int32)
    points: Floats = np.zeros(shape)
    np.add.at(points.reshape(-1), at, values[asked])
    present = _presence(counts)
    if held.unread_rows:
        documents = place[frame.sample[np.concatenate(held.unread_rows)]]
        present[documents, np.concatenate(held.unread_codes)] = np.concatenate(held.unread_held)
    failed = np.flatnonzero(
        (frame.scenario == scenario) & (frame.status == CANDIDATE_FAILURE) & (frame.variant == 0)
    )
    known = (counts.sum(axis=(0, 3)) > 0).astype(np.int32)
    failures = (frame.candidate[failed], place[frame.sample[failed]])
    np.add.at(counts[..., _AT[NO_ANSWER]], failures, known[failures[1]])
    untold = ~known.any(axis=1)[failures[1]]
    format_points: Floats = np.zeros(shape)
    format_asked: Counts = np.zeros(shape, dtype=np.int32)
    if held.format_rows:
        f_values = np.concatenate(held.format_values)
        there = ~np.isnan(f_values)
        f_at = cells(np.concatenate(held.format_rows), np.concatenate(held.format_codes))[there]
        np.add.at(format_points.reshape(-1), f_at, f_values[there])
        format_asked = np.bincount(f_at, minlength=size).reshape(shape).astype(np.int32)
    return Outcomes(
        parts=tuple(held.parts.names),
        samples=samples,
        counts=counts,
        points=points,
        format_points=format_points,
        format_asked=format_asked,
        lost=np.bincount(failures[0][untold], minlength=held.n_candidates),
        present=present,
    )


def _joined(columns: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *columns])


def _presence(counts: Counts) -> NDArray[np.int8]:
    """Return whether each document holds each field, as any readable answer to it tells."""
    seen = counts.sum(axis=0)
    held = seen[..., [_AT[label] for label in _PRESENT]].sum(axis=-1) > 0
    gone = seen[..., [_AT[label] for label in _ABSENT]].sum(axis=-1) > 0
    return np.where(held, 1, np.where(gone, 0, -1)).astype(np.int8)


def _cell(
    frame: Frame, scenario: int, candidate: int, *, outcomes: Outcomes, part: int | None
) -> FieldCell:
    chosen = slice(None) if part is None else slice(part, part + 1)
    counts = outcomes.counts[candidate, :, chosen].astype(np.float64)
    present = outcomes.present[:, chosen]
    by_label = {label: counts[..., code] for code, label in enumerate(LABELS)}
    right, wrong = by_label["right"], by_label["wrong"] + by_label["wrong_format"]
    unreadable = by_label["unparsed"] + by_label[NO_ANSWER]
    invented, total = by_label["invented"], counts.sum(axis=-1)
    missed = by_label["missed"]
    lost = missed + np.where(present == 1, unreadable, 0.0)
    held = right + wrong + lost
    absent = sum(by_label[label] for label in _ABSENT) + np.where(present == 0, unreadable, 0.0)
    answered = right + wrong + invented
    points = outcomes.points[candidate, :, chosen]
    there = np.maximum(total - missed - invented - unreadable, 0.0)
    over = _Documents.of(frame, scenario, candidate, outcomes)
    return FieldCell(
        candidate=frame.candidates[candidate],
        scenario=frame.scenarios[scenario],
        field=None if part is None else outcomes.parts[part],
        outcomes={label: int(by_label[label].sum()) for label in LABELS if by_label[label].any()},
        readable=over.readable,
        accuracy=over.rate(points, total),
        present=over.rate(there, total),
        value=over.rate(right + by_label["wrong_format"], right + wrong),
        format=over.rate(
            outcomes.format_points[candidate, :, chosen],
            outcomes.format_asked[candidate, :, chosen].astype(np.float64),
        ),
        marked_not_found=over.rate(by_label["true_null_marked"], absent),
        omitted=over.rate(by_label["omitted"], absent),
        invented=over.rate(invented, absent),
        missed=over.rate(missed, held),
        coverage=over.rate(answered, total),
        selective_accuracy=over.rate(right, answered),
        f1=over.rate(2 * right, 2 * right + 2 * wrong + invented + lost),
        penalised_even=over.penalised(points, wrong + invented, total, weight=1.0),
        penalised_strict=over.penalised(points, wrong + invented, total, weight=3.0),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Documents:
    """Pools counts of (documents, fields) into ratios with the document as the unit."""

    clusters: Ints | None
    trials: Ints
    """Scored trials of each document."""
    weights: Floats
    """What one trial of each document weighs, so that its trials together weigh as the sample."""
    n_missing: int
    readable: Estimate
    """Share of answers that could be read, the document as the unit."""

    @classmethod
    def of(cls, frame: Frame, scenario: int, candidate: int, outcomes: Outcomes) -> _Documents:
        items = item_means(frame, (scenario,), "pass")
        told = outcomes.counts[candidate].sum(axis=-1).max(axis=-1, initial=0)
        whole = np.ones(len(told)) if items.weights is None else items.weights
        return cls(
            clusters=frame.clusters_of(outcomes.samples),
            trials=items.n_trials[candidate],
            weights=whole / np.maximum(told, 1),
            n_missing=items.n_missing(candidate) + int(outcomes.lost[candidate]),
            readable=_readable(items, candidate, outcomes, told=told),
        )

    def rate(self, top: Floats, bottom: Floats) -> Estimate:
        return self._ratio(top, bottom, limits=UNIT)

    def penalised(self, points: Floats, harm: Floats, total: Floats, *, weight: float) -> Estimate:
        """Return (right - weight x (wrong + invented)) / all (Kalai 2025), shifted to fit a rate.

        The ratio (points + weight x (total - harm)) / total lies in [0, 1 + weight], and so
        has an interval of its own; the shift is taken back afterwards.
        """
        shifted = self._ratio((points + weight * (total - harm)) / (1 + weight), total, limits=UNIT)
        return _shifted(shifted, scale=1 + weight, by=-weight)

    def _ratio(self, top: Floats, bottom: Floats, *, limits: tuple[float, float]) -> Estimate:
        tops, bottoms = top.sum(axis=-1) * self.weights, bottom.sum(axis=-1) * self.weights
        asked = bottoms > 0
        if not asked.any():
            why = "no such field in the documents"
            if self.n_missing:
                why += " whose fields are known; every trial of the others failed"
            return not_measured(why, n_missing=self.n_missing)
        return estimate_ratio(
            tops[asked],
            bottoms[asked],
            n_trials=int(self.trials[asked].sum()),
            n_missing=self.n_missing,
            clusters=None if self.clusters is None else self.clusters[asked],
            limits=limits,
        )


def _readable(items: Items, candidate: int, outcomes: Outcomes, *, told: Ints) -> Estimate:
    """Return the share of answers that could be read; of an unreadable one no field could be.

    `told`: trials of each document of which some field is known. A failed trial at a
    document without any could be read as little.
    """
    codes = [_AT["unparsed"], _AT[NO_ANSWER]]
    unread = outcomes.counts[candidate][..., codes].sum(axis=-1).max(axis=-1, initial=0)
    trials = np.maximum(items.n_trials[candidate], told)
    return estimate_over_items(
        np.where(trials > 0, (told - unread) / np.maximum(trials, 1), np.nan),
        n_trials=int(trials.sum()),
        n_missing=items.n_missing(candidate),
        binary=True,
        clusters=items.clusters,
        weights=items.weights,
    )


def _shifted(estimate: Estimate, *, scale: float, by: float) -> Estimate:
    def moved(value: float | None) -> float | None:
        return None if value is None else scale * value + by

    return replace(
        estimate,
        value=moved(estimate.value),
        low=moved(estimate.low),
        high=moved(estimate.high),
    )
