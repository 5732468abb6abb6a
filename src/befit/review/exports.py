"""Votes as a flat table, for whoever computes elsewhere; candidates stand in it once unblinded."""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from befit.core.record import Json
from befit.core.spreadsheet import marked
from befit.errors import DataError
from befit.review.rows import Row
from befit.storage.whole_file import write_whole

COLUMNS = (
    "vote", "reviewer", "group", "scenario", "sample", "purpose", "left", "right", "winner",
    "comment", "tags", "rubric", "identity_visible", "seconds", "voted_at",
)  # fmt: skip


def vote_rows(rows: Sequence[Row], *, unblinded: bool) -> list[dict[str, Json]]:
    """Return one flat row a vote, sides as they were shown.

    Before unblinding the columns `left` and `right` are empty: a code that stays
    the same from vote to vote would already say who wins.
    """
    return [_flat(row, unblinded=unblinded) for row in rows]


def _flat(row: Row, *, unblinded: bool) -> dict[str, Json]:
    left, right = (row.y, row.x) if row.flipped and row.y else (row.x, row.y)
    ballot = row.ballot
    told = datetime.fromtimestamp(row.voted_at, UTC).isoformat(timespec="seconds")
    return {
        "vote": row.id,
        "reviewer": row.reviewer,
        "group": row.group,
        "scenario": row.scenario,
        "sample": row.sample,
        "purpose": row.purpose,
        "left": left if unblinded else "",
        "right": right if unblinded else "",
        "winner": row.shown or "",
        "comment": ballot.comment,
        "tags": ";".join(f"{one.tag} ({one.side})" for one in ballot.tags),
        "rubric": orjson.dumps(ballot.rubric).decode() if ballot.rubric else "",
        "identity_visible": ballot.identity_visible,
        "seconds": None if row.seconds is None else round(row.seconds, 1),
        "voted_at": told,
    }


def write_votes(path: Path, rows: Sequence[dict[str, Json]]) -> None:
    """Write the table as .csv, .jsonl or .parquet.

    Raises:
        DataError: another ending, or it cannot be written.
    """
    ending = path.suffix.lower()
    if ending == ".parquet":
        _parquet(path, rows)
        return
    if ending == ".jsonl":
        text = "".join(orjson.dumps(row).decode() + "\n" for row in rows)
    elif ending == ".csv":
        held = io.StringIO()
        writer = csv.DictWriter(held, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _safe(value) for key, value in row.items()} for row in rows)
        text = held.getvalue()
    else:
        raise DataError("votes go to .csv, .jsonl or .parquet", where=str(path))
    try:
        write_whole(path, text)
    except OSError as error:
        raise DataError("cannot be written", where=str(path), why=error.strerror or "") from None


def _safe(value: Json) -> Json:
    return marked(value) if isinstance(value, str) else value


def _parquet(path: Path, rows: Sequence[dict[str, Json]]) -> None:
    try:
        # by name, because the package has no types
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise DataError(
            "Parquet needs pyarrow", where=str(path), do="pip install 'befit[tables]'"
        ) from None
    parquet.write_table(arrow.table({name: [row[name] for row in rows] for name in COLUMNS}), path)
