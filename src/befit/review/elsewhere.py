"""Votes that were made elsewhere: a table of who preferred what, read into a closed study.

The results are the same as of votes made here; only of the blinding nothing is
known, and every result says so.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from befit.core.message import Message
from befit.core.record import Json
from befit.errors import DataError
from befit.review.create import Created, create_study
from befit.review.material import Material, Source
from befit.review.people import invite
from befit.review.records import Ballot, ScenarioInfo, Tagged
from befit.review.settings import GROUPS, Exclusion, Group, Settings, Verdict
from befit.review.states import close, open_study
from befit.storage.review_work import Assigned
from befit.storage.reviews import Reviews

_WINNERS: dict[str, Verdict] = {
    "left": "left", "right": "right", "a": "left", "b": "right", "1": "left", "2": "right",
    "model_a": "left", "model_b": "right", "tie": "tie", "0": "tie", "draw": "tie",
    "both_bad": "both_bad", "tie (bothbad)": "both_bad", "both bad": "both_bad",
    "cannot_judge": "cannot_judge",
}  # fmt: skip
_NO_WORK = frozenset({"calibration", "gold", "attention", "mirror", "cycle"})
DEFAULT_SCENARIO = "votes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One vote as it stands in a file."""

    sample: str
    left: str
    right: str
    winner: Verdict
    reviewer: str
    group: Group = "own_team"
    scenario: str = DEFAULT_SCENARIO
    question: str = ""
    left_answer: str = ""
    right_answer: str = ""
    comment: str = ""
    tags: tuple[str, ...] = ()
    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The run whose answers were voted on."""

    id: str
    project: str
    keys: Mapping[tuple[str, str, str], str]
    """(scenario, sample, candidate) -> key id of the trial."""
    scenarios: Sequence[ScenarioInfo] = ()


def read_told(
    rows: Iterable[Mapping[str, Json]], *, file: str, lines: Sequence[int] = ()
) -> list[Told]:
    """Return the votes of a table: sample, left, right, winner, reviewer, and what else is known.

    Rows of practice, gold, attention, mirrored pairs and recalibration, as an export has them,
    are left out: they are no votes of the work.

    Args:
        rows: the table.
        file: its name, for what is told.
        lines: where each row stands in the file; without it rows are counted from 1.

    Raises:
        DataError: a row that is no vote, or a second vote of a person on a pair, with its line.
    """
    found: list[Told] = []
    first: dict[tuple[str, ...], int] = {}
    for number, row in enumerate(rows, 1):
        line = lines[number - 1] if lines else number
        if str(row.get("purpose") or "work") in _NO_WORK:
            continue
        one = _told(row, f"{file}:{line}")
        pair = (one.reviewer, one.scenario, one.sample, *sorted((one.left, one.right)))
        if pair in first:
            raise DataError(
                f"'{one.reviewer[:40]}' has voted on this pair in line {first[pair]} already",
                where=f"{file}:{line}",
                why="one person has one vote on one pair",
                do="keep one of the two lines",
            )
        first[pair] = line
        found.append(one)
    return found


def _told(row: Mapping[str, Json], where: str) -> Told:
    texts = {key: str(value) for key, value in row.items() if value is not None}
    missing = [k for k in ("sample", "left", "right", "winner", "reviewer") if not texts.get(k)]
    if missing:
        raise DataError(
            f"'{missing[0]}' is missing", where=where,
            do="give sample, left, right (candidates), winner and reviewer",
        )  # fmt: skip
    winner = _WINNERS.get(texts["winner"].strip().lower())
    if winner is None:
        raise DataError(
            f"'{texts['winner'][:40]}' is no winner", where=where,
            do="write left, right, tie, both_bad or cannot_judge",
        )  # fmt: skip
    if texts["left"] == texts["right"]:
        raise DataError("a candidate cannot be compared with itself", where=where)
    group = texts.get("group", "own_team")
    if group not in GROUPS:
        raise DataError(
            f"there is no group '{group[:40]}'", where=where, do=f"one of: {', '.join(GROUPS)}"
        )
    return Told(
        sample=texts["sample"], left=texts["left"], right=texts["right"], winner=winner,
        reviewer=texts["reviewer"], group=group, scenario=texts.get("scenario", DEFAULT_SCENARIO),
        question=texts.get("question", ""), left_answer=texts.get("left_answer", ""),
        right_answer=texts.get("right_answer", ""),
        comment=texts.get("comment", texts.get("reason", "")),
        tags=tuple(tag.strip() for tag in texts.get("tags", "").split(";") if tag.strip()),
        at=_time(texts.get("voted_at", ""), where),
    )  # fmt: skip


def _time(text: str, where: str) -> float:
    if not text:
        return 0.0
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise DataError(f"'{text[:40]}' is no time", where=where, do="2026-01-31T12:00") from None


def bring_votes(
    reviews: Reviews, told: Sequence[Told], settings: Settings, /, *, file: str, at: str, by: str,
    run: Origin | None = None,
) -> Created:  # fmt: skip
    """Make a closed study out of votes made elsewhere; `run` is whose answers they are about.

    Raises:
        DataError: there are none.
    """
    if not told:
        raise DataError("there are no votes in it", where=file)
    sources: dict[tuple[str, str, str], Source] = {}
    for one in told:
        for candidate, answer in ((one.left, one.left_answer), (one.right, one.right_answer)):
            place = (one.scenario, one.sample, candidate)
            sources.setdefault(place, _source(one, candidate, answer, run))
    pairs = dict.fromkeys(
        (one.scenario, one.sample, *sorted((one.left, one.right))) for one in told
    )
    tags = dict.fromkeys((*settings.tags, *(tag for one in told for tag in one.tags)))
    wide = {"pairs": max(1, len(pairs)), "tags": tuple(tags), "guess": 0.0, "masking": "flag",
            "exclusion": _no_order(settings.exclusion)}  # fmt: skip
    made = create_study(
        reviews,
        settings.model_copy(update=wide),
        Material(
            sources=list(sources.values()),
            identities=(),
            pairs=[(sources[s, q, a], sources[s, q, b]) for s, q, a, b in pairs],
            elsewhere=file,
            scenarios=() if run is None else run.scenarios,
        ),
        project="" if run is None else run.project,
        run_id="" if run is None else run.id,
        at=at,
        by=by,
    )
    open_study(reviews, made.study.id, at=at, by=by)
    groups = {one.reviewer: one.group for one in told}
    people = {
        name: invite(reviews, made.study.id, name=name, group=group, at=at)[0].id
        for name, group in groups.items()
    }
    reviews.work.bring(made.study.id, _assignments(made, told, people))
    close(reviews, made.study.id, at=at, by=by)
    return made


def _no_order(rule: Exclusion) -> Exclusion:
    """Return the rule without what asks for sides given by chance: elsewhere they may not be."""
    return rule.model_copy(update={"position_p": 0.0, "same_verdict": 1.0})


def _source(one: Told, candidate: str, answer: str, run: Origin | None) -> Source:
    key = None if run is None else run.keys.get((one.scenario, one.sample, candidate))
    turns = (
        (Message(role="user", content=one.question), Message(role="assistant", content=answer))
        if answer
        else ()
    )
    return Source(scenario=one.scenario, sample=one.sample, candidate=candidate, turns=turns,
                  key_ids=() if key is None else (key,))  # fmt: skip


def _assignments(
    made: Created, told: Sequence[Told], people: Mapping[str, str]
) -> list[tuple[Assigned, Json, str]]:
    places = {
        (x.scenario, x.sample, x.candidate, y.candidate): (item, x.candidate)
        for item, (x, y) in made.places.items() if y is not None
    }  # fmt: skip
    found, ordinals = [], dict.fromkeys(people.values(), 0)
    for number, one in enumerate(told):
        key = (one.scenario, one.sample, one.left, one.right)
        place = places.get(key) or places[one.scenario, one.sample, one.right, one.left]
        item, first = place
        flipped = first != one.left
        who = people[one.reviewer]
        ordinals[who] += 1
        turned = {"left": "right", "right": "left"}
        outcome = turned.get(one.winner, one.winner) if flipped else one.winner
        assigned = Assigned(
            id=secrets.token_hex(12), study=made.study.id, reviewer=who, ordinal=ordinals[who],
            item=item, purpose="work", cell="", cycle=0, mirror_of=None,
            flipped=int(flipped), state="done", leased_until=0.0, created_at=one.at, shown_at=None,
            voted_at=one.at, outcome=outcome,
        )  # fmt: skip
        ballot = Ballot(
            verdict=one.winner,
            cannot="broken" if one.winner == "cannot_judge" else None,
            comment=one.comment,
            tags=tuple(Tagged(tag=tag, side="both") for tag in one.tags),
        )
        found.append((assigned, ballot.model_dump(mode="json"), f"row {number}"))
    return found
