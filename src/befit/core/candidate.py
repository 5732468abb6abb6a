"""A candidate: model + prompt + sampling settings, the thing that is chosen and rolled back."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_serializer

from befit.core.fingerprint import fingerprint
from befit.core.message import Tool
from befit.core.price import Price
from befit.core.record import Json, Record
from befit.core.secret_text import masked


class Prompt(Record):
    """What a candidate says around the sample.

    `shots` shows that many of the scenario's `examples` before the sample.
    `templates` overrides the scenario's template (key: scenario name, or `*`);
    comparisons across different templates are marked as confounded.
    """

    system: str | None = None
    shots: int = Field(default=0, ge=0)
    templates: dict[str, str] = Field(default_factory=dict)


class Sampling(Record):
    """Sampling settings; None means "provider default", which is recorded and warned of."""

    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, gt=0)
    stop: tuple[str, ...] = ()
    reasoning_effort: str | None = None


class Timeouts(Record):
    """Limits in seconds for one attempt."""

    connect: float = Field(default=10.0, gt=0)
    first_token: float = Field(default=60.0, gt=0)
    idle: float = Field(default=30.0, gt=0)
    total: float = Field(default=300.0, gt=0)


class Limits(Record):
    """How hard an endpoint may be driven; None means no bucket of that kind."""

    concurrency: int | None = Field(default=None, gt=0)
    requests_per_minute: int | None = Field(default=None, gt=0)
    tokens_per_minute: int | None = Field(default=None, gt=0)


class Traits(Record):
    """What is stated of a model, not measured; a policy's requirements are judged by it.

    None means "not stated", which is neither yes nor no.
    """

    provider: str | None = None
    """Who serves it; where not stated, the host of `base_url`, else the target."""
    region: str | None = None
    """Where the data goes, for instance `eu`."""
    context_tokens: int | None = Field(default=None, gt=0)
    tools: bool | None = None
    vision: bool | None = None
    production: bool = False
    """It is what production runs; sweeps mark it."""


class Candidate(Record):
    """One versioned configuration under test.

    `options` is free for the target plug-in (for instance extra body fields,
    the chat style of a base model, or the path of recorded answers).
    """

    name: str = Field(min_length=1, max_length=100)
    target: str
    model: str = ""
    base_url: str | None = None
    revision: str | None = None
    api_key: SecretStr | None = Field(default=None, exclude=True)
    prompt: Prompt = Prompt()
    tools: tuple[Tool, ...] = ()
    response_schema: dict[str, Json] | None = None
    sampling: Sampling = Sampling()
    stream: bool = True
    options: dict[str, Json] = Field(default_factory=dict)
    price: Price | Literal["auto"] | None = "auto"
    timeouts: Timeouts = Timeouts()
    limits: Limits = Limits()
    traits: Traits = Traits()
    repeats: int | None = Field(default=None, gt=0, le=10_000)
    """At most this many repeats of each sample (for one whose answers do not vary)."""

    @field_serializer("options")
    def _without_secrets(self, options: dict[str, Json]) -> dict[str, Json]:
        made: dict[str, Json] = masked(options)
        return made

    @property
    def fingerprint(self) -> str:
        """Hash of all that can change an answer; not name, key, price, traits, time or limits."""
        return fingerprint(
            self.model_dump(
                mode="json",
                exclude={"name", "api_key", "price", "timeouts", "limits", "repeats", "traits"},
            )
        )

    @property
    def provider(self) -> str:
        """Who serves it: as stated, else the host it is asked at, else the kind of target."""
        host = urlsplit(self.base_url or "").netloc.rpartition("@")[2]
        return self.traits.provider or host or self.target

    @property
    def endpoint(self) -> str:
        """The rate-limit domain: candidates with the same endpoint share its limits."""
        return f"{self.target}|{self.base_url or ''}|{self.model if self.base_url is None else ''}"
