"""A sample: one input with what a right answer to it is.

The input fingerprint covers only what the candidate sees (input, turns,
variables, tools, attachments). Targets, checks and tags stay outside, so that
mending a target never orphans a trial that was paid for.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from befit.core.fingerprint import fingerprint
from befit.core.message import Message, Tool
from befit.core.record import Json, Record

Kind = Literal["typical", "edge", "adversarial"]


class ScorerSpec(Record):
    """A scorer by name with its options, as written `{match: {numeric: true}}` in a file."""

    name: str
    options: dict[str, Json] = Field(default_factory=dict)


class Turn(Record):
    """One scripted user turn; `checks` are applied to the answer to it."""

    user: str
    checks: tuple[ScorerSpec, ...] = ()


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
    provenance: Provenance | None = None
    added_on: date | None = None
    retired_on: date | None = None

    @model_validator(mode="after")
    def _one_input(self) -> Sample:
        if (self.input is None) == (not self.turns):
            raise ValueError("give exactly one of 'input' and 'turns'")
        return self

    @property
    def input_fingerprint(self) -> str:
        """Hash of everything the candidate sees of this sample."""
        shown = self.model_dump(mode="json", include={"input", "vars", "tools", "attachments"})
        shown["turns"] = [turn.user for turn in self.turns]
        return fingerprint(shown)

    @property
    def content_fingerprint(self) -> str:
        """Hash of the whole sample, targets and tags included."""
        return fingerprint(self.model_dump(mode="json"))
