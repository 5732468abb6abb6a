"""Compact columns: numbers for texts, arrays for numbers.

A million trials pass through here one chunk at a time, so the loops are those
of C: a `dict` that numbers what it has not seen, `numpy.fromiter`, `zip`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from befit.core.landed import Coded

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

CHUNK = 10_000
_POSITIVE = (1 << 62) - 1
_Row = TypeVar("_Row")


def chunks(rows: Iterable[_Row], size: int = CHUNK) -> Iterator[list[_Row]]:
    """Yield `rows` in lists of at most `size`."""
    left = iter(rows)
    while part := list(islice(left, size)):
        yield part


class Codes(dict[str | None, int]):
    """Gives each distinct text a small number in order of first appearance; -1 for None."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        super().__init__({None: -1})
        self.names: list[str] = []
        for name in dict.fromkeys(known):
            self.__missing__(name)

    def __missing__(self, name: str | None) -> int:
        if name is None:
            return -1
        self[name] = code = len(self.names)
        self.names.append(name)
        return code

    def of(self, column: Iterable[str | None]) -> Iterator[int]:
        """Return the numbers of a column."""
        return map(self.__getitem__, column)

    def array(self, column: Sequence[str | None]) -> Ints:
        """Return the numbers of a column that is not empty, quickly where it has one value."""
        if isinstance(column, Coded):
            return self.array(column.names)[places(column)]
        if column.count(column[0]) == len(column):
            return np.full(len(column), self[column[0]], dtype=np.int64)
        return np.fromiter(self.of(column), dtype=np.int64, count=len(column))


def places(column: Coded) -> Ints:
    """Return the place among a column's texts of each of its rows."""
    return np.frombuffer(column.codes, dtype=column.codes.typecode).astype(np.int64)


def float_array(column: Sequence[Any]) -> Floats:
    """Return numbers, nan for None."""
    if isinstance(column, array):
        return np.array(column, dtype=np.float64)
    if column.count(None) == len(column):
        return np.full(len(column), np.nan)
    return np.array(column, dtype=np.float64)


def answer_array(answers: Sequence[str | None]) -> Ints:
    """Return numbers that are the same for equal answers (within this process); -1 for None."""
    if isinstance(answers, Coded):
        return answer_array(answers.names)[places(answers)]
    codes = np.fromiter(map(hash, answers), dtype=np.int64, count=len(answers)) & _POSITIVE
    if None in answers:
        codes[[answer is None for answer in answers]] = -1
    return np.asarray(codes, dtype=np.int64)
