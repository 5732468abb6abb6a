"""Results per item on public items and their perturbed versions, from a file.

CSV, TSV or JSON lines with the columns `model`, `item`, `version` (`original`,
anything else is a perturbed version), `score` and, if known, `date` of the item.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from befit.errors import DataError, ProjectError
from befit.interop.benchmarks import Troubles
from befit.interop.table_numbers import is_missing, read_number

ORIGINAL = "original"
COLUMNS = ("model", "item", "version", "score")


@dataclass(slots=True)
class ItemVersions:
    """Scores by model, item and whether it is the original; several of one are averaged later."""

    scores: dict[tuple[str, str, bool], list[float]] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)

    def add(self, model: str, item: str, *, original: bool, score: float, date: str = "") -> None:
        """Take one result."""
        self.scores.setdefault((model, item, original), []).append(score)
        if date:
            self.dates[item] = date

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in order."""
        return tuple(dict.fromkeys(model for model, _, _ in self.scores))

    @property
    def items(self) -> tuple[str, ...]:
        """The items, in order."""
        return tuple(dict.fromkeys(item for _, item, _ in self.scores))


def read_item_versions(path: Path) -> ItemVersions:
    """Read a file of results per item.

    Raises:
        ProjectError: everything that is wrong with it.
    """
    troubles, found = Troubles(), ItemVersions()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ProjectError([
            DataError("the results per item cannot be read", where=str(path), why=str(reason))
        ]) from error  # fmt: skip
    for line, row in _rows(text, path, troubles):
        where = f"{path}:{line}"
        missing = [name for name in COLUMNS if row.get(name) in {None, ""} and name != "score"]
        if missing:
            troubles.add(f"'{missing[0]}' is missing", where, do=f"columns: {', '.join(COLUMNS)}")
            continue
        score = str(row.get("score") if row.get("score") is not None else "")
        score = {"true": "1", "false": "0"}.get(score.lower(), score)
        if is_missing(score):
            continue
        number = read_number(score)
        if number is None or not 0 <= number.value <= 1:
            troubles.add(f"'{score[:40]}' is no score from 0 to 1", where)
            continue
        found.add(
            str(row["model"]).strip(),
            str(row["item"]).strip(),
            original=str(row["version"]).strip().lower() == ORIGINAL,
            score=number.value,
            date=str(row.get("date") or ""),
        )
    troubles.raise_if_any()
    return found


def _rows(text: str, path: Path, troubles: Troubles) -> Iterator[tuple[int, Mapping[str, object]]]:
    if path.suffix.lower() == ".jsonl":
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                troubles.add("this is no JSON", f"{path}:{number}", why=str(error))
                continue
            if isinstance(row, dict):
                yield number, row
            else:
                troubles.add("a row is a mapping", f"{path}:{number}")
        return
    mark = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark)
    absent = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if absent:
        do = f"columns: {', '.join(COLUMNS)} and, if known, date"
        troubles.add(f"the column '{absent[0]}' is missing", f"{path}:1", do=do)
        return
    for row in reader:
        yield reader.line_num, row
