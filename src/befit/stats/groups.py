"""Rank groups from a matrix of significant pairs: letters, rank sets, the best set.

All three follow from the same corrected tests, so they can never contradict each
other. "Not different" is not transitive, so there are no hard tiers.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Bools


def _letter(index: int) -> str:
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, len(ascii_lowercase))
        text = ascii_lowercase[rest] + text
    return text


def _columns(significant: Bools) -> list[frozenset[int]]:
    count = len(significant)
    columns = [frozenset(range(count))]
    for a in range(count):
        for b in range(a + 1, count):
            if not significant[a, b]:
                continue
            split: list[frozenset[int]] = []
            for column in columns:
                split += [column - {a}, column - {b}] if {a, b} <= column else [column]
            # absorb: a column inside another says nothing more
            unique = sorted(set(split), key=len, reverse=True)
            columns = []
            for column in unique:
                if not any(column <= kept for kept in columns):
                    columns.append(column)
    return columns


def compact_letters(
    significant: npt.ArrayLike, *, order: Sequence[int] | None = None
) -> tuple[str, ...]:
    """Letters such that two candidates share one if and only if their pair is not significant.

    Insert-and-absorb (Piepho 2004). `significant` is a symmetric (M, M) matrix;
    `order` lists the candidates from best to worst, so that "a" is the best
    group. Past 26 groups the letters go on with "aa", and are then joined by ".".
    """
    table = np.asarray(significant, dtype=bool)
    ranked = list(range(len(table)) if order is None else order)
    place = {candidate: rank for rank, candidate in enumerate(ranked)}
    columns = sorted(_columns(table), key=lambda column: sorted(place[m] for m in column))
    glue = "." if len(columns) > len(ascii_lowercase) else ""
    return tuple(
        glue.join(_letter(i) for i, column in enumerate(columns) if candidate in column)
        for candidate in range(len(table))
    )


def rank_sets(better: npt.ArrayLike) -> tuple[tuple[int, int], ...]:
    """Smallest and largest rank (1 is best) each candidate may have.

    `better[i, j]` says that i is significantly better than j under family-wise
    control; the sets then hold all at once (Mogstad, Romano, Shaikh, Wilhelm 2024).
    """
    table = np.asarray(better, dtype=bool)
    above, below = table.sum(axis=0), table.sum(axis=1)
    count = len(table)
    return tuple(
        (1 + int(a), count - int(b)) for a, b in zip(above.tolist(), below.tolist(), strict=True)
    )


def best_set(better: npt.ArrayLike, *, depth: int = 1) -> tuple[int, ...]:
    """Candidates that may be among the best `depth`: their smallest possible rank allows it."""
    return tuple(i for i, (low, _) in enumerate(rank_sets(better)) if low <= depth)
