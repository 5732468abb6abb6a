"""Votes as rows, made by hand."""

from __future__ import annotations

from befit.review.records import Ballot
from befit.review.rows import Row


def row(number, outcome, *, who="ann", item=None, x="a", y="b", flipped=False, **more):
    turned = {"left": "right", "right": "left"}
    shown = turned.get(outcome, outcome) if flipped else outcome
    given = {
        "id": f"{who}-{number}", "reviewer": who, "group": "real_user",
        "item": item or f"i{number}",
        "scenario": "s", "sample": item or f"i{number}", "x": x, "y": y, "purpose": "work",
        "outcome": outcome, "shown": shown, "flipped": flipped, "seconds": 30.0,
        "ballot": Ballot(verdict=shown), "characters": 300,
    }  # fmt: skip
    return Row(**given | more)
