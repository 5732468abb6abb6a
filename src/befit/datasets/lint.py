"""What is wrong or thin about a set: each rule looks at its samples and says what it saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction

Severity = Literal["error", "warning", "note"]
_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lint:
    """One thing about a set, with the samples it is about."""

    code: str
    severity: Severity
    what: str
    do: str = ""
    samples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LintSet:
    """One set and what is known around it."""

    scenario: str
    samples: Sequence[Sample]
    """Live samples."""
    words: str = ""
    """What the set was called by; "" for the scenario's name."""
    spec: ScenarioSpec | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Where a candidate is told something (prompt, template, example) -> the text."""
    others: Mapping[str, Sequence[Sample]] = field(default_factory=dict)
    """Other scenario -> its live samples."""
    log_languages: Mapping[str, int] = field(default_factory=dict)
    log_pictures: int = 0
    strata: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Field -> value -> log lines, from the last sampling."""
    redaction: Redaction = field(default_factory=Redaction)
    """What counts as personal data here, and what is kept knowingly."""
    difference: float | None = None
    """The difference of two pass rates one wants to see."""


Rule = Callable[[LintSet, Redactor], Iterable[Lint]]


def run_rules(held: LintSet, rules: Iterable[Rule], *, redactor: Redactor) -> list[Lint]:
    """Return everything the rules see, errors first."""
    found = [one for rule in rules for one in rule(held, redactor)]
    return sorted(found, key=lambda one: _ORDER[one.severity])


def text_of(sample: Sample) -> str:
    """Return all a candidate is shown of a sample."""
    parts = list(sample.vars.values())
    if sample.turns:
        parts += [turn.user for turn in sample.turns]
    elif isinstance(sample.input, str):
        parts.append(sample.input)
    else:
        parts += [message.text for message in sample.input or ()]
    return "\n".join(parts)


def is_variant(sample: Sample) -> bool:
    """Whether a sample was made from another one: those are meant to be alike."""
    return any(tag.startswith("variant:") for tag in sample.tags)
