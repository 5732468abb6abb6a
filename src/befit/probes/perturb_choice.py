"""Multiple choice: finding the options of an item and putting them in another order."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from befit.core.record import Json

_OPTION = re.compile(r"^(?P<mark>\s*\(?(?P<letter>[A-J])[.):]\s+)(?P<text>\S.*?)\s*$", re.MULTILINE)
_PLACES = re.compile(
    r"\b(all|none|both|neither|either|any) of (the|these)\b|\b(above|below)\b"
    r"|\b(both|either|neither)\b.*\b[A-J]\b|^[A-J]( and | or |, )[A-J]\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\s*\(?([A-J])[.):]?\s*")
FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An item with its options in order; `marks` is what stands before each (`A. `)."""

    before: str
    marks: tuple[str, ...]
    letters: tuple[str, ...]
    options: tuple[str, ...]
    after: str

    def text(self, options: tuple[str, ...], *, before: str | None = None) -> str:
        """Return the item with these options."""
        lines = (mark + option for mark, option in zip(self.marks, options, strict=True))
        head = self.before if before is None else before
        return head + "\n".join(lines) + self.after

    def right(self, target: Json) -> int | None:
        """Return the place of the right option; None where the target names none of them."""
        if not isinstance(target, str):
            return None
        found = _LETTER.fullmatch(target)
        if found and found[1] in self.letters:
            return self.letters.index(found[1])
        plain = target.strip().lower()
        places = [i for i, option in enumerate(self.options) if option.strip().lower() == plain]
        return places[0] if len(places) == 1 else None


def read_choice(text: str) -> Choice | None:
    """Return the options of an item, lines `A. ...` in a row; None where there are none."""
    found = list(_OPTION.finditer(text))
    letters = tuple(match["letter"] for match in found)
    wanted = tuple("ABCDEFGHIJ"[: len(letters)])
    if len(found) < FEWEST or letters != wanted:
        return None
    marks = tuple(match["mark"].lstrip("\n") for match in found)
    start = found[0].start() + len(found[0]["mark"]) - len(marks[0])
    between = text[found[0].start() : found[-1].end()]
    if any(line.strip() and not _OPTION.match(line) for line in between.split("\n")):
        return None
    return Choice(
        before=text[:start],
        marks=marks,
        letters=letters,
        options=tuple(match["text"] for match in found),
        after=text[found[-1].end() :],
    )


def reordered(choice: Choice, target: Json, rng: random.Random) -> tuple[str, Json] | str:
    """Return the item with its options in another order, and where the right one went.

    The right option always moves, so that knowing the letter is of no use.
    """
    right = choice.right(target)
    if right is None:
        return "its target is none of its options"
    if any(_PLACES.search(option) for option in choice.options):
        return "an option speaks of the places of others"
    places = list(range(len(choice.options)))
    while places[right] == right:
        rng.shuffle(places)
    options = tuple(choice.options[i] for i in places)
    now = places.index(right)
    by_letter = isinstance(target, str) and _LETTER.fullmatch(target) is not None
    new = str(target).replace(choice.letters[right], choice.letters[now]) if by_letter else target
    return choice.text(options), new
