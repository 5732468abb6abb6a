"""Small studies for tests, and simulated reviewers who vote through the desk."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from befit.core.message import Message
from befit.review.create import create_study
from befit.review.desk import Desk
from befit.review.material import Known, Material, Source
from befit.review.pages import Halt
from befit.review.people import invite
from befit.review.records import Ballot
from befit.review.settings import Settings
from befit.review.states import open_study
from befit.storage.workspace import Workspace

AT = "2026-03-01T10:00:00+00:00"
NAMES = ("acme-7b", "borealis-2", "cygnus-mini")
IDENTITIES = ("acme/acme-7b", "https://api.borealis.example/v1", "cygnus-mini-2026-01")
RIGHT, WRONG = "four", "five"


def source(number, candidate, text=None, *, scenario="sums", **more):
    """Return an answer of a candidate to a question."""
    said = text if text is not None else f"Answer {number} by letter {candidate[-1]}"
    turns = (Message(role="user", content=f"Question {number}?"),
             Message(role="assistant", content=said))  # fmt: skip
    return Source(scenario=scenario, sample=f"q{number}", candidate=candidate, turns=turns, **more)


def knowns(n, *, prefix="k"):
    """Return pairs of which the left answer is right."""
    return [
        Known(question=f"{prefix}{i}: two and two?", left=RIGHT, right=WRONG, verdict="left",
              why="It is four.")
        for i in range(n)
    ]  # fmt: skip


@dataclass
class World:
    """A study with its workspace and a clock one can turn."""

    workspace: Workspace
    made: object
    now: float = 1_772_359_200.0
    requests: count = field(default_factory=count)

    @property
    def id(self):
        return self.made.study.id

    @property
    def reviews(self):
        return self.workspace.reviews

    @cached_property
    def _desk(self):
        return Desk(self.reviews, self.id, clock=lambda: self.now)

    def desk(self):
        """Return the desk, as a server keeps it."""
        return self._desk

    def person(self, name, *, group="real_user", **more):
        """Invite a reviewer; return them as the desk knows them, by their link."""
        _, token = invite(self.reviews, self.id, name=name, group=group, at=AT, **more)
        return self.desk().enter(token)

    def candidates_of(self, item):
        """Return the candidates behind x and y of an item."""
        return tuple(one.candidate for one in self.made.places[item] if one is not None)

    def vote(self, reviewer, shown, verdict="left", **more):
        """Vote after half a minute."""
        self.now += 30.0
        ballot = Ballot(verdict=verdict, comment="because of it",
                        cannot="broken" if verdict == "cannot_judge" else None, **more)  # fmt: skip
        return self.desk().vote(reviewer, shown.token, ballot, request_id=f"r{next(self.requests)}")

    def work(self, reviewer, decide, *, most=500):
        """Vote on everything there is; return what was shown and how it ended."""
        seen = []
        for _ in range(most):
            shown = self.desk().next_item(reviewer)
            if isinstance(shown, Halt):
                return seen, shown
            seen.append(shown)
            self.vote(reviewer, shown, decide(shown))
        return seen, None


def honest(shown):
    """Return the right verdict where it is known, else a tie."""
    texts = [shown.left.turns[-1].answer, shown.right.turns[-1].answer]
    if RIGHT in texts:
        return "left" if texts[0] == RIGHT else "right"
    return "both_bad" if "Both bad" in texts[0] else "tie"


def world(folder, *, settings=None, sources=None, calibration=0, gold=0, opened=True):
    """Return a study of three candidates on some questions."""
    workspace = folder if isinstance(folder, Workspace) else Workspace.open(folder)
    given = {"pairs": 20, "per_pair": 2, "calibration": calibration, "guess": 0.0, "explain": 0.0,
             "gold": 0.1 if gold else 0.0, "attention": 0.0, "mirrored": 0.0}  # fmt: skip
    material = Material(
        sources=sources or [source(i, name) for i in range(8) for name in NAMES],
        identities=IDENTITIES,
        calibration=knowns(calibration * 2),
        gold=knowns(gold, prefix="g"),
    )
    made = create_study(
        workspace.reviews, Settings(**{**given, **(settings or {})}), material,
        project="sums", run_id="r-0001", at=AT, by="owner",
    )  # fmt: skip
    if opened:
        open_study(workspace.reviews, made.study.id, at=AT, by="owner")
    return World(workspace=workspace, made=made)
