"""The desk: all that reviewers' pages may call. It never touches the sealed mapping.

    desk = Desk(workspace.reviews, study_id)
    reviewer = desk.enter(token)              # of the invitation link; None: unknown, expired
    desk.welcome(reviewer)                    # first page, instructions
    shown = desk.next_item(reviewer)          # Shown, or Halt with the reason
    desk.save_draft(reviewer, shown.token, {...}, number=1)
    desk.vote(reviewer, shown.token, Ballot(verdict="left"), request_id="client-uuid")
    desk.undo(reviewer, request_id="...")     # the last vote of the work, as a Shown again
    desk.item(reviewer, token)                # go back to any item of one's own
    desk.history(reviewer); desk.progress(reviewer)
    desk.next_guess(reviewer); desk.guess(reviewer, token, named="" or a name)
    desk.media(reviewer, token)               # a picture, without metadata

All is stored at once, nothing is kept in memory but what never changes, so a
server may be killed at any moment. Every method is synchronous and short.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property

from befit.core.record import Json
from befit.errors import ForbiddenError
from befit.review import guessing
from befit.review import shown as showing
from befit.review.agreeing import disputes
from befit.review.ballots import check_ballot, feedback_of, outcome_of, read_ballot
from befit.review.halting import stop_of
from befit.review.pages import (
    Done,
    GuessPage,
    Halt,
    Media,
    Progress,
    Saved,
    Seen,
    Shown,
    Welcome,
    stage_of,
)
from befit.review.pick import Asked, Pool, calibration_size, pick
from befit.review.progress import progress_of
from befit.review.records import Ballot, Held, Item, Reviewer, Study
from befit.review.rows import read_rows, work_of
from befit.storage.review_work import Assigned, Standing
from befit.storage.reviews import Reviews


def hash_of(token: str) -> str:
    """Return what is stored of an invitation token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def load_pool(reviews: Reviews, study_id: str) -> Pool:
    """Return all items of a study."""
    parts: dict[str, dict[str, Item]] = {
        kind: {
            name: Item.model_validate(body)
            for name, body in reviews.parts(study_id, f"item {kind}").items()
        }
        for kind in ("work", "calibration", "gold", "attention")
    }
    secret = reviews.part(study_id, "secret", "order") or ""
    return Pool(
        work=parts["work"],
        calibration=parts["calibration"],
        gold=parts["gold"],
        attention=parts["attention"],
        secret=bytes.fromhex(secret),
    )


