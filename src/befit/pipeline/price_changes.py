"""Prices that changed under a run: costs of two in one figure, and those that are not today's.

An answer that is reused was billed at the price of the run that made it, so after a change a run
holds answers of both, and a mean of their costs is the cost at neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from befit.analysis.frame import Frame
from befit.core.candidate import Candidate
from befit.core.decision import Decision
from befit.core.price import RATES, Price
from befit.core.run import Manifest
from befit.core.written import many
from befit.pipeline.manifest import rates
from befit.pipeline.repricing import present_prices
from befit.storage.workspace import Workspace

BATCH = 500
AT_ONE_PRICE = "`befit reprice` tells all of them at one price"


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedPrices:
    """A candidate of a run whose answers were billed at several prices."""

    candidate: str
    parts: tuple[tuple[int, str], ...]
    """Answers, and the price they were billed at in words; most first."""

    @property
    def text(self) -> str:
        """Say it in one sentence."""
        told = "; ".join(f"{many(count, 'answer')} at {price}" for count, price in self.parts)
        return (
            f"The costs of {self.candidate} mix prices: {told}. What they cost together is the "
            "cost at none of them"
        )


def price_words(price: Price | None) -> str:
    """Return what is billed in words."""
    if price is None:
        return "no known price"
    told = [(name.replace("_", " "), getattr(price, name)) for name in RATES]
    found = ", ".join(f"{name} {value:f}" for name, value in told if value is not None)
    found += " USD per million tokens"
    if price.per_request:
        found += f" and {price.per_request:f} USD per request"
    if price.above is not None:
        found += f" (above {price.above_tokens:,} tokens {price_words(price.above)})"
    return found


def mixed_prices(workspace: Workspace, frame: Frame) -> tuple[MixedPrices, ...]:
    """Return whose answers in a run were billed at several prices; () where none were.

    A run bills at one price what it asks itself, so nothing is read of one without reused
    answers, and trials only of candidates that some run has billed at other rates.
    """
    manifest = frame.manifest
    if not frame.reused.any():
        return ()
    billed = [entry for run, _ in workspace.runs() for entry in run.candidates]
    suspects = {
        entry.candidate.name: entry.price
        for entry in manifest.candidates
        if any(
            other.fingerprint == entry.fingerprint and rates(other.price) != rates(entry.price)
            for other in billed
        )
    }
    counts: dict[str, Counter[str]] = {name: Counter() for name in suspects}
    reused: dict[str, list[str]] = {name: [] for name in suspects}
    for fact in workspace.facts(manifest.id) if suspects else ():
        if fact.candidate not in suspects or fact.status == "missing":
            continue
        if fact.reused:
            reused[fact.candidate].append(fact.key_id)
        else:
            counts[fact.candidate][price_words(suspects[fact.candidate])] += 1
    known = {entry.price_snapshot: entry.price for entry in billed}
    for name, keys in reused.items():
        for snapshot, count in _snapshots(workspace, keys).items():
            counts[name][price_words(known.get(snapshot))] += count
    return tuple(
        MixedPrices(candidate=name, parts=tuple((n, price) for price, n in found.most_common()))
        for name, found in counts.items()
        if len(found) > 1
    )


def _snapshots(workspace: Workspace, keys: Sequence[str]) -> Counter[str | None]:
    """Count the price snapshots of stored trials."""
    found: Counter[str | None] = Counter()
    for start in range(0, len(keys), BATCH):
        trials = workspace.trials(keys[start : start + BATCH]).values()
        found.update(trial.price_snapshot for trial in trials)
    return found


def changed_since(
    candidates: Sequence[Candidate], manifest: Manifest, *, now: datetime
) -> tuple[str, ...]:
    """Return, in sentences, whose price in a project is not what a run was billed at."""
    billed = {entry.candidate.name: entry.price for entry in manifest.candidates}
    return tuple(
        f"{name} was billed at {price_words(billed[name])} in this run and costs "
        f"{price_words(price)} now: its costs here are those of the run; `befit reprice` tells "
        "them at the present price."
        for name, price in present_prices(candidates, manifest, now=now).changed.items()
    )


def with_warnings(decision: Decision, warnings: Sequence[str]) -> Decision:
    """Return a decision that tells of its prices; where cost counts, nothing of it is certain."""
    if not warnings:
        return decision
    unsure = decision.policy.prefer != "quality"
    return replace(
        decision,
        open_questions=(*warnings, *decision.open_questions),
        tiers=tuple(replace(tier, confidence="low") if unsure else tier for tier in decision.tiers),
    )
