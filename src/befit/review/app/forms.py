"""Forms and ballots: what a browser sends, and what a form is filled with.

A draft is a ballot that need not be whole; it is stored as it was sent, and
checked when it is voted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from befit.core.record import Json
from befit.review.pages import Seen, Shown
from befit.review.records import Side

SIDES: tuple[Side, Side] = ("left", "right")
NOTES = 3
"""Observations one form has room for."""
_SHORT, _LONG = 100, 8000
_DIGITS = 10
"""Of a counter, less than."""
_NOT_APPLICABLE = "na"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One observation as it stands in a form."""

    side: str = "left"
    dimension: str = ""
    tag: str = ""
    seen: str = ""
    severity: str = "2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What stands in a form."""

    verdict: str = ""
    strength: str = ""
    cannot: str = ""
    tags: frozenset[tuple[str, str]] = frozenset()
    """(tag, side) of every pressed box."""
    rubric: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(row, side) -> "1" to "4", or "na"."""
    comment: str = ""
    identity_visible: bool = False
    notes: tuple[Note, ...] = ()

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """The observations, with empty ones up to the room of the form."""
        return (*self.notes, *(Note() for _ in range(max(0, NOTES - len(self.notes)))))


class Text(Protocol):
    """Reads one field of a form, at most so many characters of it."""

    def __call__(self, name: str, limit: int = ...) -> str:
        """Return the text, or an empty one."""


def read_form(form: Mapping[str, object], shown: Shown) -> dict[str, Json]:
    """Return the ballot of a form, as a mapping for `Desk.vote` or `Desk.save_draft`.

    Only fields of the item's own form are read; what does not fit is refused by the desk.
    """

    def text(name: str, limit: int = _SHORT) -> str:
        value = form.get(name, "")
        return value[:limit].replace("\x00", "") if isinstance(value, str) else ""

    ballot: dict[str, Json] = {
        "verdict": text("verdict") or None,
        "strength": text("strength") or None if text("verdict") in SIDES else None,
        "cannot": text("cannot") or None if text("verdict") == "cannot_judge" else None,
        "tags": _tags(shown, text),
        "rubric": _rubric(shown, text),
        "comment": text("comment", _LONG),
        "identity_visible": bool(text("identity_visible")),
        "observations": _notes(text),
        "active_seconds": _seconds(text("seconds")),
    }
    return ballot


def seen_of(form: Mapping[str, object]) -> Seen | None:
    """Return what the page of a form was made from; None where the form does not tell."""
    page, revision, draft = (
        str(form.get(name, ""))[:_SHORT] for name in ("request_id", "seen_vote", "seen_draft")
    )
    if not (page and _is_count(revision) and _is_count(draft)):
        return None
    return Seen(page=page, revision=int(revision), draft=int(draft))


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < _DIGITS


def _sides(shown: Shown) -> tuple[Side, ...]:
    return SIDES if shown.right is not None else SIDES[:1]


def _tags(shown: Shown, text: Text) -> list[Json]:
    found: list[Json] = []
    for place, tag in enumerate(shown.tags):
        sides = [side for side in _sides(shown) if text(f"tag.{place}.{side}")]
        if sides:
            found.append({"tag": tag, "side": "both" if len(sides) > 1 else sides[0]})
    return found


def _rubric(shown: Shown, text: Text) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for place, row in enumerate(shown.rubric):
        values: dict[str, Json] = {}
        for side in _sides(shown):
            value = text(f"rubric.{place}.{side}")
            if value == _NOT_APPLICABLE:
                values[side] = None
            elif value in {"1", "2", "3", "4"}:
                values[side] = int(value)
        if values:
            found[row.name] = values
    return found


def _notes(text: Text) -> list[Json]:
    found: list[Json] = []
    for place in range(NOTES):
        seen = text(f"note.{place}.seen", _LONG // 2).strip()
        if seen:
            severity = text(f"note.{place}.severity")
            found.append(
                {
                    "side": text(f"note.{place}.side") or "left",
                    "dimension": text(f"note.{place}.dimension"),
                    "tag": text(f"note.{place}.tag"),
                    "seen": seen,
                    "severity": int(severity) if severity in {"1", "2", "3", "4"} else 2,
                }
            )
    return found


def _seconds(text: str) -> float | None:
    day = 86_400
    return float(text) if text.isascii() and text.isdigit() and int(text) < day else None


def filled(ballot: Mapping[str, Json]) -> Filled:
    """Return what a form is filled with from a ballot or a draft."""
    tags: set[tuple[str, str]] = set()
    for one in ballot.get("tags") or ():
        for side in SIDES if one["side"] == "both" else (one["side"],):
            tags.add((one["tag"], side))
    rubric = {
        (row, side): _NOT_APPLICABLE if value is None else str(value)
        for row, values in (ballot.get("rubric") or {}).items()
        for side, value in values.items()
    }
    notes = tuple(
        Note(**{**one, "severity": str(one.get("severity", 2))})
        for one in ballot.get("observations") or ()
    )
    return Filled(
        verdict=ballot.get("verdict") or "",
        strength=ballot.get("strength") or "",
        cannot=ballot.get("cannot") or "",
        tags=frozenset(tags),
        rubric=rubric,
        comment=ballot.get("comment") or "",
        identity_visible=bool(ballot.get("identity_visible")),
        notes=notes[:NOTES],
    )


def kept_ballot(shown: Shown) -> Mapping[str, Json]:
    """Return what an item's form begins with: the draft, else the vote, else nothing."""
    held: Json = shown.draft.get("ballot") if isinstance(shown.draft, dict) else None
    if isinstance(held, dict):
        return held
    return {} if shown.ballot is None else shown.ballot.model_dump(mode="json")
