"""The one document model of a report; every renderer reads it and none computes anything.

It holds what the evidence says in sentences, the analysis, and the quoted
examples (already cut to size). Whatever comes from a model is hostile text and
stays a plain string here; each renderer makes it inert in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass

from befit.analysis.causes_result import Causes
from befit.analysis.confounding import Change
from befit.analysis.fallback_edge import Edge
from befit.analysis.load_result import LoadResult
from befit.analysis.results import Analysis
from befit.core.decision import Decision
from befit.core.record import Json
from befit.core.run import Manifest, RunStatus
from befit.decide.diff import Changed
from befit.review.records import RecordSheet
from befit.review.result import Result

CUT = 4_000
"""Characters of an output shown; the rest is named by its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One judgement behind an example: rule, outcome, and where in the output it matched."""

    scorer: str
    name: str
    part: str | None
    value: float | None
    label: str | None
    rule: str | None
    span: tuple[int, int] | None
    answer: Json
    explanation: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleTrial:
    """One trial shown in full: what was asked, expected, answered, and how it was judged."""

    candidate: str
    scenario: str
    sample_id: str
    variant: str
    repeat: int
    mode: str
    """Failure mode, or "pass" in the audit of passes."""
    prompt: str
    expected: Json
    output: str
    cut: int
    """Characters left out of `output`."""
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """One line: what was run, when, on what, for how much."""

    project: str
    run_id: str
    label: str
    created_at: str
    status: RunStatus
    befit_version: str
    n_candidates: int
    n_scenarios: int
    n_samples: int
    n_trials: int
    spent: float | None
    """USD known to be spent; None where nothing is known."""
    unknown_cost_calls: int
    set_versions: dict[str, str]
    uncertain_cost: float = 0.0
    """USD that calls may have cost at most besides that told no cost: cut streams, timeouts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Everything a report shows."""

    title: str
    provenance: Provenance
    conclusion: tuple[str, ...]
    """What the evidence says, at most five sentences, the most important first."""
    manifest: Manifest
    analysis: Analysis
    equality: dict[str, str]
    """Scenario -> how answers are called the same, in words."""
    changes: dict[tuple[str, str], tuple[Change, ...]]
    """For each pair of candidates, all that differs between them."""
    failures: tuple[ExampleTrial, ...]
    passes: tuple[ExampleTrial, ...]
    """A seeded sample of passes, to be audited: a rule can call a wrong answer right."""
    decision: Decision | None = None
    """The newest decision on this run; one made for the page alone has no record."""
    decision_record: str = ""
    policy_since: tuple[Changed, ...] = ()
    """What of the project's policy is not that of the decision any more."""
    since: tuple[Changed, ...] = ()
    """What changed since the decision before, if there was one."""
    since_record: str = ""
    loads: tuple[LoadResult, ...] = ()
    """The newest load measurement of each candidate and scenario."""
    causes: tuple[Causes, ...] = ()
    """The newest search for causes of each candidate and scenario."""
    edges: tuple[Edge, ...] = ()
    """The newest check of each primary -> fallback edge."""
    people: tuple[Result, ...] = ()
    """The results of unblinded review studies on the run, newest first."""
    notes: tuple[RecordSheet, ...] = ()
    """Record sheets on the run's candidates, overdue ones first; withdrawn ones are left out."""
    overdue: frozenset[str] = frozenset()
    """Ids of those that should have been looked at again."""
