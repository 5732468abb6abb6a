"""Files that are there whole or not at all: written beside their place and moved into it.

A report that is cut off (a full disk, a crash) must not take the place of the one before it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_MODE = 0o666


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write; it takes the place of `path` when the block has ended well.

    A place that is no plain file (a device, a pipe) is written to as it is, and a link is
    followed.

    Raises:
        OSError: it cannot be written; what was at `path` is as it was.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        with place.open("wb") as file:
            yield file
        return
    handle, name = tempfile.mkstemp(prefix=f".{place.name[:100]}-", dir=place.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(_rights(place))
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: str | bytes, *, errors: str = "strict") -> None:
    """Write a whole file, UTF-8 for text; raises as `whole_file` does."""
    with whole_file(path) as file:
        file.write(content.encode("utf-8", errors) if isinstance(content, str) else content)


def _rights(place: Path) -> int:
    """Return the rights the file is to have: those it had, else what the user's mask leaves."""
    try:
        return place.stat().st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return _MODE & ~mask
