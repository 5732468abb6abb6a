"""A sample: one input with what a right answer to it is.

The input fingerprint covers only what the candidate sees (input, turns,
variables, tools, attachments). Targets, checks and tags stay outside, so that
mending a target never orphans a trial that was paid for.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from befit.core.fingerprint import canonical_json, fingerprint, fingerprint_of_json
from befit.core.message import Message, Tool
from befit.core.record import Json, Record
from befit.core.world import World

Kind = Literal["typical", "edge", "adversarial"]


class ScorerSpec(Record):
    """A scorer by name with its options, as written `{match: {numeric: true}}` in a file."""

    name: str
    options: dict[str, Json] = Field(default_factory=dict)


class Branch(Record):
    """What is said instead of a turn's text where the last answer matches a pattern."""

    when: str
    """Regular expression searched for in the last answer."""
    user: str

    @model_validator(mode="after")
    def _is_pattern(self) -> Branch:
        try:
            re.compile(self.when)
        except re.error as error:
            raise ValueError(f"'when' is no regular expression: {error}") from error
        return self


class Turn(Record):
    """One scripted user turn; `checks` are applied to the answer to it.

    `constraints` hold for this answer and all later ones, until a later turn
    gives another constraint of the same name (a conflict: the later one counts)
    or lifts it. None of these three is shown to a candidate.
    """

    user: str
    checks: tuple[ScorerSpec, ...] = ()
    fill: bool = False
    """`{last}` (the last answer) and variables of the sample are filled in."""
    branches: tuple[Branch, ...] = ()
    """The first whose pattern the last answer matches is said instead of `user`."""
    python: str | None = Field(default=None, pattern=r"^[\w.]+:[\w.]+$")
    """`module:attribute` of f(answers, sample) -> str: what the user says instead of `user`."""
    constraints: dict[str, ScorerSpec] = Field(default_factory=dict)
    lifts: tuple[str, ...] = ()
    about: Literal["retention", "coreference"] | None = None
    """What the turn's checks test, for a metric of its own."""

    @property
    def shown(self) -> Json:
        """What of the turn can change the call: its text alone where nothing depends."""
        if not (self.fill or self.branches or self.python):
            return self.user
        return self.model_dump(mode="json", include={"user", "fill", "branches", "python"})


class Attachment(Record):
    """A file that goes with the input, as a `data:` URL."""

    name: str
    url: str = Field(pattern=r"^data:")


class Provenance(Record):
    """Where a sample came from."""

    source: str | None = None
    log_id: str | None = None
    captured_on: date | None = None
    redacted: bool = False
    parent_id: str | None = None
    licence: str | None = None


class Sample(Record):
    """One test case. Exactly one of `input` and `turns` is given."""

    id: str = Field(min_length=1, max_length=200)
    input: str | tuple[Message, ...] | None = None
    turns: tuple[Turn, ...] = ()
    vars: dict[str, str] = Field(default_factory=dict)
    target: Json = None
    checks: tuple[ScorerSpec, ...] = ()
    kind: Kind = "typical"
    language: str | None = None
    tags: tuple[str, ...] = ()
    cluster: str | None = None
    weight: float = Field(default=1.0, gt=0)
    tools: tuple[Tool, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    observed: str | None = None
    world: World | None = None
    """What answers the tools of this sample, laid over the scenario's world."""
    provenance: Provenance | None = None
    added_on: date | None = None
    retired_on: date | None = None

    @model_validator(mode="after")
    def _one_input(self) -> Sample:
        if (self.input is None) == (not self.turns):
            raise ValueError("give exactly one of 'input' and 'turns'")
        if self.input == ():
            raise ValueError("'input' is an empty list: give at least one message")
        return self

    @property
    def input_fingerprint(self) -> str:
        """Hash of everything the candidate sees of this sample."""
        if isinstance(self.input, str) and not (
            self.vars or self.tools or self.attachments or self.turns or self.world
        ):
            # Most samples are one text: written at once, to the same JSON as below.
            said = canonical_json(self.input)
            return fingerprint_of_json(
                f'{{"attachments":[],"input":{said},"tools":[],"turns":[],"vars":{{}}}}'
            )
        shown = self.model_dump(mode="json", include={"input", "vars", "tools", "attachments"})
        shown["turns"] = [turn.shown for turn in self.turns]
        if self.world is not None:
            shown["world"] = self.world.model_dump(mode="json")
        return fingerprint(shown)

    @property
    def has_checks(self) -> bool:
        """Whether it bears acceptance criteria of its own, of the whole or of single turns."""
        return bool(self.checks or any(turn.checks or turn.constraints for turn in self.turns))

    @property
    def content_fingerprint(self) -> str:
        """Hash of the whole sample, targets and tags included."""
        whole = self.model_dump(mode="json")
        for turn in whole["turns"]:
            for name in _LATER_OF_TURNS:
                if not turn[name]:
                    del turn[name]
        if self.world is None:
            del whole["world"]
        return fingerprint(whole)


_LATER_OF_TURNS = ("fill", "branches", "python", "constraints", "lifts", "about")
"""Fields that came later: at their defaults they leave the hash of older samples as it was."""
