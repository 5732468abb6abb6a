"""Freshly made items of the same kind: short stories of so many steps, with their answers."""

from __future__ import annotations

import random
from collections.abc import Callable

from befit.core.record import Json
from befit.probes.perturb_choice import Choice
from befit.probes.perturb_numbers import as_fraction

_NAMES = [
    "Ingrid",
    "Leila",
    "Noor",
    "Mirela",
    "Amara",
    "Yuki",
    "Anders",
    "Tariq",
    "Olumide",
    "Mateo",
    "Kofi",
    "Otto",
]
_PLACES = (
    ("a stall", "jars of honey", "customer"),
    ("a workshop", "clay bowls", "visitor"),
    ("a library", "atlases", "school"),
    ("an orchard", "crates of pears", "baker"),
    ("a garage", "bicycle tyres", "courier"),
    ("a nursery", "tomato plants", "gardener"),
)
_LEAST_LEFT = 3

Event = Callable[[int, random.Random, str, str], tuple[str, int]]


def _gain(total: int, rng: random.Random, things: str, _who: str) -> tuple[str, int]:
    more = rng.randint(4, 30)
    return f"A delivery brings {more} more {things}.", total + more


def _loss(total: int, rng: random.Random, things: str, who: str) -> tuple[str, int]:
    less = rng.randint(1, max(1, total - _LEAST_LEFT))
    return f"Then a {who} takes {less} of the {things}.", total - less


def _boxes(total: int, rng: random.Random, things: str, _who: str) -> tuple[str, int]:
    boxes, each = rng.randint(2, 9), rng.randint(3, 12)
    return f"After that, {boxes} shelves are filled with {each} further {things} each.", (
        total + boxes * each
    )


def _broken(total: int, rng: random.Random, things: str, _who: str) -> tuple[str, int]:
    each = rng.randint(2, 4)
    days = rng.randint(1, max(1, (total - _LEAST_LEFT) // each))
    day = "day" if days == 1 else "days"
    return f"Over the next {days} {day}, {each} {things} are thrown away per day.", (
        total - days * each
    )


_EVENTS: tuple[tuple[int, Event], ...] = ((1, _gain), (1, _loss), (2, _boxes), (2, _broken))
"""Steps of arithmetic that each event takes."""


def fresh_problem(steps: int, rng: random.Random) -> tuple[str, Json]:
    """Return a story of so many steps of arithmetic (1 to 8) with its answer."""
    name = rng.choice(_NAMES)
    place, things, who = rng.choice(_PLACES)
    total = rng.randint(12, 60)
    lines = [f"{name} runs {place} and starts the week with {total} {things}."]
    left = min(max(steps, 1), 8)
    while left > 0:
        cost, event = rng.choice([pair for pair in _EVENTS if pair[0] <= left])
        if total <= _LEAST_LEFT + 4:
            cost, event = _EVENTS[0]
        line, total = event(total, rng, things, who)
        lines.append(line)
        left -= cost
    lines.append(f"How many {things} does {name} have now?")
    return " ".join(lines), str(total)


def fresh_choice(choice: Choice, target: Json, rng: random.Random) -> tuple[str, Json] | str:
    """Return a fresh item with as many numbers to choose from; only where options are numbers."""
    if choice.right(target) is None:
        return "its target is none of its options"
    if any(as_fraction(option) is None for option in choice.options):
        return "fresh items can be made only where all options are numbers"
    text, answer = fresh_problem(rng.randint(2, 4), rng)
    right = int(str(answer))
    near = [right + d for d in (-10, -4, -3, -2, -1, 1, 2, 3, 4, 10) if right + d > 0]
    values = [*rng.sample(near, len(choice.options) - 1), right]
    rng.shuffle(values)
    place = values.index(right)
    letter = choice.letters[place]
    made = choice.text(tuple(map(str, values)), before=text + "\n")
    by_letter = isinstance(target, str) and as_fraction(target) is None
    return made, letter if by_letter else str(right)
