"""ANLS, partial credit for free text, and its form for trees of values.

ANLS: Biten et al. 2019, "Scene Text Visual Question Answering". ANLS*: Peer et
al. 2024, "ANLS* - A Universal Document Processing Metric". Texts are compared
in their normalised form.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from befit.core.record import Json
from befit.scorers.matching import best_pairs
from befit.scorers.normalise import normalised

THRESHOLD = 0.5
"""Texts that differ in half of their characters or more get nothing."""
MAX_TEXT = 20_000
"""Characters of a text that are compared: the distance is quadratic."""


def similarity(a: str, b: str) -> float:
    """Return 1 - edit distance / longer length of the normalised texts, 0..1."""
    return Levenshtein.normalized_similarity(normalised(a[:MAX_TEXT]), normalised(b[:MAX_TEXT]))


def anls(answer: str, references: Sequence[str]) -> float:
    """Return the ANLS of one answer: the best of its references, 0..1."""
    return max((_leaf(answer, reference) for reference in references), default=0.0)


def anls_tree(answer: Json, target: Json) -> float:
    """Return ANLS*: credit of all leaves over the number of leaves in either tree, 0..1.

    Missing and extra keys or items earn nothing and count; lists are compared
    in the pairing that earns most.
    """
    earned, leaves = _compare(answer, target)
    return earned / leaves if leaves else 1.0


def _leaf(answer: str, reference: str) -> float:
    alike = similarity(answer, reference)
    return alike if alike > THRESHOLD else 0.0


def _compare(answer: Json, target: Json) -> tuple[float, int]:
    if isinstance(answer, dict) and isinstance(target, dict):
        earned, leaves = 0.0, 0
        for key in {**target, **answer}:
            one, many = _compare(answer.get(key), target.get(key))
            both_none = answer.get(key) is None and target.get(key) is None
            earned, leaves = (earned + one, leaves + (1 if both_none else many))
        return earned, leaves
    if isinstance(answer, list) and isinstance(target, list):
        return _lists(answer, target)
    if answer is None and target is None:
        return 1.0, 1
    if isinstance(answer, dict | list) or isinstance(target, dict | list):
        return 0.0, max(_size(answer), _size(target))
    if answer is None or target is None:
        return 0.0, 1
    return _leaf(_text(answer), _text(target)), 1


def _lists(answer: list[Json], target: list[Json]) -> tuple[float, int]:
    table = [[_compare(mine, wanted) for wanted in target] for mine in answer]
    pairs = best_pairs([[earned / max(1, leaves) for earned, leaves in row] for row in table])
    rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
    earned = sum(table[row][column][0] for row, column in pairs)
    leaves = sum(table[row][column][1] for row, column in pairs)
    leaves += sum(_size(item) for place, item in enumerate(answer) if place not in rows)
    leaves += sum(_size(item) for place, item in enumerate(target) if place not in columns)
    return earned, leaves


def _size(value: Json) -> int:
    if isinstance(value, dict):
        return sum(_size(item) for item in value.values())
    if isinstance(value, list):
        return sum(_size(item) for item in value)
    return 1


def _text(value: Json) -> str:
    return value if isinstance(value, str) else str(value)
