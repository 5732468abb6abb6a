"""What a run would have cost at other prices: a view of its own; the run stays as it was billed.

What was billed is what every answer cost when it was made: a reused one was paid at the price of
an earlier run. Each stored answer's disjoint token counts are billed anew. Calls whose usage is
unknown, and candidates without a price, stay unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import TypeAlias

from befit.core.candidate import Candidate
from befit.core.estimate import Estimate, not_measured
from befit.core.landed import Fact, SampleTraits
from befit.core.price import Price, cost
from befit.core.run import Manifest
from befit.core.trial import Trial
from befit.pipeline.manifest import changed_prices
from befit.stats.means import clusters_repeat
from befit.stats.ratio import estimate_per_success
from befit.storage.workspace import Workspace

BATCH = 500
_Traits: TypeAlias = Mapping[tuple[str, str], SampleTraits]
"""Scenario and sample id -> what the sample says of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repriced:
    """One candidate of a run at its own price and at another."""

    candidate: str
    billed: Decimal | None
    """USD of all answers as they were billed when they were made; None where one is unknown."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """What a project's candidates cost now, by their names in a run."""

    changed: Mapping[str, Price | None]
    """Present prices, where they are not those of the run."""
    renamed: Mapping[str, str]
    """Name in the run -> its name in the project, of those that have another now."""
    gone: tuple[str, ...]
    """Those of the run that the project has no more: nobody can say what they cost in it."""


@dataclass(slots=True)
class _Place:
    """What the trials of one sample cost, how many there are and how many passed."""

    spent: float = 0.0
    passed: int = 0
    tried: int = 0


@dataclass(slots=True)
class _Sum:
    """Sums of one candidate while its trials are read."""

    billed: Decimal = Decimal(0)
    anew: Decimal = Decimal(0)
    unbilled: int = 0
    unknown: int = 0
    trials: int = 0
    missing: int = 0
    unscored: int = 0
    places: dict[tuple[str, str], _Place] = field(default_factory=dict)
    """By scenario and sample."""


def present_prices(
    candidates: Sequence[Candidate], manifest: Manifest, *, now: datetime
) -> Present:
    """Return the present prices of a run's candidates, also of those that were renamed since.

    A candidate of another name that answers alike (the same fingerprint) is the same one. One of
    the same name with another model is not.

    Args:
        candidates: the project's, as they are now.
        manifest: of the run.
        now: aware moment whose prices are the present ones.
    """
    by_name = {one.name: one for one in candidates}
    found: list[Candidate] = []
    renamed: dict[str, str] = {}
    gone: list[str] = []
    for entry in manifest.candidates:
        name, kept = entry.candidate.name, entry.candidate
        own = by_name.get(name)
        alike = next((one for one in candidates if one.fingerprint == entry.fingerprint), None)
        if own is not None and (own.target, own.model) == (kept.target, kept.model):
            found.append(own)
        elif alike is not None:
            renamed[name] = alike.name
            found.append(alike.model_copy(update={"name": name}))
        else:
            gone.append(name)
    changed = changed_prices(found, manifest, now=now)
    return Present(changed=changed, renamed=renamed, gone=tuple(gone))


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
    sums = {name: _Sum() for name in old}
    facts = iter(workspace.facts(manifest.id))
    while batch := list(islice(facts, BATCH)):
        trials = workspace.trials([fact.key_id for fact in batch])
        for fact in batch:
            trial = trials.get(fact.key_id)
            total = sums[fact.candidate]
            if trial is None or fact.status == "missing":
                total.missing += 1
                continue
            total.trials += 1
            _add(total, fact, trial.cost, costs_anew(trial, prices.get(fact.candidate)))
    traits = {(one.scenario, one.sample_id): one for one in workspace.sample_traits(manifest.id)}
    return tuple(
        _row(name, sums[name], traits, old=old[name], new=prices.get(name)) for name in old
    )


def costs_anew(trial: Trial, price: Price | None) -> list[Decimal | None]:
    """Return what the answers of a trial, and its failed tries that were billed, cost at a price.

    An earlier befit kept what failed tries have cost, not what they used: that cost goes up and
    down with the cost of the trial's answers.
    """
    answers = [cost(one.usage, price) for one in trial.completions]
    failed = [cost(one.usage, price) for one in trial.attempts if one.usage is not None]
    if trial.retry_cost and not failed:
        own = (trial.cost or Decimal(0)) - trial.retry_cost
        known = [one for one in answers if one is not None]
        whole = own > 0 and len(known) == len(answers)
        failed = [trial.retry_cost * sum(known, Decimal(0)) / own if whole else None]
    return answers + failed


def _add(total: _Sum, fact: Fact, paid: Decimal | None, after: list[Decimal | None]) -> None:
    total.unbilled += paid is None
    total.billed += paid or Decimal(0)
    if None in after:
        total.unknown += 1
        return
    spent = sum((a for a in after if a is not None), Decimal(0))
    total.anew += spent
    if fact.passed is None:  # neither a success nor none
        total.unscored += 1
        return
    place = total.places.setdefault((fact.scenario, fact.sample_id), _Place())
    place.spent += float(spent)
    place.passed += fact.passed >= 1
    place.tried += 1


def _row(
    name: str, total: _Sum, traits: _Traits, *, old: Price | None, new: Price | None
) -> Repriced:
    known = total.unknown == 0 and total.trials > 0
    return Repriced(
        candidate=name,
        billed=total.billed if total.trials and not total.unbilled else None,
        anew=total.anew if known and new is not None else None,
        unknown=total.unknown,
        trials=total.trials,
        old=old,
        new=new,
        per_success=_per_success(total, traits, known=known and new is not None),
    )


def _per_success(total: _Sum, traits: _Traits, *, known: bool) -> Estimate:
    places, n_missing = total.places, total.missing + total.unscored
    if not known:
        return not_measured("price or usage unknown", n_missing=n_missing)
    if not any(one.passed for one in places.values()):
        return not_measured("no success", n_missing=n_missing)
    told = [traits.get(place) for place in places]
    kin = [place if one is None or one.cluster is None else one.cluster
           for place, one in zip(places, told, strict=True)]  # fmt: skip
    units = {name: code for code, name in enumerate(kin)}
    clusters = [units[name] for name in kin]
    return estimate_per_success(
        [one.spent for one in places.values()],
        [one.passed for one in places.values()],
        [one.tried for one in places.values()],
        n_missing=n_missing,
        clusters=clusters if clusters_repeat(clusters) else None,
        weights=[1.0 if one is None else one.weight for one in told],
    )
