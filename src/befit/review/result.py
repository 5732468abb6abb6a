"""What comes out of a study, once unblinded: of its candidates, and of those who judged them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from befit.core.estimate import Estimate
from befit.review.agreeing import Agreement
from befit.review.automatic import ScoreAgreement
from befit.review.cycles import Drift
from befit.review.judges import JudgeAgainstPeople
from befit.review.opinions import Comment, Guessing, Reason, RubricAgreement, RubricScore
from befit.review.quality import ReviewerQuality
from befit.review.ratings import Preference
from befit.review.records import RecordSheet, Study
from befit.review.rows import Row
from befit.review.settings import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    """One group of reviewers by itself."""

    group: Group
    n_votes: int
    n_reviewers: int
    share: float
    """Of all votes that count."""
    agreement: Agreement
    preference: Preference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everything a study has shown."""

    study: Study
    n_votes: int
    """That count."""
    n_left_out: int
    """Votes of excluded reviewers; their rows are kept."""
    cannot_judge: int
    flagged: int
    """Votes on pairs whose identity may show."""
    quality: tuple[ReviewerQuality, ...]
    agreement: Agreement
    groups: tuple[GroupResult, ...]
    guessing: Guessing
    preference: Preference | None
    unflagged: Preference | None
    """The same without flagged pairs; None where there are none flagged, or nothing is left."""
    reasons: tuple[Reason, ...]
    comments: tuple[Comment, ...]
    rubric: tuple[RubricScore, ...]
    rubric_agreement: tuple[RubricAgreement, ...]
    gates: Mapping[tuple[str, str, str], Estimate]
    """(metric, scenario, candidate): `human_win_rate` and `human_rubric`, as policies name them."""
    warnings: tuple[str, ...]
    rated: tuple[Row, ...] = ()
    """The votes of work themselves, of reviewers who count, by the reviewers' names."""
    adjudicated: tuple[tuple[str, Estimate], ...] = ()
    """(candidate, win rate) in the disputed pairs that adjudicators decided; these decisions
    stand beside the votes and are not counted among them."""
    automatic: tuple[ScoreAgreement, ...] = ()
    """Automatic scores against people."""
    judges: tuple[JudgeAgainstPeople, ...] = ()
    drift: tuple[Drift, ...] = ()
    """Recalibrations: how far reviewers and agreement have moved."""
    notes: tuple[RecordSheet, ...] = ()
    """Record sheets on the run's trials, withdrawn ones left out."""
    overdue: int = 0
    """Record sheets that should have been looked at again."""
    elsewhere: bool = False
    """The votes were made elsewhere: befit cannot vouch for their blinding."""
