"""MT-Bench questions (FastChat) as conversations of two turns, with reference answers where given.

The questions have no answer a rule could check: judge them with the scorer `judge`,
which is shown the references of those of reasoning, mathematics and code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from befit.core.sample import Provenance, Sample, Turn
from befit.errors import DataError
from befit.interop.json_lines import objects

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
        for _, row in objects(Path(references), what="answer"):
            try:
                known[row["question_id"]] = [str(t) for t in row["choices"][0]["turns"]]
            except (KeyError, IndexError, TypeError) as error:
                raise _broken(Path(references), row) from error
    for _, row in objects(Path(questions), what="question"):
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


def _broken(path: Path, row: Mapping[str, Any]) -> DataError:
    what = f"question {row.get('question_id', '?')} is not in the form of MT-Bench"
    return DataError(what, where=str(path))
