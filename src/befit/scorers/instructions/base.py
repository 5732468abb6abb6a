"""What an instruction is: a validated record that becomes a check, once, for many answers.

Each kind is one class in a family file beside this one: its fields are what the
user writes, `checker()` compiles them (regular expressions included) into a
function from an answer to a finding. Checks are pure and never raise on any text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import Field, model_validator

from befit.core.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a check looks at: the candidate's text and what was asked of it."""

    text: str
    asked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether an instruction holds, and what was found, in words for a reader.

    `span` is the passage that decided it, in characters of the answer: the
    first offence when it does not hold, the first match when it does.
    """

    held: bool
    found: str
    span: tuple[int, int] | None = None


Check: TypeAlias = Callable[[Answer], Finding]


class Instruction(Record):
    """The base of every kind; a kind adds `kind` and its own fields."""

    kind: str
    id: str | None = Field(default=None, min_length=1, max_length=100)
    """The name of this instruction in scores; by default its kind."""

    def checker(self) -> Check:
        """Compile this instruction into a check."""
        raise TypeError(f"instruction kind '{self.kind}' has no check")

    @property
    def rule(self) -> str:
        """The instruction in one line, its kind and what was set: `words at_least=300`."""
        given = self.model_dump(exclude={"kind", "id"}, exclude_none=True, exclude_defaults=True)
        return " ".join([self.kind, *(f"{name}={value!r}" for name, value in given.items())])


class Amount(Instruction):
    """The base of kinds that count something; all the bounds that are given must hold."""

    at_least: int | None = Field(default=None, ge=0)
    at_most: int | None = Field(default=None, ge=0)
    less_than: int | None = Field(default=None, ge=1)
    more_than: int | None = Field(default=None, ge=0)
    exactly: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _bounded(self) -> Amount:
        if not self.bounds():
            raise ValueError(
                "give at least one of 'at_least', 'at_most', 'less_than', 'more_than', 'exactly'"
            )
        low, high = self.limits()
        if high is not None and low > high:
            raise ValueError(f"no count can be {self.wanted()}")
        return self

    def bounds(self) -> dict[str, int]:
        """The bounds that are given, by name."""
        names = ("at_least", "at_most", "less_than", "more_than", "exactly")
        found = {name: getattr(self, name) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def limits(self) -> tuple[int, int | None]:
        """The smallest and the largest count allowed (None: no largest)."""
        lows, highs = [0], []
        for name, value in self.bounds().items():
            if name in {"at_least", "exactly"}:
                lows.append(value)
            if name in {"at_most", "exactly"}:
                highs.append(value)
            if name == "more_than":
                lows.append(value + 1)
            if name == "less_than":
                highs.append(value - 1)
        return max(lows), min(highs) if highs else None

    def wanted(self) -> str:
        """The bounds in words: `at least 300 and less than 400`."""
        return " and ".join(
            f"{name.replace('_', ' ')} {value}" for name, value in self.bounds().items()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Turns a count into a finding, with the bounds worked out beforehand."""

    low: int
    high: int | None
    wanted: str
    noun: str

    def __call__(self, count: int, *, span: tuple[int, int] | None = None) -> Finding:
        """Return the finding for `count`; `span` is the first thing counted."""
        held = self.low <= count and (self.high is None or count <= self.high)
        return Finding(held=held, found=f"{count} {self.noun}, {self.wanted} asked", span=span)


def judge(amount: Amount, noun: str) -> Judge:
    """Return the judge of `amount`; `noun` names what is counted, in the plural."""
    low, high = amount.limits()
    return Judge(low=low, high=high, wanted=amount.wanted(), noun=noun)
