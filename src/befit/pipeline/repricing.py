"""What a run would have cost at other prices: a view of its own; the run stays as it was billed.

Each stored answer's disjoint token counts are billed anew. Calls whose usage is
unknown, and candidates without a price, stay unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.core.landed import Fact
from befit.core.price import Price, cost
from befit.core.run import Manifest
from befit.stats.ratio import estimate_ratio
from befit.storage.workspace import Workspace

BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Repriced:
    """One candidate of a run at its own price and at another."""

    candidate: str
    billed: Decimal | None
    """USD of all answers at the price of the run; None where one is unknown."""
    anew: Decimal | None
    """The same answers at the other price."""
    unknown: int
    """Answers without usage."""
    trials: int
    old: Price | None
    new: Price | None
    per_success: Estimate
    """USD per passed trial at the other price."""

    @property
    def factor(self) -> Decimal | None:
        """Other price over own; None where either is unknown or nothing was billed."""
        if self.billed is None or self.anew is None or self.billed == 0:
            return None
        return self.anew / self.billed


@dataclass(slots=True)
class _Sum:
    """Sums of one candidate while its trials are read."""

    billed: Decimal = Decimal(0)
    anew: Decimal = Decimal(0)
    unbilled: int = 0
    unknown: int = 0
    trials: int = 0
    spent: dict[str, float] | None = None
    passed: dict[str, float] | None = None


def reprice(
    workspace: Workspace, manifest: Manifest, prices: Mapping[str, Price | None]
) -> tuple[Repriced, ...]:
    """Return every candidate of a run at other prices.

    Args:
        workspace: holds the run.
        manifest: of the run.
        prices: candidate name -> other price.
    """
    old = {c.candidate.name: c.price for c in manifest.candidates}
    sums = {name: _Sum(spent={}, passed={}) for name in old}
    facts = iter(workspace.facts(manifest.id))
    while batch := list(islice(facts, BATCH)):
        trials = workspace.trials([fact.key_id for fact in batch])
        for fact in batch:
            trial = trials.get(fact.key_id)
            if trial is None or fact.status == "missing":
                continue
            total = sums[fact.candidate]
            total.trials += 1
            before = [cost(c.usage, old[fact.candidate]) for c in trial.completions]
            after = [cost(c.usage, prices.get(fact.candidate)) for c in trial.completions]
            _add(total, fact, before, after)
    return tuple(_row(name, sums[name], old=old[name], new=prices.get(name)) for name in old)


def _add(
    total: _Sum, fact: Fact, before: list[Decimal | None], after: list[Decimal | None]
) -> None:
    if None in before:
        total.unbilled += 1
    total.billed += sum((b for b in before if b is not None), Decimal(0))
    if None in after:
        total.unknown += 1
        return
    spent = sum((a for a in after if a is not None), Decimal(0))
    total.anew += spent
    place = f"{fact.scenario}\x1f{fact.sample_id}"
    if total.spent is not None and total.passed is not None:
        total.spent[place] = total.spent.get(place, 0.0) + float(spent)
        hit = float(fact.passed is not None and fact.passed >= 1)
        total.passed[place] = total.passed.get(place, 0.0) + hit


def _row(name: str, total: _Sum, *, old: Price | None, new: Price | None) -> Repriced:
    known = total.unknown == 0 and total.trials > 0
    return Repriced(
        candidate=name,
        billed=total.billed if total.trials and not total.unbilled and old is not None else None,
        anew=total.anew if known and new is not None else None,
        unknown=total.unknown,
        trials=total.trials,
        old=old,
        new=new,
        per_success=_per_success(total, known=known and new is not None),
    )


def _per_success(total: _Sum, *, known: bool) -> Estimate:
    if not known or not total.spent or not total.passed:
        return not_measured("price or usage unknown", n_missing=total.unknown)
    spent = np.array(list(total.spent.values()))
    passed = np.array([total.passed[place] for place in total.spent])
    if passed.sum() == 0:
        return not_measured("no success")
    if spent.size < 2:  # noqa: PLR2004 - one sample has no spread
        return not_measured("one sample has no spread")
    return estimate_ratio(spent, passed, n_trials=total.trials, n_missing=0)
