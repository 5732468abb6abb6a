"""Answers with a prescribed make-up: two responses, the request repeated, one of given phrases."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator

from befit.scorers.instructions.base import Answer, Check, Finding, Instruction
from befit.scorers.instructions.text import composed, whole_word
from befit.scorers.patterns import Pattern, check_pattern


class TwoResponses(Instruction):
    """Exactly two different responses, parted by the separator and nothing else."""

    kind: Literal["two_responses"] = "two_responses"
    separator: str = Field(default="******", min_length=1)

    def checker(self) -> Check:
        """Compile."""
        separator = composed(self.separator)

        def check(answer: Answer) -> Finding:
            parts = [part.strip() for part in answer.text.split(separator)]
            if any(not part for part in parts[1:-1]):
                return Finding(held=False, found="an empty response between two separators")
            responses = [part for part in parts if part]
            if len(responses) != 2:  # noqa: PLR2004 - two is the rule itself
                return Finding(held=False, found=f"{len(responses)} responses, two asked")
            same = responses[0] == responses[1]
            found = "the two responses are the same" if same else "two different responses"
            return Finding(held=not same, found=found)

        return check


class RepeatPrompt(Instruction):
    """The answer begins with the request, word for word, in any case.

    `prompt` is the part to repeat; by default the sample's whole input.
    """

    kind: Literal["repeat_prompt"] = "repeat_prompt"
    prompt: str | None = Field(default=None, min_length=1)

    def checker(self) -> Check:
        """Compile."""
        fixed = composed(self.prompt) if self.prompt else ""

        def check(answer: Answer) -> Finding:
            wanted = (fixed or answer.asked).strip().casefold()
            held = bool(wanted) and answer.text.strip().casefold().startswith(wanted)
            return Finding(held=held, found=f"begins '{answer.text.strip()[:60]}'")

        return check


class OneOf(Instruction):
    """The answer is one of these phrases; with `alone` off it need only contain one of them."""

    kind: Literal["one_of"] = "one_of"
    options: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]
    alone: bool = True
    case_sensitive: bool = True

    def checker(self) -> Check:
        """Compile."""
        texts = sorted((composed(option.strip()) for option in self.options), key=len, reverse=True)
        flags = 0 if self.case_sensitive else re.IGNORECASE
        # As whole words: the option `A` does not stand in `Answer`.
        pattern = re.compile("|".join(map(whole_word, texts)), flags)

        def check(answer: Answer) -> Finding:
            match = pattern.search(answer.text)
            if match is None:
                return Finding(held=False, found="none of the phrases")
            held = not self.alone or pattern.fullmatch(answer.text.strip()) is not None
            found = f"'{match[0]}'" if held else f"'{match[0]}' and more around it"
            return Finding(held=held, found=found, span=match.span())

        return check


class Matches(Instruction):
    """A regular expression is found in the answer; with `whole` it must match all of it."""

    kind: Literal["matches"] = "matches"
    pattern: str = Field(min_length=1)
    whole: bool = False
    ignore_case: bool = False

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        return check_pattern(pattern)

    def checker(self) -> Check:
        """Compile."""
        pattern = Pattern(self.pattern, ignore_case=self.ignore_case)

        def check(answer: Answer) -> Finding:
            text = answer.text
            match = pattern.fullmatch(text.strip()) if self.whole else pattern.search(text)
            if match is None:
                return Finding(held=False, found="no match")
            shift = len(text) - len(text.lstrip()) if self.whole else 0
            start, end = match.span()
            return Finding(held=True, found="matches", span=(start + shift, end + shift))

        return check
