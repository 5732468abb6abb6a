"""Two pieces of data against each other: which values are right, and each difference in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from befit.core.record import Json
from befit.scorers.evidence import quoted
from befit.scorers.matching import best_pairs
from befit.scorers.normalise import squeezed

_PAIRED = 60
"""Lists up to this length are paired at best where their order is free."""
_WORK = 1_000_000
"""And only where both hold so few values: every item is compared with every other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What counts as the same."""

    types: bool
    ordered: bool
    columns: bool
    single_is_list: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference: `missing`, `extra`, `changed`, `wrong_type` or `wrong_order`."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How many values are right, of all in either, and what differs."""

    right: int
    total: int
    differences: tuple[Difference, ...]

    @property
    def share(self) -> float:
        """Right values over all values of either side; 1 where there are none."""
        if not self.total:
            return 0.0 if self.differences else 1.0
        return self.right / self.total


def compare(answer: Json, target: Json, ways: Ways) -> Compared:
    """Compare all values; extra and missing ones count as wrong."""
    right = total = 0
    differences: list[Difference] = []
    for one in _walk(answer, target, "", ways):
        if one is None:
            right += 1
            total += 1
            continue
        size, difference = one
        total += size
        differences.append(difference)
    return Compared(right=right, total=total, differences=tuple(differences))


_Step = tuple[int, Difference] | None
"""None: one value that is right; else how many values are wrong, and why."""


def _walk(answer: Json, target: Json, path: str, ways: Ways) -> Iterator[_Step]:
    if ways.single_is_list and isinstance(answer, list) != isinstance(target, list):
        answer, target = _listed(answer), _listed(target)
    if isinstance(answer, dict) and isinstance(target, dict):
        yield from _mappings(answer, target, path, ways)
    elif isinstance(answer, list) and isinstance(target, list):
        yield from _lists(answer, target, path, ways)
    elif isinstance(answer, dict | list) or isinstance(target, dict | list):
        text = f"{path or 'the whole'}: {_kind(answer)} for {_kind(target)}"
        size = max(_size(answer), _size(target), 1)
        yield size, Difference(label="wrong_shape", text=text)
    else:
        yield _leaf(answer, target, path, ways)


def _mappings(
    answer: dict[str, Json], target: dict[str, Json], path: str, ways: Ways
) -> Iterator[_Step]:
    both = [key for key in target if key in answer]
    if ways.columns and both != [key for key in answer if key in target]:
        yield 0, Difference(label="wrong_order", text=f"{path or 'row'}: order of the columns")
    for key, value in target.items():
        at = f"{path}.{key}" if path else key
        if key in answer:
            yield from _walk(answer[key], value, at, ways)
        else:
            yield max(1, _size(value)), Difference(label="missing", text=f"{at[:80]} is missing")
    for key, value in answer.items():
        if key not in target:
            at = f"{path}.{key}" if path else key
            yield max(1, _size(value)), Difference(label="extra", text=f"{at[:80]} is extra")


def _lists(answer: list[Json], target: list[Json], path: str, ways: Ways) -> Iterator[_Step]:
    pairs = [(place, place) for place in range(min(len(answer), len(target)))]
    small = max(len(answer), len(target)) <= _PAIRED and _size(answer) * _size(target) <= _WORK
    if small and (not ways.ordered or len(answer) != len(target)):
        pairs = _aligned(answer, target, ways)
    for row, column in sorted(pairs, key=lambda pair: pair[1]):
        yield from _walk(answer[row], target[column], f"{path}[{column + 1}]", ways)
    rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
    for column, value in enumerate(target):
        if column not in columns:
            text = f"{path}[{column + 1}] is missing"
            yield max(1, _size(value)), Difference(label="missing", text=text)
    for row, value in enumerate(answer):
        if row not in rows:
            text = f"{path}[{row + 1}] of the answer is extra"
            yield max(1, _size(value)), Difference(label="extra", text=text)


def _aligned(answer: list[Json], target: list[Json], ways: Ways) -> list[tuple[int, int]]:
    """Pair items at best; where order counts, only in it.

    So one lost row does not make all rows after it wrong.
    """
    gains = [[compare(mine, wanted, ways).share for wanted in target] for mine in answer]
    if not ways.ordered:
        return best_pairs(gains)
    rows, columns = len(answer), len(target)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            together = gains[i][j] + best[i + 1][j + 1]
            best[i][j] = max(together, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if best[i][j] == gains[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _leaf(answer: Json, target: Json, path: str, ways: Ways) -> _Step:
    if ways.types:
        if _type(answer) != _type(target):
            text = f"{path or 'the value'}: {quoted(answer)} for {quoted(target)}"
            label = "wrong_type" if _same_text(answer, target) else "changed"
            return 1, Difference(label=label, text=text)
        same = answer == target
    else:
        same = _same_text(answer, target)
    if same:
        return None
    text = f"{path or 'the value'}: {quoted(answer)} for {quoted(target)}"
    return 1, Difference(label="changed", text=text)


def _same_text(answer: Json, target: Json) -> bool:
    a, b = _text(answer), _text(target)
    if a == b:
        return True
    if isinstance(answer, str) and isinstance(target, str):
        return False  # "007" is not "7"
    first, second = _number(a), _number(b)
    return first is not None and first == second


def _text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = squeezed(value) if isinstance(value, str) else str(value)
    return text.lower() if text.lower() in {"true", "false"} else text


def _number(text: str) -> Decimal | None:
    try:
        value = Decimal(text[:60])
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _type(value: Json) -> str:
    if value is None or isinstance(value, bool):
        return type(value).__name__
    return "number" if isinstance(value, int | float) else "text"


def _kind(value: Json) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else f"the value {quoted(value)}"


def _listed(value: Json) -> list[Json]:
    if isinstance(value, list):
        return value
    return [] if value in (None, "") else [value]


def _size(value: Json) -> int:
    if isinstance(value, dict):
        return sum(_size(item) for item in value.values())
    if isinstance(value, list):
        return sum(_size(item) for item in value)
    return 1
