"""MT-Bench questions (FastChat) as conversations of two turns, with reference answers where given.

The questions have no answer a rule could check: judge them with the scorer `judge`,
which is shown the references of those of reasoning, mathematics and code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from befit.core.sample import Provenance, Sample, Turn
from befit.errors import DataError

LICENCE = "Apache-2.0"


def read_mt_bench(questions: Path | str, references: Path | str | None = None) -> Iterator[Sample]:
    """Yield a sample for each question.

    Args:
        questions: `question.jsonl`.
        references: a file of `reference_answer`; None: no targets.

    Raises:
        DataError: a line that is no question or no answer.
    """
    known: dict[Any, Sequence[str]] = {}
    if references is not None:
        for row in _rows(Path(references)):
            try:
                known[row["question_id"]] = [str(t) for t in row["choices"][0]["turns"]]
            except (KeyError, IndexError, TypeError) as error:
                raise _broken(Path(references), row) from error
    for row in _rows(Path(questions)):
        try:
            turns = tuple(Turn(user=str(text)) for text in row["turns"])
            number = row["question_id"]
        except (KeyError, TypeError) as error:
            raise _broken(Path(questions), row) from error
        right = known.get(number)
        yield Sample(
            id=f"mt-{number}",
            turns=turns,
            target=None if right is None else "\n\n".join(right),
            tags=(f"category:{row.get('category', 'none')}",),
            provenance=Provenance(source="mt_bench", licence=LICENCE),
        )


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError("cannot be read", where=str(path), why=error.strerror or "") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise DataError("no JSON", where=f"{path}:{number}", why=str(error)) from error
        if not isinstance(row, dict):
            raise DataError("no object", where=f"{path}:{number}")
        yield row


def _broken(path: Path, row: Mapping[str, Any]) -> DataError:
    what = f"question {row.get('question_id', '?')} is not in the form of MT-Bench"
    return DataError(what, where=str(path))
