"""A model judge against people, on the same pairs: it has to earn its place.

Agreement stands beside the agreement of two people, which is what a judge can
reach at most. A judge may gate a decision only where the lower bound of its
agreement reaches what the study asks; else its verdicts are called uncalibrated.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from befit.core.estimate import Estimate, not_measured
from befit.review.agreeing import raw_agreement
from befit.review.rows import Row
from befit.stats.intervals import wilson
from befit.stats.means import to_estimate
from befit.stats.ppi import estimate_judged_mean
from befit.stats.twoway import estimate_shared_mean
from befit.stats.votes import position_bias

Order = Literal["as is", "swapped", ""]
_BOTH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One verdict of a judge on one pair, x against y."""

    item: str
    x: str
    y: str
    score: float
    """1 x, 0 y, 0.5 tie."""
    order: Order = ""
    """Whether x stood first (`as is`) or second, where the judge saw both at once."""
    lengths: tuple[float, float] = (0.0, 0.0)
    """Characters of x and y."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgainstPeople:
    """One judge on the pairs people have voted on."""

    judge: str
    agreement: Estimate
    """With one person's vote (for x, for y, tie)."""
    human_human: Estimate
    """Of two people on the same pairs."""
    flip_rate: Estimate
    """Pairs whose winner changed with the order."""
    first_p: float | None
    length_bias: Estimate
    """How much more often than people it prefers the longer answer, in shares of pairs."""
    family_bias: Estimate
    """How much more often than people it prefers its own family."""
    corrected: tuple[tuple[str, Estimate], ...]
    """Win rate of each candidate over all judged pairs, corrected by people's votes (PPI++)."""
    needed: float
    may_gate: bool

    @property
    def word(self) -> str:
        """How to speak of it."""
        return "calibrated" if self.may_gate else "uncalibrated judge"


def judge_against_people(
    judge: str,
    judged: Sequence[Judged],
    rows: Sequence[Row],
    *,
    needed: float,
    family: frozenset[str] = frozenset(),
    swaps: Sequence[tuple[float, float]] = (),
) -> JudgeAgainstPeople:
    """Set a judge's verdicts against votes.

    Args:
        judge: its name.
        judged: all its verdicts, on pairs without votes, too.
        rows: the votes that count, candidates by name.
        needed: the agreement whose lower bound lets it gate.
        family: candidates of the judge's own family.
        swaps: what it said of an answer shown first, and of the same one shown second (1, 0,
            0.5), for all pairs it has seen in both orders; those in `judged` where empty.
    """
    verdicts = _means(judged)
    met = [
        (row, verdicts[row.item]) for row in rows if row.item in verdicts and row.score is not None
    ]
    agreement = _shared([float(_side(row.score or 0.0) == _side(v)) for row, v in met],
                        [row for row, _ in met])  # fmt: skip
    flips, first_p = _flips(swaps or _orders(judged))
    enough = agreement.low is not None and agreement.low >= needed
    return JudgeAgainstPeople(
        judge=judge,
        agreement=agreement,
        human_human=raw_agreement(_merged([row for row, _ in met])),
        flip_rate=flips,
        first_p=first_p,
        length_bias=_length(judged, met),
        family_bias=_family(met, family),
        corrected=tuple(_corrected(judged, verdicts, rows)),
        needed=needed,
        may_gate=enough,
    )


def _means(judged: Sequence[Judged]) -> dict[str, float]:
    """Return one score a pair: both orders averaged, so a flip is a tie."""
    found: dict[str, list[float]] = defaultdict(list)
    for one in judged:
        found[one.item].append(one.score)
    return {item: fmean(scores) for item, scores in found.items()}


def _side(score: float) -> int:
    return (score > 0.5) - (score < 0.5)  # noqa: PLR2004 - a tie is a half


def _merged(rows: Sequence[Row]) -> list[Row]:
    """Return rows in which both bad is a tie, as a judge has only one word for it."""
    return [replace(r, outcome="tie") if r.outcome == "both_bad" else r for r in rows]


def _shared(values: Sequence[float], rows: Sequence[Row]) -> Estimate:
    if not values:
        return not_measured("no pair was judged by people and by the judge")
    return estimate_shared_mean(
        values, [row.sample or row.item for row in rows], [row.reviewer for row in rows]
    )


def _orders(judged: Sequence[Judged]) -> list[tuple[float, float]]:
    """Return the scores of x, shown first and shown second, where both are known."""
    by_item: dict[str, dict[str, float]] = defaultdict(dict)
    for one in judged:
        if one.order:
            by_item[one.item][one.order] = one.score
    return [(o["as is"], o["swapped"]) for o in by_item.values() if len(o) == _BOTH]


