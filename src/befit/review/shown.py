"""Turns a stored item into what one reviewer sees of it: sides, tokens, field table, pictures."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from befit.core.message import ImagePart, Message
from befit.core.record import Json
from befit.review.pages import (
    Answer,
    FieldRow,
    GuessPage,
    Media,
    Picture,
    Progress,
    Shown,
    Turn,
    stage_of,
)
from befit.review.pick import Asked, Pool
from befit.review.pictures import clean_picture
from befit.review.records import Ballot, Held, Item, Side, Study
from befit.review.settings import Verdict
from befit.storage.review_work import Assigned

_TOKEN = 24
_VERDICTS: tuple[Verdict, ...] = ("left", "right", "tie", "both_bad", "cannot_judge")
_DEPTH, _ROWS = 4, 200
_LONGEST = 500_000
"""Characters of JSON that are read into a field table; longer ones are shown as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a reviewer has already done on an item, and where it stands among the others."""

    ballot: Ballot | None
    draft: tuple[int, Json] | None
    revision: int
    number: int
    progress: Progress


def _token(pool: Pool, *words: str) -> str:
    """Return 96 bits that only the study's secret can foretell; nothing of the content is in."""
    told = hmac.digest(pool.secret, "\0".join(("token", *words)).encode(), "sha256")
    return told.hex()[:_TOKEN]


def comment_required(pool: Pool, study: Study, assigned: Assigned) -> bool:
    """Whether this item asks for a comment whatever the verdict."""
    return (
        assigned.purpose not in {"calibration", "attention"}
        and pool.fraction("explain", assigned.id) < study.settings.explain
    )


def shown(
    asked: Asked,
    assigned: Assigned,
    item: Item,
    answers: Mapping[str, Held],
    *,
    kept: Kept,
) -> Shown:
    """Return an item as its reviewer sees it."""
    settings = asked.study.settings
    left, right = _sides(asked, assigned, item, answers)
    repeats = bool(left.repeats or (right and right.repeats))
    one_sided: tuple[Verdict, ...] = ("cannot_judge",)
    return Shown(
        token=assigned.id,
        stage=stage_of(assigned.purpose),
        number=kept.number,
        kind=settings.kind,
        left=left,
        right=right,
        source=item.source if isinstance(item.source, str) else "",
        fields=() if right is None else field_table(_last(left), _last(right)),
        style=settings.style,
        verdicts=_VERDICTS if right is not None else one_sided,
        tags=settings.tags,
        rubric=tuple(row for row in settings.rubric if repeats or not row.repeats_only),
        rubric_after=settings.rubric_after and right is not None,
        strength=settings.strength and right is not None,
        comment_required=comment_required(asked.pool, asked.study, assigned),
        ballot=kept.ballot,
        draft=None if kept.draft is None else kept.draft[1],
        draft_number=0 if kept.draft is None else kept.draft[0],
        revision=kept.revision,
        editable=_takes_votes(asked.study, assigned),
        progress=kept.progress,
    )


def _takes_votes(study: Study, assigned: Assigned) -> bool:
    return study.state == "open" or (assigned.purpose == "cycle" and study.cycle_open)


def _last(answer: Answer) -> str:
    return answer.turns[-1].answer if answer.turns else ""


def _sides(
    asked: Asked, assigned: Assigned, item: Item, answers: Mapping[str, Held]
) -> tuple[Answer, Answer | None]:
    order = [item.x, item.y] if item.y else [item.x]
    if assigned.flipped and item.y:
        order.reverse()
    sides: tuple[Side, Side] = ("left", "right")
    made = [
        _answer(asked.pool, assigned, side, answers[answer], marked=item.marked_turn)
        for side, answer in zip(sides, order, strict=False)
    ]
    return made[0], made[1] if len(made) > 1 else None


def _answer(
    pool: Pool, assigned: Assigned, side: Side, held: Held, *, marked: int | None
) -> Answer:
    return Answer(
        side=side,
        token=_token(pool, assigned.id, side),
        turns=tuple(_turns(pool, assigned, held, marked, side)),
        repeats=held.repeats,
        flagged=bool(held.told),
    )


