"""The question "which model is it?": asked at the end, about a share of what was voted on.

It measures what blinding cannot promise: whether style gives a candidate away.
"""

from __future__ import annotations

import hmac

from befit.errors import ForbiddenError, UsageError
from befit.review import shown as showing
from befit.review.pick import Asked
from befit.review.records import Guess
from befit.storage.review_work import Assigned, Standing
from befit.storage.reviews import Part, Reviews


def told(reviews: Reviews, asked: Asked) -> set[str]:
    """Return the assignments this reviewer has guessed about."""
    return set(reviews.parts(asked.study.id, f"guess {asked.reviewer}"))


def left(asked: Asked, standing: Standing, known: set[str]) -> list[Assigned]:
    """Return the items the question is still to be asked about."""
    if not asked.study.guess_names or asked.study.state != "open":
        return []
    work = [one for one in standing.mine if one.purpose == "work" and one.state == "done"]
    return [one for one in _share(asked, work) if one.id not in known]


def put(reviews: Reviews, asked: Asked, standing: Standing, token: str, /, *, named: str) -> None:
    """Store a guess.

    Raises:
        ForbiddenError: not asked of this reviewer.
        UsageError: a name that is not on the list.
    """
    known = told(reviews, asked)
    for one in left(asked, standing, known):
        wanted = showing.guess_token(asked, one).encode()
        if hmac.compare_digest(wanted, token.encode("utf-8", "replace")):
            if named and named not in asked.study.guess_names:
                raise UsageError("this name is not on the list")
            made = Guess(assignment=one.id, side=showing.guess_side(asked, one), named=named)
            part = Part(one.id, made.model_dump(mode="json"))
            reviews.put(asked.study.id, f"guess {asked.reviewer}", [part])
            return
    raise ForbiddenError("there is no such question")


def _share(asked: Asked, work: list[Assigned]) -> list[Assigned]:
    """Return the part that is asked about: the study's share, one at least."""
    share = asked.study.settings.guess
    count = max(1, round(share * len(work))) if share > 0 and work else 0
    return sorted(work, key=lambda one: asked.pool.fraction("guess", one.id))[:count]