def _flips(swaps: Sequence[tuple[float, float]]) -> tuple[Estimate, float | None]:
    if not swaps:
        return not_measured("no pair was judged in both orders"), None
    flipped = [(one, two) for one, two in swaps if _side(one) != _side(two)]
    decided = [one for one, two in flipped if _side(one) * _side(two) < 0]
    first = sum(_side(one) > 0 for one in decided)
    bias = position_bias(pairs=len(swaps), consistent=len(swaps) - len(decided), for_first=first)
    return _rate(len(flipped), len(swaps)), bias.p_value if decided else None


def _rate(hits: int, n: int) -> Estimate:
    return to_estimate(wilson(hits, n=n), n_samples=n, n_trials=n, n_missing=0)


def _difference(values: Sequence[float], rows: Sequence[Row], *, why: str) -> Estimate:
    """Estimate the mean of values in -1..1 (judge minus person)."""
    if not values:
        return not_measured(why)
    found = _shared([(value + 1) / 2 for value in values], rows)
    low = None if found.low is None else 2 * found.low - 1
    high = None if found.high is None else 2 * found.high - 1
    told = {**found.to_dict(), "value": 2 * (found.value or 0.0) - 1, "low": low, "high": high}
    return Estimate(**told)


def _length(judged: Sequence[Judged], met: Sequence[tuple[Row, float]]) -> Estimate:
    longer = {one.item: one.lengths[0] - one.lengths[1] for one in judged}
    values, rows = [], []
    for row, verdict in met:
        gap = longer.get(row.item, 0.0)
        if gap:
            sign = 1 if gap > 0 else -1
            values.append(sign * (verdict - (row.score or 0.0)))
            rows.append(row)
    return _difference(values, rows, why="all answers are of one length")


def _family(met: Sequence[tuple[Row, float]], family: frozenset[str]) -> Estimate:
    values, rows = [], []
    for row, verdict in met:
        if (row.x in family) != (row.y in family):
            sign = 1 if row.x in family else -1
            values.append(sign * (verdict - (row.score or 0.0)))
            rows.append(row)
    return _difference(values, rows, why="no pair of its own family against another")


def _corrected(
    judged: Sequence[Judged], verdicts: Mapping[str, float], rows: Sequence[Row]
) -> list[tuple[str, Estimate]]:
    people: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            people[row.item].append(row.score)
    pairs = {one.item: (one.x, one.y) for one in judged}
    found = []
    for name in sorted({who for pair in pairs.values() for who in pair}):
        mine = [item for item, pair in pairs.items() if name in pair]

        def turned(item: str, score: float, who: str = name) -> float:
            return score if pairs[item][0] == who else 1 - score

        known = [item for item in mine if item in people]
        rest = [item for item in mine if item not in people]
        found.append(
            (
                name,
                estimate_judged_mean(
                    [turned(item, fmean(people[item])) for item in known],
                    [turned(item, verdicts[item]) for item in known],
                    [turned(item, verdicts[item]) for item in rest],
                ),
            )
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One wording of a judge: chosen on one half of the samples, reported on the other."""

    name: str
    chosen_on: Estimate
    reported_on: Estimate
    proposed: bool


def half_of(sample: str) -> int:
    """Return 0 or 1 for a sample: the same for the same sample, whatever its study."""
    return hashlib.sha256(sample.encode("utf-8", "surrogatepass")).digest()[0] & 1


def choose_wording(
    wordings: Mapping[str, Sequence[Judged]], rows: Sequence[Row]
) -> tuple[Wording, ...]:
    """Return each wording's agreement on both halves; the best on the first half is proposed.

    Its agreement on the first half is what it was chosen by, and too good; only
    the other half says what to expect.
    """
    halves = [[row for row in rows if half_of(row.sample) == half] for half in (0, 1)]
    told: dict[str, tuple[Estimate, Estimate]] = {}
    for name, judged in wordings.items():
        first, second = (
            judge_against_people(name, judged, part, needed=1.0).agreement for part in halves
        )
        told[name] = (first, second)
    known = [name for name in told if told[name][0].value is not None]
    best = max(known, key=lambda name: told[name][0].value or 0.0) if known else ""
    return tuple(
        Wording(name=name, chosen_on=one, reported_on=two, proposed=name == best)
        for name, (one, two) in told.items()
    )
