"""Who answered each trial, as small numbers: the instances that a provider tells of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from befit.analysis.columns import Ints, places
from befit.core.landed import Coded
from befit.core.route import read_route


class Instance(NamedTuple):
    """Who answered, by what the provider says of itself; None where it says nothing."""

    served_model: str | None
    system_fingerprint: str | None
    provider: str | None
    region: str | None
    session: str | None


class Instances(dict[tuple[str | None, str | None, str | None], int]):
    """The code of a served model, system fingerprint and route; each is read once."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Instance] = []

    def array(self, ways: Sequence[Sequence[str | None]]) -> Ints:
        """Return the codes of columns that are not empty."""
        size = len(ways[0])
        if all(isinstance(column, Coded) for column in ways):
            return self._coded([column for column in ways if isinstance(column, Coded)])
        if all(column.count(column[0]) == size for column in ways):
            return np.full(size, self[ways[0][0], ways[1][0], ways[2][0]], dtype=np.int64)
        told = zip(*ways, strict=True)
        return np.fromiter(map(self.__getitem__, told), dtype=np.int64, count=size)

    def _coded(self, ways: Sequence[Coded]) -> Ints:
        """Return the codes of packed columns: each way that occurs is looked up once."""
        joint = np.zeros(len(ways[0]), dtype=np.int64)
        for column in ways:
            joint = joint * len(column.names) + places(column)
        _, firsts, group = np.unique(joint, return_index=True, return_inverse=True)
        found = np.empty(len(firsts), dtype=np.int64)
        for at in np.argsort(firsts):  # numbered in the order in which they come first
            first = int(firsts[at])
            found[at] = self[ways[0][first], ways[1][first], ways[2][first]]
        return found[group]

    def __missing__(self, told: tuple[str | None, str | None, str | None]) -> int:
        model, system, route = told
        instance = Instance(model or None, system or None, *read_route(route))
        self[told] = code = len(self.found) if any(instance) else -1
        if code >= 0:
            self.found.append(instance)
        return code
