"""A scenario: one task type with its samples, its template and what counts as success.

The execution fingerprint covers what changes the call (template, examples,
tools, schema, caps); scorers, acceptance and the sample set do not belong to
it, so they can change without a new call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, model_validator

from befit.core.candidate import Candidate, Prompt
from befit.core.fingerprint import fingerprint
from befit.core.message import Tool
from befit.core.prompt_variant import PromptVariant
from befit.core.protocols import Dataset
from befit.core.record import Json, Record
from befit.core.sample import ScorerSpec
from befit.core.world import World


class Example(Record):
    """A worked example; candidates with `prompt.shots` show it before the sample."""

    input: str
    output: str


class FailureMode(Record):
    """A named way to fail: counted when a failed trial has this score label or matches the rule.

    `label` is a scorer's label, `pattern` a regular expression on the output.
    """

    name: str
    label: str | None = None
    pattern: str | None = None
    description: str = ""

    @model_validator(mode="after")
    def _one_rule(self) -> FailureMode:
        if (self.label is None) == (self.pattern is None):
            raise ValueError("give exactly one of 'label' and 'pattern'")
        if self.pattern is not None:
            try:
                re.compile(self.pattern)
            except re.error as error:
                raise ValueError(f"'pattern' is no regular expression: {error}") from error
        return self


class Accept(Record):
    """Acceptance thresholds of a scenario, each on the metric of that name."""

    pass_rate: float | None = Field(default=None, ge=0, le=1)
    latency: float | None = Field(default=None, gt=0)
    """Seconds; an answer later than this counts as a candidate failure (score 0)."""
    metrics: dict[str, float] = Field(default_factory=dict)


class Caps(Record):
    """Limits of one trial with several turns or tool steps."""

    turns: int = Field(default=50, gt=0)
    steps: int = Field(default=20, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, gt=0)


class Equality(Record):
    """How two answers are called the same for stability; named beside every number."""

    method: Literal["answer", "exact", "normalised", "edit", "embedding", "function"] = "answer"
    threshold: float = Field(default=0.9, ge=0, le=1)
    function: str | None = None
    """`module:attribute` of a function `(a: str, b: str) -> bool` for method `function`."""


class SimulatedUser(Record):
    """A model that plays the user after the sample's first words; its cost is shown apart.

    `goal` says whom it plays, with `{name}` for variables of the sample. It ends
    the conversation by saying `stop`, and `caps.turns` ends it in any case.
    """

    candidate: Candidate
    goal: str = "{goal}"
    stop: str = Field(default="###STOP###", min_length=1)


class ScenarioSpec(Record):
    """A scenario as it is described, without its samples. Stored in the run's manifest."""

    name: str = Field(min_length=1, max_length=100)
    dimension: str
    tier: str | None = None
    template: str = "{input}"
    examples: tuple[Example, ...] = ()
    tools: tuple[Tool, ...] = ()
    response_schema: dict[str, Json] | None = None
    scorers: tuple[ScorerSpec, ...] = ()
    repeats: int = Field(default=5, gt=0, le=10_000)
    success: str = ""
    """The success criteria in words, shown in the report."""
    failure_modes: tuple[FailureMode, ...] = ()
    accept: Accept = Accept()
    critical: bool = False
    caps: Caps = Caps()
    equality: Equality = Equality()
    world: World | None = None
    """What answers the tools; with it, calls are answered until the candidate stops calling."""
    user: SimulatedUser | None = None
    every_turn: tuple[ScorerSpec, ...] = ()
    """Checks of every answer of a conversation: what the system prompt demands throughout."""
    stop_at_failed_turn: bool = False
    """True ends a conversation at the first turn whose checks fail; the rest is not reached."""
    variants: tuple[PromptVariant, ...] = ()
    """Other wordings, asked beside the prompt: how far the results move with them."""
    judges: tuple[Candidate, ...] = ()
    """The models which the scenario's `judge` scorers ask."""
    judge_itself: bool = False
    """True lets a candidate be its own judge."""

    @model_validator(mode="after")
    def _variants_have_names(self) -> ScenarioSpec:
        names = [variant.name for variant in self.variants]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two variants are called '{twice[0]}'")
        return self

    def trials_of(self, candidate: Candidate) -> int:
        """How many trials each sample takes of this candidate, the variants' among them."""
        return self.repeats_of(candidate) * (1 + len(self.variants))

    def repeats_of(self, candidate: Candidate) -> int:
        """How often each sample is asked of this candidate."""
        return min(self.repeats, candidate.repeats or self.repeats)

    def resolved_template(self, prompt: Prompt) -> str:
        """The template this prompt uses here: its own override, else the shared one."""
        return prompt.templates.get(self.name) or prompt.templates.get("*") or self.template

    def execution_fingerprint(self, prompt: Prompt) -> str:
        """Hash of what changes the call itself: template, shown examples, tools, schema, caps."""
        shown: dict[str, Json] = {
            "template": self.resolved_template(prompt),
            "examples": [e.model_dump() for e in self.examples[: prompt.shots]],
            "tools": [tool.model_dump(mode="json") for tool in self.tools],
            "response_schema": self.response_schema,
            "caps": self.caps.model_dump(mode="json"),
        }
        # Later keys stand only where they are used, so that older trials keep their keys.
        if self.world is not None:
            shown["world"] = self.world.model_dump(mode="json")
        if self.stop_at_failed_turn:
            shown["stop_at_failed_turn"] = [spec.model_dump() for spec in self.every_turn]
        if self.user is not None:
            shown["user"] = [self.user.candidate.fingerprint, self.user.goal, self.user.stop]
        return fingerprint(shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario with its samples, which may be re-read as a stream any number of times."""

    spec: ScenarioSpec
    samples: Dataset

    @property
    def name(self) -> str:
        """The name, unique in a project."""
        return self.spec.name
