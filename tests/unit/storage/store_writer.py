"""A process of its own for the tests of two processes: writes, or holds, until it is stopped."""

from __future__ import annotations

import sys

from befit.storage.workspace import Workspace
from befit.testing.store import landed


def tell(word):
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def write(location, first, count, batch):
    with Workspace.open(location) as workspace:
        tell("ready")
        sys.stdin.readline()
        for start in range(first, first + count, batch):
            items = [landed(f"s{n:05d}") for n in range(start, start + batch)]
            workspace.commit("r-0001", items)
            tell(start + batch)


def hold(location, name):
    with Workspace.open(location) as workspace, workspace.hold(name):
        tell("holding")
        sys.stdin.readline()


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        hold(sys.argv[2], sys.argv[3])
