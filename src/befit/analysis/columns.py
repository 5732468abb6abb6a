"""Compact columns: numbers for texts, arrays for numbers, one buffer for many short texts.

A million trials pass through here one chunk at a time, so the loops are those
of C: a `dict` that numbers what it has not seen, `array.extend`, `zip`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

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
        super().__init__()
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


def extend_floats(into: array[float], column: Sequence[Any]) -> None:
    """Append numbers, nan for None."""
    into.frombytes(np.array(column, dtype=np.float64).tobytes())


def answer_code(answer: str | None) -> int:
    """Return a number that is the same for equal answers (within this process); -1 for None."""
    return -1 if answer is None else hash(answer) & _POSITIVE


class Texts:
    """Many short texts in one buffer: some bytes each instead of a Python object each."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ends = array("q")

    def extend(self, texts: Sequence[str]) -> None:
        """Append texts."""
        start = len(self._bytes)
        joined = "".join(texts)
        lengths = [len(text) for text in texts]
        if not joined.isascii():
            lengths = [len(text.encode("utf-8", "surrogatepass")) for text in texts]
        self._bytes += joined.encode("utf-8", "surrogatepass")
        ends = start + np.cumsum(np.array(lengths, dtype=np.int64))
        self._ends.frombytes(ends.tobytes())

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, index: int) -> str:
        start = self._ends[index - 1] if index else 0
        return self._bytes[start : self._ends[index]].decode("utf-8", "surrogatepass")


def as_ints(column: array[int]) -> Ints:
    """Return a column of whole numbers as an array, without copying."""
    return np.frombuffer(column, dtype=np.int64) if len(column) else np.empty(0, dtype=np.int64)


def as_float_array(column: array[float]) -> Floats:
    """Return a column of numbers as an array, without copying."""
    return np.frombuffer(column, dtype=np.float64) if len(column) else np.empty(0)
