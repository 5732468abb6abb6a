"""Reviewers: invited by a link, known by the hash of its token only."""

from __future__ import annotations

import secrets

from befit.core.record import Json
from befit.errors import UsageError
from befit.review.desk import hash_of
from befit.review.records import Reviewer
from befit.review.settings import Group
from befit.storage.reviews import Part, Reviews

_TOKEN = 24
"""Bytes of a link's token: 192 bits."""
SIGNED_IN = "signed in"
"""The entry of the audit trail for an owner who opened the pages."""


LONGEST_NAME = 100


def invite(
    reviews: Reviews,
    study_id: str,
    /,
    *,
    name: str,
    group: Group,
    at: str,
    expires_at: str = "",
    adjudicator: bool = False,
) -> tuple[Reviewer, str]:
    """Add a reviewer and return them with the link's token, which is told only here.

    Raises:
        UsageError: no name, a name that is taken or an owner's, or the study is over.
    """
    told = " ".join(name.split())
    if not told:
        raise UsageError("a reviewer needs a name")
    if not told.isprintable():
        bare = not any(sign.isprintable() and not sign.isspace() for sign in told)
        raise UsageError(f"the name has {'nothing but ' if bare else ''}hidden signs in it",
                         do="write it anew, with letters only")  # fmt: skip
    if len(told) > LONGEST_NAME:
        raise UsageError(f"a reviewer's name has at most {LONGEST_NAME} characters")
    if reviews.study(study_id)["state"] in {"closed", "unblinded"}:
        raise UsageError(f"study {study_id} is closed: nobody can be invited any more")
    owners = {e.actor.casefold() for e in reviews.events(study_id) if e.kind == SIGNED_IN}
    if told.casefold() in owners:
        raise UsageError(
            f"'{told}' has signed in as owner of the study",
            why="whoever can learn which answer is whose cannot review it",
            do="invite somebody else",
        )
    if any(one.name.casefold() == told.casefold() for one in reviewers(reviews, study_id).values()):
        raise UsageError(f"there is a reviewer '{told}' already", do="give them another name")
    token = secrets.token_urlsafe(_TOKEN)
    made = Reviewer(
        id=secrets.token_hex(8),
        name=told,
        group=group,
        token_sha256=hash_of(token),
        expires_at=expires_at,
        created_at=at,
        adjudicator=adjudicator,
    )
    reviews.put(study_id, "reviewer", [_part(made)])
    reviews.tell(study_id, "invited", {"reviewer": made.id, "group": group}, at=at, actor="owner")
    return made, token


def renew(
    reviews: Reviews, study_id: str, reviewer_id: str, /, *, at: str, by: str, expires_at: str = ""
) -> tuple[Reviewer, str]:
    """Give a reviewer a new link and return it; the old one and what it opened are good no more.

    Their votes and drafts stay.

    Raises:
        UsageError: there is no such reviewer, or they were withdrawn.
    """
    known = _known(reviews, study_id, reviewer_id)
    if known.revoked:
        raise UsageError(
            f"'{known.name}' was withdrawn, for good", do="invite them under another name"
        )
    token = secrets.token_urlsafe(_TOKEN)
    made = known.model_copy(update={"token_sha256": hash_of(token), "expires_at": expires_at})
    reviews.put(study_id, "reviewer", [_part(made)])
    reviews.tell(study_id, "new link", {"reviewer": reviewer_id}, at=at, actor=by)
    return made, token


def named_reviewer(reviews: Reviews, study_id: str, words: str, /) -> Reviewer:
    """Return the reviewer of this name or id.

    Raises:
        UsageError: nobody is called so.
    """
    for one in reviewers(reviews, study_id).values():
        if words == one.id or " ".join(words.split()).casefold() == one.name.casefold():
            return one
    raise UsageError(f"nobody called '{words}' is invited", do="befit review invite NAME")


def reviewers(reviews: Reviews, study_id: str, /) -> dict[str, Reviewer]:
    """Return the reviewers of a study by id, in the order they were invited."""
    found: dict[str, Json] = reviews.parts(study_id, "reviewer")
    return {name: Reviewer.model_validate(body) for name, body in found.items()}


def revoke(reviews: Reviews, study_id: str, reviewer_id: str, /, *, at: str, by: str) -> None:
    """Make a reviewer's link useless; their votes stay.

    Raises:
        UsageError: there is no such reviewer.
    """
    known = _known(reviews, study_id, reviewer_id)
    reviews.put(study_id, "reviewer", [_part(known.model_copy(update={"revoked": True}))])
    reviews.tell(study_id, "revoked", {"reviewer": reviewer_id}, at=at, actor=by)


def _known(reviews: Reviews, study_id: str, reviewer_id: str) -> Reviewer:
    known = reviewers(reviews, study_id).get(reviewer_id)
    if known is None:
        raise UsageError(f"there is no reviewer '{reviewer_id}'")
    return known


def _part(reviewer: Reviewer) -> Part:
    return Part(reviewer.id, reviewer.model_dump(mode="json"), reviewer.token_sha256)
