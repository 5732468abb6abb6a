"""How good a reviewer's work is, and the rule by which one is left out.

The rule was written down with the study's settings, before the first vote. A
reviewer is left out on evidence only: a bound, not a bare share, has to cross it.
Rows of those left out are kept and counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.review.rows import Row, median_seconds
from befit.review.settings import Exclusion, Group, Settings
from befit.stats.distributions import binomial_two_sided_p, one_sided
from befit.stats.intervals import wilson
from befit.stats.krippendorff import krippendorff_alpha
from befit.stats.means import to_estimate
from befit.stats.votes import PositionBias, position_bias

_STRAIGHT = 20
"""Votes below which always saying the same says nothing."""
_CHARACTERS_PER_WORD = 6
_NAMES = ("left", "right", "tie", "both_bad")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerQuality:
    """One reviewer's line of the table."""

    reviewer: str
    name: str
    group: Group
    votes: int
    """Of work, judged or not."""
    gold: Estimate
    """Share of gold items decided as expected."""
    attention_missed: int
    attention: int
    too_fast: Estimate
    """Share of votes that came sooner than the text can be read."""
    same_verdict: Estimate
    """Share of the most frequent verdict."""
    left_rate: Estimate
    """Of decided votes, those for the left."""
    position_p: float | None
    """p of "left and right alike"; None without a decided vote."""
    tie_rate: Estimate
    self_consistency: Estimate
    """Mirrored repeats decided alike."""
    flips_p: float | None
    """p of "those decided unlike favour both sides alike"."""
    agreement: float | None
    """Alpha of all reviewers minus alpha without this one: below 0, agreement is better without."""
    seconds: float | None
    """Median per vote."""
    excluded: tuple[str, ...]
    """The parts of the rule that leave this reviewer out."""


def rate(hits: int, n: int, *, why: str, level: float = 0.95) -> Estimate:
    """Return a share with Wilson's interval; not measured, and why, where n is 0."""
    if n == 0:
        return not_measured(why)
    found = wilson(hits, n=n, level=level)
    return to_estimate(found, n_samples=n, n_trials=n, n_missing=0, level=level)


def alpha_table(rows: Sequence[Row]) -> tuple[list[str], list[str], np.ndarray]:
    """Return reviewers, items and the (reviewers, items) table of outcomes, NaN where none."""
    people = sorted({row.reviewer for row in rows})
    items = sorted({row.item for row in rows})
    place_r = {name: i for i, name in enumerate(people)}
    place_i = {name: i for i, name in enumerate(items)}
    table = np.full((len(people), len(items)), np.nan)
    for row in rows:
        if row.outcome in _NAMES:
            table[place_r[row.reviewer], place_i[row.item]] = _NAMES.index(row.outcome)
    return people, items, table


def quality_table(
    rows: Sequence[Row], settings: Settings, names: Mapping[str, str]
) -> tuple[ReviewerQuality, ...]:
    """Return a line for each reviewer who voted, in the order of `names`.

    Whoever only decided disputed pairs has no vote, and no line.
    """
    by_person: dict[str, list[Row]] = defaultdict(list)
    voted = {row.reviewer for row in rows if row.purpose != "adjudication"}
    for row in rows:
        if row.reviewer in voted:
            by_person[row.reviewer].append(row)
    shared = [row for row in rows if row.purpose == "work" and row.outcome in _NAMES]
    people, _, table = alpha_table(shared)
    whole = krippendorff_alpha(table) if table.size else None
    gains: dict[str, float | None] = {}
    for place, person in enumerate(people):
        rest = np.delete(table, place, axis=0)
        without = krippendorff_alpha(rest) if rest.size else None
        gains[person] = None if whole is None or without is None else whole - without
    order = [*names, *(person for person in by_person if person not in names)]
    return tuple(
        _line(person, by_person[person], settings, names.get(person, person), gains.get(person))
        for person in order
        if person in by_person
    )


def excluded_by(quality: Sequence[ReviewerQuality]) -> frozenset[str]:
    """Return the reviewers whom the rule leaves out."""
    return frozenset(line.reviewer for line in quality if line.excluded)