def _turns(
    pool: Pool, assigned: Assigned, held: Held, marked: int | None, side: Side
) -> Iterator[Turn]:
    user, pictures, number = "", tuple[Picture, ...](), 0
    for place, message in enumerate(held.turns):
        found = tuple(
            Picture(token=name, kind=kind)
            for name, kind, _ in _pictures(pool, assigned, place, message, side)
        )
        if message.role == "user":
            user = f"{user}\n\n{message.text}".strip() if user else message.text
            pictures += found
            continue
        yield Turn(
            user=user,
            answer=message.text,
            pictures=pictures,
            drawn=found,
            marked=bool(user) and number == marked,
        )
        user, pictures, number = "", (), number + 1
    if user or pictures:
        yield Turn(user=user, answer="", pictures=pictures, marked=number == marked)


def _pictures(
    pool: Pool, assigned: Assigned, place: int, message: Message, side: Side
) -> Iterator[tuple[str, str, str]]:
    """Yield token, media type and data URL of the pictures of a message.

    A user's picture is the same on both sides and has one token; an answer's has its side's.
    """
    if isinstance(message.content, str):
        return
    words = ("picture",) if message.role == "user" else ("drawn", side)
    for number, part in enumerate(message.content):
        if isinstance(part, ImagePart):
            name = _token(pool, assigned.id, *words, str(place), str(number))
            yield name, part.url[5:].partition(";")[0], part.url


def media(
    asked: Asked, assigned: Assigned, item: Item, answers: Mapping[str, Held], token: str
) -> Media | None:
    """Return a picture of an item without its metadata; None where there is none of this token."""
    for answer, held in answers.items():
        side: Side = "left" if (answer == item.x) != bool(assigned.flipped) else "right"
        for place, message in enumerate(held.turns):
            for name, kind, url in _pictures(asked.pool, assigned, place, message, side):
                if hmac.compare_digest(name.encode(), token.encode("utf-8", "replace")):
                    return _clean(kind, url)
    return None


def _clean(kind: str, url: str) -> Media | None:
    try:
        raw = base64.b64decode(url.partition(",")[2], validate=True)
    except (ValueError, binascii.Error):
        return None
    body = clean_picture(raw, kind=kind)
    return None if body is None else Media(kind=kind, body=body)


def guess_side(asked: Asked, assigned: Assigned) -> Side:
    """Return the side "which model is it?" is asked about."""
    half = 0.5
    return "left" if asked.pool.fraction("guess side", assigned.id) < half else "right"


def guess_token(asked: Asked, assigned: Assigned) -> str:
    """Return the token of the question."""
    return _token(asked.pool, assigned.id, "guess")


def guess_page(
    asked: Asked,
    assigned: Assigned,
    item: Item,
    answers: Mapping[str, Held],
    *,
    place: tuple[int, int],
) -> GuessPage:
    """Return the question "which model is it?" about an item."""
    left, right = _sides(asked, assigned, item, answers)
    side = guess_side(asked, assigned) if right is not None else "left"
    return GuessPage(
        token=guess_token(asked, assigned),
        side=side,
        left=left,
        right=right,
        names=asked.study.guess_names,
        number=place[0],
        total=place[1],
    )


def field_table(left: str, right: str) -> tuple[FieldRow, ...]:
    """Return the fields of two JSON objects side by side; empty where either is none."""
    one, two = _object(left), _object(right)
    if one is None or two is None:
        return ()
    names = list(dict.fromkeys((*one, *two)))[:_ROWS]
    return tuple(FieldRow(name=name, left=one.get(name), right=two.get(name)) for name in names)


def _object(text: str) -> dict[str, str] | None:
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.partition("\n")[2].rpartition("```")[0].strip()
    if not bare.startswith("{") or len(bare) > _LONGEST:
        return None
    try:
        value = json.loads(bare)
        return dict(_flat(value, "", _DEPTH)) if isinstance(value, dict) else None
    except (ValueError, RecursionError):  # what can be read may still be too deep to be written
        return None


def _flat(value: Json, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value and depth:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key), depth - 1)
    elif isinstance(value, list) and value and depth and any(isinstance(v, dict) for v in value):
        for number, inner in enumerate(value, 1):
            yield from _flat(inner, f"{name}[{number}]", depth - 1)
    else:
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
