"""Labels through a spreadsheet: the set out to CSV or JSONL, and the answers in again."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from befit.charts.text import plain
from befit.core.sample import Sample
from befit.core.spreadsheet import marked, unmarked
from befit.datasets.files_lines import read_rows
from befit.datasets.label import Label, LabelError, form_of, read_label
from befit.datasets.labelled import is_labelled
from befit.errors import BefitError, DataError, ProjectError
from befit.storage.whole_file import write_whole

COLUMNS = ("id", "input", "observed", "target", "absent", "checks", "kind", "unsure", "note")
"""Before a text a spreadsheet would take for a formula; taken away again when it is read."""


_NUMBERED = re.compile("⟨U\\+([0-9A-F]{4,5}|10[0-9A-F]{4})⟩")
_CELL = 32_767
"""Characters that spreadsheets keep of a cell."""
_COMPARED = 30_000
"""Characters of an input that are compared: fewer than a spreadsheet keeps."""


def export_rows(samples: Sequence[Sample]) -> Iterator[dict[str, str]]:
    """Yield a row per live sample, with what it has of a label."""
    for sample in samples:
        if sample.retired_on is None:
            held = Label(target=sample.target, checks=sample.checks, kind=sample.kind)
            form = form_of(held) if is_labelled(sample) else {**form_of(None), "kind": sample.kind}
            yield {
                "id": sample.id,
                "input": _input(sample),
                "observed": sample.observed or "",
                **form,
            }


def _input(sample: Sample) -> str:
    if sample.turns:
        return "\n\n".join(turn.user for turn in sample.turns)
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(f"{m.role}: {m.text}" for m in sample.input or ())


def export_labels(path: Path, samples: Sequence[Sample]) -> tuple[int, int]:
    """Write the set for labelling; return its rows, and how many a spreadsheet would cut short.

    Raises:
        DataError: another ending than .csv or .jsonl, or it cannot be written.
    """
    rows = list(export_rows(samples))
    ending = path.suffix.lower()
    if ending == ".jsonl":
        spelled = [{name: _spelled(value) for name, value in row.items()} for row in rows]
        text = "".join(orjson.dumps(row).decode() + "\n" for row in spelled)
    elif ending == ".csv":
        held = io.StringIO()
        writer = csv.DictWriter(held, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _safe(value) for name, value in row.items()} for row in rows)
        text = held.getvalue()
    else:
        raise DataError("labels go to .csv or .jsonl", where=str(path))
    try:
        # With its mark, without which spreadsheets take UTF-8 for the code page of the machine.
        write_whole(path, text.encode("utf-8-sig" if ending == ".csv" else "utf-8"))
    except OSError as error:
        raise DataError("cannot be written", where=str(path), why=error.strerror or "") from None
    cut = sum(any(len(_safe(value)) > _CELL for value in row.values()) for row in rows)
    return len(rows), cut if ending == ".csv" else 0


def _spelled(text: str) -> str:
    """Return `text` with hidden characters as `⟨U+001B⟩`; `_unspelled` takes it back."""
    return plain(text.replace("⟨U+", "⟨U+27E8⟩U+"))


def _unspelled(text: str) -> str:
    return _NUMBERED.sub(lambda match: chr(int(match.group(1), 16)), text)


def _safe(text: str) -> str:
    return marked(_spelled(text))


def import_labels(path: Path, samples: Sequence[Sample]) -> dict[str, Label]:
    """Return sample id -> label of a file; rows without any label are left out.

    Raises:
        ProjectError: rows that cannot be read, all of them; then none counts.
        DataError: there is no label in it.
    """
    known = {sample.id: " ".join(_input(sample).split()) for sample in samples}
    found: dict[str, Label] = {}
    problems: list[BefitError] = []
    for raw in read_rows(path, name=str(path)):
        where = f"{path}:{raw.line}"
        if raw.problem is not None:
            problems.append(raw.problem)
            continue
        if not isinstance(raw.value, dict):
            problems.append(DataError("no row of labels", where=where))
            continue
        row = {key: _read(value) for key, value in raw.value.items()}
        sample_id = row.get("id", "")
        wrong = _misplaced(row, known, found, where=where)
        if wrong is not None:
            problems.append(wrong)
        elif any(row.get(name) for name in ("target", "absent", "checks", "unsure")):
            try:
                found[sample_id] = read_label(row)
            except LabelError as error:
                problems.append(DataError(str(error), where=where))
    if problems:
        raise ProjectError(problems)
    if not found:
        raise DataError(
            "the file holds no label",
            where=str(path),
            do="fill in target, absent, checks or unsure (befit data label --export writes them)",
        )
    return found


def _misplaced(
    row: Mapping[str, str], known: Mapping[str, str], found: Container[str], *, where: str
) -> DataError | None:
    """Return why a row is none of this set, or None."""
    sample_id = row.get("id", "")
    if sample_id not in known:
        return DataError(f"there is no sample '{sample_id}'", where=where)
    if sample_id in found:
        return DataError(f"'{sample_id}' occurs twice", where=where)
    if known[sample_id].startswith(" ".join(row.get("input", "").split())[:_COMPARED]):
        return None
    return DataError(
        f"the input of '{sample_id}' is not the one the set has",
        where=where,
        why="one of them was changed since the export",
        do="export again, and label that",
    )


def _read(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return _unspelled(unmarked(text))