class Desk:
    """The reviewers' side of one study.

    Args:
        reviews: `workspace.reviews`.
        study_id: which study.
        clock: seconds since the epoch.
    """

    def __init__(
        self, reviews: Reviews, study_id: str, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._reviews = reviews
        self._work = reviews.work
        self._id = study_id
        self._clock = clock

    @cached_property
    def _pool(self) -> Pool:
        return load_pool(self._reviews, self._id)

    def _study(self) -> Study:
        return Study.model_validate(self._reviews.study(self._id))

    def asked(self, reviewer: Reviewer) -> Asked:
        """Return who asks, of which study, and when: what the choice of an item starts from."""
        disputed = None
        if reviewer.adjudicator:
            disputed = tuple(disputes(work_of(read_rows(self._reviews, self._id, self._pool))))
        return Asked(
            study=self._study(),
            pool=self._pool,
            reviewer=reviewer.id,
            now=self._clock(),
            disputed=disputed,
        )

    def enter(self, token: str) -> Reviewer | None:
        """Return whose link this token is; None when it is unknown, expired or revoked."""
        found = self._reviews.look_up("reviewer", hash_of(token))
        if found is None or found[0] != self._id:
            return None
        reviewer = Reviewer.model_validate(found[1])
        return reviewer if self._may_enter(reviewer) else None

    def _may_enter(self, reviewer: Reviewer) -> bool:
        now = datetime.fromtimestamp(self._clock(), UTC).isoformat()
        return not reviewer.revoked and not (reviewer.expires_at and reviewer.expires_at < now)

    def reviewer(self, reviewer_id: str) -> Reviewer | None:
        """Return a reviewer of this study by id (from a session); None when no longer welcome."""
        body = self._reviews.part(self._id, "reviewer", reviewer_id)
        if body is None:
            return None
        reviewer = Reviewer.model_validate(body)
        return reviewer if self._may_enter(reviewer) else None

    def welcome(self, reviewer: Reviewer) -> Welcome:
        """Return what the first page and the instructions show."""
        study = self._study()
        settings = study.settings
        return Welcome(
            title=settings.title,
            kind=settings.kind,
            name=reviewer.name,
            guidelines=settings.guidelines,
            worked=settings.worked,
            tags=settings.tags,
            rubric=settings.rubric,
            calibration=(0 if reviewer.adjudicator else calibration_size(study, self._pool)),
            pass_share=settings.calibration_pass,
            commitment=study.commitment.sha256,
            open=study.state == "open" or study.cycle_open,
            state="closed" if study.state == "unblinded" else study.state,
        )

    def next_item(self, reviewer: Reviewer) -> Shown | Halt:
        """Return the next item, held for this reviewer for the lease; or why there is none."""
        asked = self.asked(reviewer)
        standing: Standing | None = None

        def choose(found: Standing) -> Assigned | None:
            nonlocal standing
            standing = found
            return pick(asked, found)

        if asked.study.state != "open" and not asked.study.cycle_open:
            return self._halt(asked)
        try:
            assigned = self._work.assign(self._id, reviewer.id, choose, now=asked.now)
        except ForbiddenError:  # closed in between
            return self._halt(self.asked(reviewer))
        return self._halt(asked) if assigned is None else self._show(asked, assigned)

    def _halt(self, asked: Asked) -> Halt:
        standing = self._work.standing(self._id, asked.reviewer, now=asked.now)
        return Halt(
            stop=stop_of(self._reviews, asked, standing), progress=progress_of(asked, standing)
        )

    def item(self, reviewer: Reviewer, token: str) -> Shown:
        """Return an item of this reviewer's own, to look at again or to change the vote.

        Raises:
            ForbiddenError: it is somebody else's, or there is none.
        """
        return self._show(self.asked(reviewer), self._own(reviewer, token))

    def _own(self, reviewer: Reviewer, token: str) -> Assigned:
        found = self._work.assigned(token)
        if found is None or found.reviewer != reviewer.id or found.study != self._id:
            raise ForbiddenError("there is no such item")
        return found

    def _show(self, asked: Asked, assigned: Assigned) -> Shown:
        lease = asked.now + asked.study.settings.lease_seconds
        until = max(lease, assigned.leased_until)
        if assigned.shown_at is None or assigned.state == "leased":
            self._work.show(assigned.id, now=asked.now, until=until)
        standing = self._work.standing(self._id, asked.reviewer, now=asked.now)
        vote = self._work.vote_on(assigned.id)
        draft = self._work.draft(assigned.id)
        item = self._pool.item(assigned.item)
        return showing.shown(
            asked,
            assigned,
            item,
            self._answers(item),
            kept=showing.Kept(
                ballot=None if vote is None else Ballot.model_validate(vote.body),
                draft=draft,
                revision=self._work.revision(assigned.id),
                number=_number(standing.mine, assigned),
                progress=progress_of(asked, standing),
            ),
        )

    def _answers(self, item: Item) -> dict[str, Held]:
        found = {}
        for answer in (item.x, item.y):
            body = self._reviews.part(self._id, "answer", answer) if answer else None
            if body is not None:
                found[answer] = Held.model_validate(body)
        return found

    def save_draft(
        self, reviewer: Reviewer, token: str, draft: Mapping[str, Json], *, number: int,
        seen: Seen | None = None,
    ) -> bool:  # fmt: skip
        """Keep what is not sent yet; an older draft (lower number) never replaces a newer one.

        `draft` is whatever the page wants to find again (a dict of JSON values); `seen`: what the
        page was made from.

        Raises:
            ForbiddenError: not this reviewer's item, or the study takes no votes.
            OvertakenError: another page went on with the item since.
        """
        self._own(reviewer, token)
        body = dict(draft) if seen is None else {**draft, "page": seen.page}
        fits = None if seen is None else seen.fits
        return self._work.save_draft(token, body, number=number, now=self._clock(), fits=fits)

    def vote(
        self, reviewer: Reviewer, token: str, ballot: Ballot | Mapping[str, Json], *,
        request_id: str, seen: Seen | None = None,
    ) -> Saved:  # fmt: skip
        """Store a vote, or a new revision of it. The same `request_id` again stores nothing.

        `seen`: what the page was made from; without it whatever stands there is replaced.

        Raises:
            ForbiddenError: not this reviewer's item, or the study takes no votes.
            UsageError: the ballot does not fit the study, saying how.
            OvertakenError: another page voted on the item, or went on with it, since.
        """
        assigned = self._own(reviewer, token)
        asked = self.asked(reviewer)
        item = self._pool.item(assigned.item)
        read = read_ballot(ballot)
        if asked.study.state != "open" and assigned.purpose != "cycle":
            raise ForbiddenError(f"the study is {asked.study.state}")
        if assigned.purpose == "calibration" and assigned.state == "done":
            # Its answer has been told: what is sent again is the first vote.
            stored = self._work.vote_on(token)
            if stored is not None:
                return self._saved(asked, assigned, item, stored.revision)
        check_ballot(
            read,
            asked.study,
            required=showing.comment_required(asked.pool, asked.study, assigned),
        )
        outcome = outcome_of(read, flipped=bool(assigned.flipped))
        stored = self._work.vote(
            token,
            read.model_dump(mode="json"),
            request_id=request_id,
            outcome=outcome,
            now=asked.now,
            fits=None if seen is None else seen.fits,
        )
        return self._saved(asked, assigned, item, stored.revision)

    def _saved(self, asked: Asked, assigned: Assigned, item: Item, revision: int) -> Saved:
        standing = self._work.standing(self._id, asked.reviewer, now=asked.now)
        feedback = None
        if assigned.purpose == "calibration":
            now = next(one for one in standing.mine if one.id == assigned.id)
            feedback = feedback_of(asked, now, item, standing.mine)
        return Saved(
            token=assigned.id,
            revision=revision,
            feedback=feedback,
            progress=progress_of(asked, standing),
        )

    def undo(self, reviewer: Reviewer, *, request_id: str) -> Shown | None:
        """Take the last vote of the work back and return its item; None where there is none.

        Raises:
            ForbiddenError: the study takes no votes.
        """
        asked = self.asked(reviewer)
        mine = self._work.of(self._id, reviewer.id)
        done = [one for one in mine if one.state == "done" and one.purpose != "calibration"]
        if not done:
            return None
        last = max(done, key=lambda one: (one.voted_at or 0.0, one.ordinal))
        vote = self._work.vote_on(last.id)
        body = {} if vote is None else vote.body
        self._work.vote(
            last.id, body, request_id=request_id, outcome=None, now=asked.now, withdrawn=True
        )
        if self._work.draft(last.id) is None:
            self._work.save_draft(last.id, {"ballot": body}, number=0, now=asked.now)
        return self._show(asked, self._own(reviewer, last.id))

    def history(self, reviewer: Reviewer) -> tuple[Done, ...]:
        """Return what was voted, in order; calibration can be read again, not changed."""
        study = self._study()
        mine = self._work.of(self._id, reviewer.id)
        found = []
        for one in mine:
            vote = self._work.vote_on(one.id) if one.state == "done" else None
            if vote is not None:
                found.append(
                    Done(
                        token=one.id,
                        number=_number(mine, one),
                        stage=stage_of(one.purpose),
                        verdict=Ballot.model_validate(vote.body).verdict,
                        editable=study.state == "open" and one.purpose != "calibration",
                    )
                )
        return tuple(found)

    def progress(self, reviewer: Reviewer) -> Progress:
        """Return how far a reviewer is."""
        asked = self.asked(reviewer)
        return progress_of(asked, self._work.standing(self._id, reviewer.id, now=asked.now))

    def next_guess(self, reviewer: Reviewer) -> GuessPage | None:
        """Return the next "which model is it?"; None where none is left."""
        asked = self.asked(reviewer)
        standing = self._work.standing(self._id, reviewer.id, now=asked.now)
        told = guessing.told(self._reviews, asked)
        left = guessing.left(asked, standing, told)
        if not left:
            return None
        item = self._pool.item(left[0].item)
        return showing.guess_page(
            asked,
            left[0],
            item,
            self._answers(item),
            place=(len(told) + 1, len(told) + len(left)),
        )

    def guess(self, reviewer: Reviewer, token: str, *, named: str) -> None:
        """Store a guess; "" is "no idea". A second one about the same item changes nothing.

        Raises:
            ForbiddenError: not asked of this reviewer.
            UsageError: a name that is not on the list.
        """
        asked = self.asked(reviewer)
        standing = self._work.standing(self._id, reviewer.id, now=asked.now)
        guessing.put(self._reviews, asked, standing, token, named=named)

    def media(self, reviewer: Reviewer, token: str, picture: str) -> Media:
        """Return a picture of an item of this reviewer's own.

        Raises:
            ForbiddenError: there is none.
        """
        asked = self.asked(reviewer)
        assigned = self._own(reviewer, token)
        item = self._pool.item(assigned.item)
        found = showing.media(asked, assigned, item, self._answers(item), picture)
        if found is None:
            raise ForbiddenError("there is no such picture")
        return found


def _number(mine: list[Assigned] | tuple[Assigned, ...], assigned: Assigned) -> int:
    stage = stage_of(assigned.purpose)
    return 1 + sum(
        stage_of(one.purpose) == stage and one.ordinal < assigned.ordinal for one in mine
    )