def _line(
    person: str, rows: Sequence[Row], settings: Settings, name: str, gain: float | None
) -> ReviewerQuality:
    work = [row for row in rows if row.purpose == "work"]
    judged = [row for row in work if row.outcome in _NAMES]
    gold = [row for row in rows if row.purpose == "gold"]
    attention = [row for row in rows if row.purpose == "attention"]
    decided = [row for row in rows if row.purpose == "work" and row.shown in {"left", "right"}]
    left = sum(row.shown == "left" for row in decided)
    top = Counter(row.shown for row in judged).most_common(1)
    mirrors = _mirrors(rows)
    timed = [row for row in work if row.seconds is not None]
    fast = sum(_too_fast(row, settings.words_per_minute) for row in timed)
    line = ReviewerQuality(
        reviewer=person,
        name=name,
        group=rows[0].group,
        votes=len(work),
        gold=rate(sum(_right(row) for row in gold), len(gold), why="no gold items"),
        attention_missed=sum(not _attended(row) for row in attention),
        attention=len(attention),
        too_fast=rate(fast, len(timed), why="no times"),
        same_verdict=rate(top[0][1] if top else 0, len(judged), why="no votes"),
        left_rate=rate(left, len(decided), why="no decided votes"),
        position_p=binomial_two_sided_p(left, n=len(decided)) if decided else None,
        tie_rate=rate(len(judged) - len(decided), len(judged), why="no votes"),
        self_consistency=rate(
            0 if mirrors is None else round(mirrors.consistency.value * mirrors_n(rows)),
            mirrors_n(rows),
            why="no mirrored items",
        ),
        flips_p=mirrors.p_value if mirrors is not None and mirrors.flips else None,
        agreement=gain,
        seconds=median_seconds(work),
        excluded=(),
    )
    return _excluded(line, settings.exclusion)


def _right(row: Row) -> bool:
    return row.outcome == row.expected


def _attended(row: Row) -> bool:
    # two equal answers that are both bad are no lack of attention, unless a word was asked for
    return row.outcome == row.expected or (row.expected == "tie" and row.outcome == "both_bad")


def _too_fast(row: Row, words_per_minute: int) -> bool:
    least = row.characters / _CHARACTERS_PER_WORD / words_per_minute * 60
    return row.seconds is not None and row.seconds < max(1.0, least)


def mirror_pairs(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return (first, mirrored) of the items one reviewer saw twice, sides exchanged."""
    first = {row.id: row for row in rows if row.purpose == "work"}
    return [
        (first[row.mirror_of], row)
        for row in rows
        if row.purpose == "mirror"
        and row.mirror_of in first
        and row.outcome in _NAMES
        and first[row.mirror_of].outcome in _NAMES
    ]


def mirrors_n(rows: Sequence[Row]) -> int:
    """Return how many mirrored pairs there are."""
    return len(mirror_pairs(rows))


def _mirrors(rows: Sequence[Row]) -> PositionBias | None:
    pairs = mirror_pairs(rows)
    if not pairs:
        return None
    consistent = sum(one.outcome == two.outcome for one, two in pairs)
    decided = [(one, two) for one, two in pairs if one.outcome != two.outcome and
               one.shown == two.shown and one.shown in {"left", "right"}]  # fmt: skip
    kept = len(pairs) - len(decided)
    bias = position_bias(
        pairs=len(pairs), consistent=kept, for_first=sum(one.shown == "left" for one, _ in decided)
    )
    return PositionBias(
        consistency=wilson(consistent, n=len(pairs)),
        flips=bias.flips,
        for_first=bias.for_first,
        p_value=bias.p_value,
    )


def _excluded(line: ReviewerQuality, rule: Exclusion) -> ReviewerQuality:
    reasons = []
    if _upper(line.gold) < rule.gold_accuracy:
        reasons.append(f"gold accuracy below {rule.gold_accuracy:g}")
    if line.attention_missed >= rule.attention:
        reasons.append(f"{line.attention_missed} attention checks missed")
    if _lower(line.too_fast) > rule.too_fast:
        reasons.append("faster than the text can be read")
    if line.votes >= _STRAIGHT and (line.same_verdict.value or 0.0) >= rule.same_verdict:
        reasons.append("always the same verdict")
    if line.position_p is not None and line.position_p < rule.position_p:
        reasons.append("favours one side")
    if _upper(line.self_consistency) < rule.self_consistency:
        reasons.append("decides mirrored items otherwise")
    if not reasons:
        return line
    kept = {name: getattr(line, name) for name in line.__slots__}
    return ReviewerQuality(**{**kept, "excluded": tuple(reasons)})


def _upper(share: Estimate) -> float:
    """Return the upper one-sided 95 % bound; 1 where nothing was measured."""
    return 1.0 if share.value is None else _bound(share)[1]


def _lower(share: Estimate) -> float:
    return 0.0 if share.value is None else _bound(share)[0]


def _bound(share: Estimate) -> tuple[float, float]:
    n, value = share.n_samples, share.value or 0.0
    found = wilson(round(value * n), n=n, level=one_sided(0.95))
    return found.low or 0.0, 1.0 if found.high is None else found.high
