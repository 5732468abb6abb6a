"""Puzzles of logic with exactly one solution, found by trying all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from random import Random

from befit.probes.wording import NAMES

_TRIES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Puzzle:
    """The text with its question, and the one right answer."""

    text: str
    answer: str


Row = tuple[str, ...]
Clue = tuple[str, Callable[[Row], bool]]


def ordering(rng: Random, count: int) -> Puzzle:
    """Return who stands where in a row, from clues that leave one order."""
    people = rng.sample(NAMES, count)
    row = tuple(rng.sample(people, count))
    clues = _enough(rng, _row_clues(row), list(permutations(people)), row)
    place = rng.randrange(count)
    where = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")[place]
    text = f"{_listed(people)} stand in a row. {' '.join(clues)} Who is {where} from the left?"
    return Puzzle(text=text, answer=row[place])


def seating(rng: Random, count: int) -> Puzzle:
    """Return who sits next to whom at a round table."""
    people = rng.sample(NAMES, count)
    rest = rng.sample(people[1:], count - 1)
    row = (people[0], *rest)
    orders = [(people[0], *order) for order in permutations(people[1:])]
    clues = _enough(rng, _round_clues(row), orders, row)
    place = rng.randrange(count)
    text = (
        f"{_listed(people)} sit at a round table, facing the middle. {' '.join(clues)}"
        f" Who sits directly to the left of {row[place]}?"
    )
    return Puzzle(text=text, answer=row[(place + 1) % count])


def truth(rng: Random, count: int) -> Puzzle:
    """Return which of some people is the only liar, or the only one to tell the truth."""
    people = rng.sample(NAMES, count)
    for _ in range(_TRIES):
        said = [_claim(rng, place, count) for place in range(count)]
        worlds = [
            world
            for world in product((True, False), repeat=count)
            if all(
                world[who] == (world[about] == honest) for who, (about, honest) in enumerate(said)
            )
        ]
        single = [world for world in worlds if sum(world) == 1]
        if len(single) == 1:
            break
    else:
        raise RuntimeError("no settled puzzle of truth and lies in so many tries")
    spoken = [
        f'{people[who]} says: "{people[about]} {"tells the truth" if honest else "lies"}."'
        for who, (about, honest) in enumerate(said)
    ]
    text = (
        f"Of {_listed(people)}, exactly one always tells the truth; the others always lie."
        f" {' '.join(spoken)} Who tells the truth?"
    )
    return Puzzle(text=text, answer=people[single[0].index(True)])


def _claim(rng: Random, who: int, count: int) -> tuple[int, bool]:
    about = rng.choice([place for place in range(count) if place != who])
    return about, rng.random() < 0.3  # noqa: PLR2004 - mostly accusations, which settle more


def _row_clues(row: Row) -> list[Clue]:
    clues: list[Clue] = []
    for place, who in enumerate(row):
        clues += [
            (f"{who} stands somewhere to the left of {other}.", _before(who, other))
            for other in row[place + 1 :]
        ]
        if place + 1 < len(row):
            after = row[place + 1]
            clues.append((f"{after} stands directly to the right of {who}.", _next(who, after)))
        if place not in {0, len(row) - 1}:
            clues.append((f"{who} stands at neither end.", _inner(who)))
    return clues


def _round_clues(row: Row) -> list[Clue]:
    count = len(row)
    clues: list[Clue] = []
    for place, who in enumerate(row):
        left, right = row[(place + 1) % count], row[place - 1]
        pair = sorted((left, right))
        clues.append((f"{left} sits directly to the left of {who}.", _left(who, left)))
        clues.append((f"{who} sits between {pair[0]} and {pair[1]}.", _between(who, left, right)))
        clues += [
            (f"{who} does not sit next to {other}.", _apart(who, other))
            for other in row
            if other not in {who, left, right} and who < other
        ]
    return clues


def _enough(rng: Random, clues: Sequence[Clue], orders: Sequence[Row], row: Row) -> list[str]:
    """Return drawn clues that leave one order; a clue that excludes nothing is left out."""
    left = list(orders)
    told: list[str] = []
    for text, holds in rng.sample(clues, len(clues)):
        fewer = [order for order in left if holds(order)]
        if len(fewer) < len(left):
            left = fewer
            told.append(text)
        if len(left) == 1:
            break
    assert left == [row], "the clues of a row settle it"  # noqa: S101 - shown by construction
    return told


def _before(a: str, b: str) -> Callable[[Row], bool]:
    return lambda row: row.index(a) < row.index(b)


def _next(a: str, b: str) -> Callable[[Row], bool]:
    return lambda row: row.index(b) == row.index(a) + 1


def _inner(a: str) -> Callable[[Row], bool]:
    return lambda row: row.index(a) not in {0, len(row) - 1}


def _left(a: str, b: str) -> Callable[[Row], bool]:
    return lambda row: row.index(b) == (row.index(a) + 1) % len(row)


def _between(a: str, b: str, c: str) -> Callable[[Row], bool]:
    return lambda row: (
        {
            row[(row.index(a) + 1) % len(row)],
            row[row.index(a) - 1],
        }
        == {b, c}
    )


def _apart(a: str, b: str) -> Callable[[Row], bool]:
    return lambda row: (row.index(a) - row.index(b)) % len(row) not in {1, len(row) - 1}


def _listed(people: Sequence[str]) -> str:
    return f"{', '.join(people[:-1])} and {people[-1]}"
