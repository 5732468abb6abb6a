"""The admin's board: progress and quality at any time, nothing of any candidate before closing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from befit.core.estimate import Estimate
from befit.review.agreeing import Agreement, agreement
from befit.review.concluding import named, result_of
from befit.review.desk import load_pool
from befit.review.opinions import RubricAgreement, rubric_agreement
from befit.review.people import reviewers
from befit.review.pick import Pool, calibration_size, calibration_state
from befit.review.quality import ReviewerQuality, excluded_by, quality_table
from befit.review.records import Guess, Sealed, Study
from befit.review.result import Result
from befit.review.rows import Row, read_rows
from befit.review.settings import Group
from befit.review.states import study_of
from befit.storage.reviews import Reviews

_DAY = 86_400.0
_WIDEST = 12
"""Reviewers in the table of each against each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonProgress:
    """One reviewer on the board."""

    reviewer: str
    name: str
    group: Group
    votes: int
    """Of work."""
    calibrated: bool | None
    """Passed, failed, or not through yet."""
    last: float | None
    """Seconds since the epoch."""
    revoked: bool
    adjudicator: bool
    """Needs no practice, and gives no votes of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Progress on one scenario."""

    scenario: str
    critical: bool
    votes: int
    by_group: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What admins see while a study is blind: of reviewers and items, never of candidates."""

    study: Study
    votes: int
    """Of work; `wanted` is what the plan asks for."""
    wanted: int
    forecast_days: float | None
    """Until the plan is fulfilled at the pace so far; None before there is a pace."""
    people: tuple[PersonProgress, ...]
    strata: tuple[Stratum, ...]
    agreement: Agreement
    quality: tuple[ReviewerQuality, ...]
    left_out: int
    """Reviewers whom the rule leaves out, as it stands."""
    guesses: int
    calibration: int
    """Practice items of one attempt; 0 where there are none."""
    rubric: tuple[RubricAgreement, ...]

    @property
    def grid_people(self) -> list[str]:
        """Reviewers who have met another one, in the order they were invited."""
        met = {who for pair in self.agreement.pairs for who in (pair.a, pair.b)}
        return [one.reviewer for one in self.people if one.reviewer in met]

    @property
    def grid(self) -> dict[tuple[str, str], Estimate]:
        """Agreement of each two reviewers, both ways round; empty where the table is too wide."""
        if len(self.grid_people) > _WIDEST:
            return {}
        found = {}
        for pair in self.agreement.pairs:
            found[pair.a, pair.b] = found[pair.b, pair.a] = pair.agreement
        return found


def wanted_votes(study: Study, pool: Pool) -> int:
    """Return how many votes of work the plan asks for."""
    pairs = min(study.settings.pairs, len(pool.work))
    needed = sorted((pool.needed(item, study) for item in pool.work.values()), reverse=True)
    share = sum(needed) / max(1, len(needed))
    return round(pairs * share)


def names_of(reviews: Reviews, study_id: str) -> dict[str, str]:
    """Return reviewers' names by id."""
    return {one.id: one.name for one in reviewers(reviews, study_id).values()}


def board(reviews: Reviews, study_id: str, /, *, now: float) -> Board:
    """Return the board of a study."""
    study, pool = study_of(reviews, study_id), load_pool(reviews, study_id)
    rows = read_rows(reviews, study_id, pool)
    quality = quality_table(rows, study.settings, names_of(reviews, study_id))
    work = [row for row in rows if row.purpose == "work"]
    wanted = wanted_votes(study, pool)
    return Board(
        study=study,
        votes=len(work),
        wanted=wanted,
        forecast_days=_forecast(work, wanted, now=now),
        people=tuple(_people(reviews, study, pool, rows)),
        strata=tuple(_strata(study, work)),
        agreement=agreement(rows),
        quality=quality,
        left_out=len(excluded_by(quality)),
        guesses=len(guesses_of(reviews, study_id)),
        calibration=calibration_size(study, pool),
        rubric=rubric_agreement(work, study.settings.rubric),
    )


def _forecast(work: list[Row], wanted: int, *, now: float) -> float | None:
    if not work:
        return None
    days = max((now - min(row.voted_at for row in work)) / _DAY, 1 / 24)
    return max(0.0, wanted - len(work)) / (len(work) / days)


def _people(reviews: Reviews, study: Study, pool: Pool, rows: list[Row]) -> list[PersonProgress]:
    found = []
    for one in reviewers(reviews, study.id).values():
        mine = [row for row in rows if row.reviewer == one.id]
        passed, _ = calibration_state(study, pool, reviews.work.of(study.id, one.id))
        found.append(
            PersonProgress(
                reviewer=one.id,
                name=one.name,
                group=one.group,
                votes=sum(row.purpose == "work" for row in mine),
                calibrated=passed,
                last=max((row.voted_at for row in mine), default=None),
                revoked=one.revoked,
                adjudicator=one.adjudicator,
            )
        )
    return found


def _strata(study: Study, work: list[Row]) -> list[Stratum]:
    return [
        Stratum(
            scenario=info.name,
            critical=info.critical,
            votes=sum(row.scenario == info.name for row in work),
            by_group={
                group: sum(row.scenario == info.name and row.group == group for row in work)
                for group in study.settings.groups
            },
        )
        for info in study.scenarios
    ]


def guesses_of(reviews: Reviews, study_id: str, /) -> list[Guess]:
    """Return all answers to "which model is it?"."""
    return [
        Guess.model_validate(body)
        for name in reviewers(reviews, study_id)
        for body in reviews.parts(study_id, f"guess {name}").values()
    ]


def unblinded_result(reviews: Reviews, study: Study, mapping: Sealed, /) -> Result:
    """Return the result of a study whose mapping was opened (`states.unblind`)."""
    pool = load_pool(reviews, study.id)
    rows = named(read_rows(reviews, study.id, pool), mapping)
    return result_of(study, rows, names_of(reviews, study.id), guesses_of(reviews, study.id))
