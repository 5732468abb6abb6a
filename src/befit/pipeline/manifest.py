"""The manifest: what a run is made of, frozen before the first call."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version

from befit.config.load import importable
from befit.config.project import Project
from befit.core.candidate import Candidate
from befit.core.fingerprint import fingerprint
from befit.core.price import Price
from befit.core.record import Json
from befit.core.run import Manifest, ManifestCandidate, ManifestScenario, RunSettings
from befit.core.secret_text import masked
from befit.pipeline.own_source import source_of
from befit.targets.pricing import find_price

_LATER = ("written_by", "confirmed_on", "made_from")
UNTIL_DECIDED = "until decided"
"""Marks the plan of a run that stops as soon as the decision stands: it is another plan."""


def priced(candidate: Candidate, *, now: datetime) -> ManifestCandidate:
    """Return the candidate with the price it will be billed at, None where unknown."""
    price: Price | None
    price = find_price(candidate, at=now) if candidate.price == "auto" else candidate.price
    return ManifestCandidate(
        candidate=candidate,
        fingerprint=candidate.fingerprint,
        price=price,
        price_snapshot=None if price is None else price.fingerprint,
    )


def changed_prices(
    candidates: Sequence[Candidate], manifest: Manifest, *, now: datetime
) -> dict[str, Price | None]:
    """Return the present price of each candidate of a run that was billed at other rates.

    Args:
        candidates: the project's, as they are now; those the run does not have are left out.
        manifest: of the run.
        now: aware moment whose prices are the present ones.
    """
    present = {one.name: priced(one, now=now).price for one in candidates}
    return {
        name: present[name]
        for entry in manifest.candidates
        if (name := entry.candidate.name) in present and rates(present[name]) != rates(entry.price)
    }


def rates(price: Price | None) -> dict[str, Json] | None:
    """Return what is billed, without where it was read and when."""
    return None if price is None else price.model_dump(exclude={"source", "as_of"})


def _kept(candidate: Candidate) -> Candidate:
    return candidate.model_copy(update={"options": masked(candidate.options)})


def make_manifest(
    project: Project, *, run_id: str, now: datetime, settings: RunSettings | None = None
) -> Manifest:
    """Return the manifest of a run of `project`.

    Args:
        project: the checked project.
        run_id: a free id of the workspace.
        now: aware moment of creation; prices are those of this moment.
        settings: replaces the project's own run settings.
    """
    settings = settings or project.settings
    with importable(project.folder):
        candidates = tuple(
            priced(_kept(candidate), now=now).model_copy(update={"source": source_of(candidate)})
            for candidate in project.candidates
        )
    scenarios = tuple(
        ManifestScenario(
            spec=scenario.spec,
            set_version=project.summaries[scenario.name].set_version,
            n_samples=project.summaries[scenario.name].n,
        )
        for scenario in project.scenarios
    )
    return Manifest(
        id=run_id,
        project=project.name,
        created_at=now.isoformat(timespec="seconds"),
        label=settings.label,
        befit_version=version("befit"),
        candidates=candidates,
        scenarios=scenarios,
        tiers=project.tiers,
        policy=project.policy,
        settings=settings,
        plan_fingerprint=plan_fingerprint(candidates, scenarios, settings),
    )


def _described(scenario: ManifestScenario) -> dict[str, Json]:
    """Return a scenario's description; keys that came later stand only where they are used."""
    described: dict[str, Json] = scenario.spec.model_dump(mode="json")
    if not scenario.spec.variants:
        del described["variants"]
    for variant in described.get("variants", ()):
        for key in _LATER:
            if variant[key] is None:
                del variant[key]
    return described


def plan_fingerprint(
    candidates: tuple[ManifestCandidate, ...],
    scenarios: tuple[ManifestScenario, ...],
    settings: RunSettings,
) -> str:
    """Return the hash by which the same command finds the run it is to resume.

    It covers what is measured (candidates, scenarios, sets, repeats, label and
    seed), not how hard the endpoint is driven.
    """
    return fingerprint(
        {
            "candidates": [
                [c.candidate.name, c.fingerprint, c.candidate.repeats] for c in candidates
            ],
            "scenarios": [[_described(s), s.set_version] for s in scenarios],
            "label": settings.label,
            "seed": settings.seed,
        }
    )
