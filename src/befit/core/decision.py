"""A decision: what the evidence and the policy say together, and what is still open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from befit.core.estimate import Estimate
from befit.core.policy import Gate, Policy

Verdict = Literal["pass", "fail", "insufficient_evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """One gate for one candidate: the evidence, the bound used, and the samples still needed."""

    candidate: str
    gate: Gate
    verdict: Verdict
    evidence: Estimate
    bound: float | None
    samples_needed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The candidate that serves a tier, and who steps in when it fails."""

    tier: str
    candidate: str
    fallback: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The written outcome. No route for a tier means "not decided" or "none is good enough"."""

    policy: Policy
    verdicts: tuple[GateVerdict, ...]
    letters: dict[str, str]
    routes: tuple[Route, ...]
    open_questions: tuple[str, ...]
