"""The shape of `befit.yaml` as written by people: the models behind its JSON Schema.

Candidates, run settings and policy are the core records themselves; scenarios
add the place of their samples, tiers lose their name (it is the key), and two
sections exist in files only: `defaults` and `matrix`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Discriminator, Field, Tag

from befit.core.candidate import Candidate, Prompt, Sampling
from befit.core.policy import Policy
from befit.core.record import Json, Record
from befit.core.run import RunSettings
from befit.core.scenario import ScenarioSpec
from befit.core.screening import ScreeningSettings
from befit.core.tier import Tier
from befit.datasets.redact_options import Redaction


class PythonSamples(Record):
    """Samples made by your own code."""

    python: str = Field(
        pattern=r"^[\w.]+:[\w.]+$",
        description="module:attr of a Dataset, or of a function that returns samples.",
    )


class ProbeSamples(Record):
    """Samples of a pack of probes, drawn from a seed at every reading."""

    probe: str = Field(description="A pack; see `befit probes list`.")
    seed: int = Field(default=0, description="Another seed gives other samples.")
    n: int = Field(default=40, ge=1, description="Items; some packs make several samples of each.")
    knobs: dict[str, str | int | float] = Field(
        default_factory=dict, description="Difficulty; 'a,b' lets values take turns."
    )


def _kind_of_samples(given: object) -> str:
    """Return which of the forms somebody means, so that only its mistakes are told."""
    if isinstance(given, str):
        return "as file"
    if isinstance(given, dict):
        return "as pack" if "probe" in given else "as code"
    if isinstance(given, Record):
        return "as pack" if isinstance(given, ProbeSamples) else "as code"
    return "as list"


class FileScenario(ScenarioSpec):
    """A scenario and where its samples are."""

    samples: Annotated[
        Annotated[str, Tag("as file")]
        | Annotated[PythonSamples, Tag("as code")]
        | Annotated[ProbeSamples, Tag("as pack")]
        | Annotated[tuple[dict[str, Json], ...], Tag("as list")],
        Discriminator(_kind_of_samples),
    ] = Field(
        description="Path of a JSONL, CSV, YAML or JSON file (relative to this file), the samples"
        " themselves as a list, {python: module:attr}, or {probe: NAME}."
    )


class FileTier(Tier):
    """A tier under its name."""

    name: str = ""


class Defaults(Record):
    """Keys laid under every candidate and every scenario; their own keys win."""

    candidates: dict[str, Json] = Field(default_factory=dict)
    scenarios: dict[str, Json] = Field(default_factory=dict)


class Matrix(Record):
    """Models x prompts x samplings, each combination a candidate."""

    name: str = Field(
        default="",
        description="Pattern of the names, from {model}, {prompt} and {sampling};"
        " by default those given, joined by '-'.",
    )
    models: dict[str, dict[str, Json]] = Field(
        min_length=1, description="Name -> keys of a candidate (target, model, base_url ...)."
    )
    prompts: dict[str, Prompt] = Field(default_factory=dict)
    samplings: dict[str, Sampling] = Field(default_factory=dict)
    exclude: tuple[dict[str, str], ...] = Field(
        default=(), description="Combinations to leave out, for instance {model: a, sampling: hot}."
    )


class ProjectFile(Record):
    """A befit project: what is compared, on which tasks, and what must be reached."""

    project: str = Field(min_length=1, max_length=100)
    candidates: tuple[Candidate, ...] = ()
    scenarios: tuple[FileScenario, ...]
    tiers: dict[str, FileTier] = Field(default_factory=dict)
    run: RunSettings = RunSettings()
    policy: Policy = Policy()
    redaction: Redaction = Redaction()
    screening: ScreeningSettings = ScreeningSettings()
    defaults: Defaults = Defaults()
    matrix: Matrix | tuple[Matrix, ...] = ()


CANDIDATE_HINTS: Mapping[str, str] = {
    "provider": "target",
    "type": "target",
    "key": "api_key",
    "token": "api_key",
    "url": "base_url",
    "endpoint": "base_url",
    "id": "name",
    "params": "sampling",
    "config": "options",
    "system": "prompt.system",
    "system_prompt": "prompt.system",
    "temperature": "sampling.temperature",
    "top_p": "sampling.top_p",
    "max_tokens": "sampling.max_tokens",
    "rate_limit": "limits",
    "timeout": "timeouts",
}
SCENARIO_HINTS: Mapping[str, str] = {
    "prompt": "template",
    "data": "samples",
    "dataset": "samples",
    "cases": "samples",
    "tests": "samples",
    "checks": "scorers",
    "metrics": "scorers",
    "assert": "scorers",
    "epochs": "repeats",
    "runs": "repeats",
    "task": "dimension",
    "capability": "dimension",
    "criteria": "success",
    "shots": "examples",
}
PROJECT_HINTS: Mapping[str, str] = {
    "name": "project",
    "models": "candidates",
    "providers": "candidates",
    "tests": "scenarios",
    "tasks": "scenarios",
    "settings": "run",
    "gates": "policy.gates",
}
