"""The best one-to-one pairing of two lists (the assignment problem), for short lists."""

from __future__ import annotations

from collections.abc import Sequence

MAX_ITEMS = 100
"""Longer lists are paired in their order: the exact method is cubic."""


def best_pairs(gains: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the pairs (row, column) with the largest total gain, each used at most once.

    Hungarian method with potentials (Kuhn 1955; Jonker and Volgenant 1987), on
    the rows or columns whichever are fewer.
    """
    rows, columns = len(gains), len(gains[0]) if gains else 0
    if not rows or not columns:
        return []
    if max(rows, columns) > MAX_ITEMS:
        return [(place, place) for place in range(min(rows, columns))]
    if rows > columns:
        turned = [[gains[row][column] for row in range(rows)] for column in range(columns)]
        return sorted((row, column) for column, row in best_pairs(turned))
    row_of = _assign([[-gain for gain in row] for row in gains])
    return sorted((row, column) for column, row in enumerate(row_of) if row is not None)


def _assign(costs: list[list[float]]) -> list[int | None]:
    """Return for each column its row (or None) at least total cost; rows <= columns."""
    board = _Board(costs)
    for row in range(len(costs)):
        board.place(row)
    return board.row_of


class _Board:
    """The state of the Hungarian method: who has which column, and the prices so far."""

    def __init__(self, costs: list[list[float]]) -> None:
        self.costs = costs
        self.width = len(costs[0])
        self.row_of: list[int | None] = [None] * self.width
        self.row_price = [0.0] * len(costs)
        self.column_price = [0.0] * self.width

    def place(self, row: int) -> None:
        """Give `row` a column, moving others along the cheapest chain of changes."""
        slack, came_from = [float("inf")] * self.width, [-1] * self.width
        done = [False] * self.width
        column, current = -1, row
        while True:
            nearest = self._nearest(current, column, slack, came_from, done=done)
            delta = slack[nearest]
            self.row_price[row] += delta
            for other in range(self.width):
                owner = self.row_of[other]
                if not done[other]:
                    slack[other] -= delta
                elif owner is not None:
                    self.row_price[owner] += delta
                    self.column_price[other] -= delta
            column = nearest
            done[column] = True
            owner = self.row_of[column]
            if owner is None:
                break
            current = owner
        while column >= 0:
            before = came_from[column]
            self.row_of[column] = row if before < 0 else self.row_of[before]
            column = before

    def _nearest(
        self, row: int, column: int, slack: list[float], came_from: list[int], *, done: list[bool]
    ) -> int:
        """Update what the open columns cost from `row`, and return the cheapest of them."""
        nearest = -1
        for other in range(self.width):
            if done[other]:
                continue
            cost = self.costs[row][other] - self.row_price[row] - self.column_price[other]
            if cost < slack[other]:
                slack[other], came_from[other] = cost, column
            if nearest < 0 or slack[other] < slack[nearest]:
                nearest = other
        return nearest
