"""How far reviewers agree: alpha with its interval first, raw agreement and AC1 beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.review.quality import alpha_table, rate
from befit.review.rows import Row
from befit.stats.bootstrap import bootstrap_ratio
from befit.stats.kappa import gwet_ac1
from befit.stats.krippendorff import Level, estimate_alpha
from befit.stats.means import estimate_mean

RELY, TENTATIVE = 0.8, 0.667
_TWO = 2
_CATEGORIES = ("left", "right", "tie", "both_bad")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Two reviewers on the items both have judged."""

    a: str
    b: str
    agreement: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement on verdicts."""

    alpha: Estimate
    raw: Estimate
    """Two reviewers of one item give the same verdict."""
    ac1: Estimate
    """Gwet's: does not collapse where one verdict is very common."""
    pairs: tuple[PairAgreement, ...]
    disputed: tuple[str, ...]
    """Items on which reviewers decided for different sides: the adjudication queue."""
    adjudicated: int

    @property
    def word(self) -> str:
        """What may be said of it (Krippendorff's marks)."""
        value = self.alpha.value
        if value is None:
            return "not measured"
        return "reliable" if value >= RELY else "tentative" if value >= TENTATIVE else "low"

    @property
    def told(self) -> str:
        """Alpha with what may be said of it."""
        return str(self.alpha) if self.alpha.value is None else f"{self.alpha} ({self.word})"


def agreement(rows: Sequence[Row], *, seed: int = 0) -> Agreement:
    """Return how far the reviewers of work items agree; "cannot judge" is a gap."""
    work = [row for row in rows if row.purpose == "work" and row.outcome in _CATEGORIES]
    rng = np.random.default_rng(seed)
    if not work:
        none = not_measured("no votes")
        return Agreement(alpha=none, raw=none, ac1=none, pairs=(), disputed=(), adjudicated=0)
    _, _, table = alpha_table(work)
    disputed = disputes(work)
    settled = {row.item for row in rows if row.purpose == "adjudication"}
    return Agreement(
        alpha=estimate_alpha(table, rng=rng),
        raw=raw_agreement(work),
        ac1=ac1(work, rng=rng),
        pairs=pair_agreement(work),
        disputed=tuple(item for item in disputed if item not in settled),
        adjudicated=len(settled),
    )


def disputes(rows: Sequence[Row]) -> list[str]:
    """Return the items on which reviewers chose different sides, the most even first."""
    by_item: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row.outcome is not None:
            by_item[row.item][row.outcome] += 1
    split = [
        (abs(votes["left"] - votes["right"]), -votes.total(), item)
        for item, votes in by_item.items()
        if votes["left"] and votes["right"]
    ]
    return [item for _, _, item in sorted(split)]


def _by_item(rows: Sequence[Row]) -> list[list[str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        if row.outcome is not None:
            found[row.item][row.reviewer] = row.outcome
    return [list(votes.values()) for votes in found.values() if len(votes) >= _TWO]


def raw_agreement(rows: Sequence[Row]) -> Estimate:
    """Return the chance that two reviewers of one item agree."""
    items = _by_item(rows)
    if not items:
        return not_measured("no item with two votes")
    shares = []
    for votes in items:
        n = len(votes)
        same = sum(count * (count - 1) for count in Counter(votes).values())
        shares.append(same / (n * (n - 1)))
    return estimate_mean(shares, n_trials=sum(map(len, items)), n_missing=0, binary=False)


def ac1(rows: Sequence[Row], *, rng: np.random.Generator, draws: int = 1_000) -> Estimate:
    """Return Gwet's AC1 over all pairs of reviewers of an item, with a bootstrap over items.

    With two reviewers it is AC1 of their cross table; each item weighs the same.
    """
    items = _by_item(rows)
    if not items:
        return not_measured("no item with two votes")
    tables = np.stack([_cross(votes) for votes in items])
    whole = tables.sum(axis=0)
    picks = rng.multinomial(len(items), np.full(len(items), 1 / len(items)), size=draws)
    drawn = [gwet_ac1(table) for table in np.tensordot(picks.astype(float), tables, axes=1)]
    low, high = np.quantile(drawn, (0.025, 0.975))
    single = len(items) < _TWO
    return Estimate(
        value=gwet_ac1(whole),
        low=None if single else float(low),
        high=None if single else float(high),
        n_samples=len(items),
        n_trials=sum(map(len, items)),
        n_missing=0,
        method="gwet ac1, bootstrap of items",
    )


def _cross(votes: Sequence[str]) -> np.ndarray:
    table = np.zeros((len(_CATEGORIES), len(_CATEGORIES)))
    pairs = len(votes) * (len(votes) - 1)
    for a, b in combinations(votes, 2):
        i, j = _CATEGORIES.index(a), _CATEGORIES.index(b)
        table[i, j] += 1 / pairs
        table[j, i] += 1 / pairs
    return table


def pair_agreement(rows: Sequence[Row]) -> tuple[PairAgreement, ...]:
    """Return the agreement of each two reviewers on what both have judged."""
    votes: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        if row.outcome is not None:
            votes[row.reviewer][row.item] = row.outcome
    found = []
    for a, b in combinations(sorted(votes), 2):
        both = votes[a].keys() & votes[b].keys()
        if both:
            same = sum(votes[a][item] == votes[b][item] for item in both)
            found.append(PairAgreement(a=a, b=b, agreement=rate(same, len(both), why="")))
    return tuple(found)


def value_alpha(
    values: Sequence[tuple[str, str, float]], *, level: Level, seed: int = 0
) -> Estimate:
    """Return alpha of (reviewer, unit, value) ratings."""
    people = sorted({who for who, _, _ in values})
    units = sorted({unit for _, unit, _ in values})
    table = np.full((max(1, len(people)), max(1, len(units))), np.nan)
    row = {name: i for i, name in enumerate(people)}
    column = {name: i for i, name in enumerate(units)}
    for who, unit, value in values:
        table[row[who], column[unit]] = value
    return estimate_alpha(table, rng=np.random.default_rng(seed), level=level)


def share_of_items(hits: Sequence[float], counts: Sequence[float], *, seed: int = 0) -> Estimate:
    """Return sum(hits) / sum(counts) over items, with a bootstrap over them."""
    if not counts or sum(counts) == 0:
        return not_measured("nothing to count")
    drawn = bootstrap_ratio(hits, counts, rng=np.random.default_rng(seed))
    low, high = np.quantile(drawn[np.isfinite(drawn)], (0.025, 0.975))
    return Estimate(
        value=sum(hits) / sum(counts), low=float(low), high=float(high), n_samples=len(counts),
        n_trials=int(sum(counts)), n_missing=0, method="ratio, bootstrap of items",
    )  # fmt: skip
