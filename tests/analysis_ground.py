"""Small synthetic runs for tests of the analysis: rows as the store gives them, no store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from befit.analysis.frame import Frame, build_frame
from befit.core.candidate import Candidate
from befit.core.landed import Fact, ScoreRow
from befit.core.price import Price
from befit.core.run import Manifest, ManifestCandidate, ManifestScenario, RunSettings
from befit.core.sample import ScorerSpec
from befit.core.scenario import ScenarioSpec

MISSING = "missing"
REFUSED = "refused"
UNSCORED = "unscored"
Outcome = float | str


def spec(name: str = "task", **changed: Any) -> ScenarioSpec:
    given = {"dimension": "generation", "repeats": 1, "success": "right"} | changed
    return ScenarioSpec(name=name, **given)


def manifest(
    candidates: Sequence[str | Candidate],
    scenarios: Sequence[tuple[ScenarioSpec, int]],
    *,
    settings: RunSettings | None = None,
    price: Price | None = None,
) -> Manifest:
    made = [
        c if isinstance(c, Candidate) else Candidate(name=c, target="openai", model=c)
        for c in candidates
    ]
    return Manifest(
        id="r-0001",
        project="test",
        created_at="2026-06-01T00:00:00+00:00",
        befit_version="0",
        candidates=tuple(
            ManifestCandidate(
                candidate=c, fingerprint=c.fingerprint, price=price, price_snapshot=None
            )
            for c in made
        ),
        scenarios=tuple(
            ManifestScenario(spec=s, set_version="v1", n_samples=n) for s, n in scenarios
        ),
        settings=settings or RunSettings(),
        plan_fingerprint="plan",
    )


def fact(
    candidate: str, sample_id: str, outcome: Outcome = 1.0, *, repeat: int = 0, **changed: Any
) -> Fact:
    """One filled slot: a value is a scored answer; the words above are what they say."""
    lost, refused = outcome == MISSING, outcome == REFUSED
    given: dict[str, Any] = {
        "candidate": candidate,
        "scenario": "task",
        "sample_id": sample_id,
        "cluster": None,
        "kind": "typical",
        "language": None,
        "weight": 1.0,
        "variant": "",
        "repeat": repeat,
        "key_id": f"{candidate}/{sample_id}/{repeat}",
        "status": "missing" if lost else "candidate_failure" if refused else "ok",
        "failure": "server" if lost else "content_filter" if refused else None,
        "reused": False,
        "attempts": 0,
        "first_token": None if lost else 0.1,
        "first_output_token": None,
        "latency": None if lost else 1.0,
        "input_tokens": None if lost else 10,
        "output_tokens": None if lost else 5,
        "reasoning_tokens": None,
        "cost": None if lost else 0.001,
        "finish_reason": None if lost else "stop",
        "served_model": None if lost else "m-1",
        "system_fingerprint": None,
        "started_at": 0.0,
        "output_chars": 5,
        "passed": outcome if isinstance(outcome, float) else 0.0 if refused else None,
        "answer": None if lost or refused else f"answer {outcome}",
    }
    return Fact(**(given | changed))


def facts_of(outcomes: Mapping[str, Sequence[Sequence[Outcome]]], **changed: Any) -> list[Fact]:
    """{candidate: [repeats of sample 0, repeats of sample 1, ...]} as rows."""
    return [
        fact(candidate, f"s{i}", outcome, repeat=repeat, **changed)
        for candidate, samples in outcomes.items()
        for i, repeats in enumerate(samples)
        for repeat, outcome in enumerate(repeats)
    ]


def frame_of(
    outcomes: Mapping[str, Sequence[Sequence[Outcome]]],
    *,
    scenario: ScenarioSpec | None = None,
    n_samples: int | None = None,
    scores: Iterable[ScoreRow] = (),
    **changed: Any,
) -> Frame:
    """One scenario; repeats are as many as the longest sample has."""
    repeats = max(len(r) for samples in outcomes.values() for r in samples)
    used = scenario or spec(repeats=repeats)
    n = n_samples if n_samples is not None else max(len(s) for s in outcomes.values())
    made = manifest(list(outcomes), [(used, n)])
    return build_frame(made, facts_of(outcomes, **changed), scores)


def score(
    candidate: str, sample_id: str, name: str, value: float | None, **changed: Any
) -> ScoreRow:
    given: dict[str, Any] = {
        "candidate": candidate,
        "scenario": "task",
        "sample_id": sample_id,
        "variant": "",
        "repeat": 0,
        "scorer": "match",
        "name": name,
        "part": None,
        "value": value,
        "label": None,
    }
    return ScoreRow(**(given | changed))


def field_row(sample_id: str, part: str, label: str, *, candidate: str = "a") -> ScoreRow:
    right = label in {"right", "true_null_marked", "omitted"}
    return score(
        candidate, sample_id, "field", float(right), part=part, label=label, scorer="fields"
    )


FIELDS = ScorerSpec(name="fields")
