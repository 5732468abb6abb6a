"""Word problems from templates: drawn names and numbers, so many steps, one answer."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from befit.probes.wording import CITIES, NAMES, THINGS

_LEAST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A problem in sentences: each is one step, the first one gives the start."""

    who: str
    things: str
    sentences: tuple[str, ...]
    question: str
    answer: int
    wrong: int
    """What comes out when the last step is forgotten: a likely mistake."""

    @property
    def text(self) -> str:
        """The whole problem in one piece."""
        return " ".join((*self.sentences, self.question))


def story(rng: Random, steps: int) -> Story:
    """Return a problem of `steps` steps after its start; all numbers stay whole and positive."""
    who, things = rng.choice(NAMES), rng.choice(THINGS)
    total = rng.randint(20, 60)
    sentences = [f"{who} has {total} {things}."]
    before = total
    for _ in range(steps):
        before = total
        text, total = _step(rng, who, things, total)
        sentences.append(text)
    return Story(
        who=who,
        things=things,
        sentences=tuple(sentences),
        question=f"How many {things} does {who} have now?",
        answer=total,
        wrong=before if before != total else total + 1,
    )


def _step(rng: Random, who: str, things: str, total: int) -> tuple[str, int]:
    kinds = ["gain", "boxes"]
    kinds += ["loss"] if total > _LEAST * 10 else []
    kinds += ["double"] if total < 200 else []  # noqa: PLR2004 - numbers stay small
    divisors = [d for d in (2, 3, 4, 5) if total % d == 0 and total // d > _LEAST]
    kinds += ["share"] if divisors and total > 60 else []  # noqa: PLR2004 - the same
    kind = rng.choice(kinds)
    if kind == "gain":
        more = rng.randint(3, 40)
        return f"{who} buys {more} more {things}.", total + more
    if kind == "loss":
        less = rng.randint(2, total - 10)
        return f"{who} gives {less} {things} away.", total - less
    if kind == "boxes":
        boxes, each = rng.randint(2, 9), rng.randint(2, 9)
        return f"{who} is sent {boxes} boxes with {each} {things} in each.", total + boxes * each
    if kind == "double":
        return f"The number of {things} {who} has is doubled.", total * 2
    divisor = rng.choice(divisors)
    text = f"{who} shares the {things} out in {divisor} equal parts and keeps one of them."
    return text, total // divisor


def irrelevant(rng: Random, about: Story) -> str:
    """Return a clause with numbers that has nothing to do with the answer."""
    other = rng.choice([name for name in NAMES if name != about.who])
    number = rng.randint(2, 50)
    return rng.choice(
        (
            f"{other}, who lives in {rng.choice(CITIES)}, is {number} years old.",
            f"{number} of the {about.things} are a little smaller than the others.",
            f"The road to {rng.choice(CITIES)} is {number} kilometres long.",
            f"{other} once saw {number} {about.things} in a shop window.",
        )
    )
