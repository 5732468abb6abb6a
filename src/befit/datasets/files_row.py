"""One raw row into a Sample: short forms, CSV cells, attachments, then validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson
from pydantic import ValidationError

from befit.core.record import Json
from befit.core.sample import Sample
from befit.datasets.files_attach import MAX_ATTACHMENTS, AttachmentError, Folder
from befit.datasets.files_lines import Raw
from befit.datasets.files_tree import find, kind_of, step
from befit.datasets.files_words import Finding, Loc, findings
from befit.errors import DataError

HINTS: Mapping[str, str] = {
    "expected": "target",
    "__expected": "target",
    "ideal": "target",
    "answer": "target",
    "label": "target",
    "output": "target",
    "prompt": "input",
    "question": "input",
    "text": "input",
    "messages": "input",
    "assert": "checks",
    "category": "kind",
    "type": "kind",
    "lang": "language",
    "group": "cluster",
    "metadata": "vars",
}
"""Keys of other formats, and what they are called here."""

_FIELDS = frozenset(Sample.model_fields)
_JSON_COLUMNS = frozenset({"turns", "checks", "tools", "vars", "provenance"})
_LIST_COLUMNS = frozenset({"tags", "attachments"})


class RowError(ValueError):
    """A short form that cannot be read, with the keys that lead to it."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.what)
        self.finding = finding


def scorer_short_form(value: Json, loc: Loc) -> dict[str, Json]:
    """Return `{name, options}` for `match`, `{match: {...}}` or the long form itself.

    Raises:
        RowError: none of these.
    """
    if isinstance(value, str):
        return {"name": value, "options": {}}
    if isinstance(value, dict):
        if set(value) <= {"name", "options"} and isinstance(value.get("name"), str):
            return value
        if len(value) == 1:
            name, options = next(iter(value.items()))
            if options is None or isinstance(options, dict):
                return {"name": name, "options": options or {}}
            loc = (*loc, name)
            raise RowError(
                Finding(loc=loc, what=f"options must be a mapping, not {kind_of(options)}")
            )
    raise RowError(
        Finding(
            loc=loc,
            what="a scorer is one name with its options",
            do="write {match: {numeric: true}}, one list entry per scorer",
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Turns raw rows of one file into samples; `name` is the file in messages."""

    name: str
    folder: Folder
    is_csv: bool

    def sample(self, raw: Raw) -> Sample | list[DataError]:
        """Return the sample of a row, or everything that is wrong with it."""
        value = raw.value
        if not isinstance(value, dict):
            what = f"a sample is a mapping, not {kind_of(value)}"
            return [DataError(what, where=f"{self.name}:{raw.line}", do='write {"id": ...}')]
        found: list[Finding] = []
        try:
            value = self._prepared(value)
            return Sample.model_validate(value)
        except RowError as error:
            found = [error.finding]
        except ValidationError as error:
            found = findings(error, value, model=Sample, hints=HINTS)
        return [self._problem(raw, finding) for finding in found]

    def _problem(self, raw: Raw, finding: Finding) -> DataError:
        line = raw.line if raw.node is None else find(raw.node, finding.loc).line
        path = ""
        for key in finding.loc:
            path = step(path, key)
        return DataError(finding.what, where=f"{self.name}:{line} {path}".rstrip(), do=finding.do)

    def _prepared(self, value: dict[str, Json]) -> dict[str, Json]:
        if self.is_csv:
            value = _from_cells(value)
        if "checks" in value:
            value = {**value, "checks": _short_forms(value["checks"], ("checks",))}
        if "turns" in value:
            value = {**value, "turns": _turns(value["turns"])}
        if isinstance(value.get("input"), list):
            value = {**value, "input": [self._message(m, i) for i, m in enumerate(value["input"])]}
        if value.get("attachments"):
            value = {**value, "attachments": self._attachments(value["attachments"])}
        return value

    def _data_url(self, written: str, loc: Loc) -> str:
        try:
            return self.folder.data_url(written)
        except AttachmentError as error:
            raise RowError(Finding(loc=loc, what=str(error))) from error

    def _attachments(self, value: Json) -> Json:
        if not isinstance(value, list):
            return value
        if len(value) > MAX_ATTACHMENTS:
            what = f"more than {MAX_ATTACHMENTS} attachments"
            raise RowError(Finding(loc=("attachments",), what=what))
        made: list[Json] = []
        for i, item in enumerate(value):
            loc: Loc = ("attachments", i)
            entry = {"path": item} if isinstance(item, str) else item
            if isinstance(entry, dict) and isinstance(entry.get("path"), str):
                entry = dict(entry)
                written = entry.pop("path")
                entry = {"name": written, "url": self._data_url(written, loc), **entry}
            made.append(entry)
        return made

    def _message(self, message: Json, index: int) -> Json:
        """Read the pictures that a message names by `path`."""
        if not isinstance(message, dict) or not isinstance(message.get("content"), list):
            return message
        parts: list[Json] = []
        for i, part in enumerate(message["content"]):
            if isinstance(part, dict) and isinstance(part.get("path"), str):
                loc: Loc = ("input", index, "content", i)
                url = self._data_url(part["path"], loc)
                rest = {key: item for key, item in part.items() if key != "path"}
                parts.append({"type": "image", **rest, "url": url})
            else:
                parts.append(part)
        return {**message, "content": parts}


def _short_forms(value: Json, loc: Loc) -> Json:
    entries = value if isinstance(value, list) else [value]
    return [scorer_short_form(entry, (*loc, i)) for i, entry in enumerate(entries)]


def _turns(value: Json) -> Json:
    if not isinstance(value, list):
        return value
    turns: list[Json] = []
    for i, turn in enumerate(value):
        if isinstance(turn, str):
            turns.append({"user": turn})
        elif isinstance(turn, dict):
            turns.append(_turn(turn, ("turns", i)))
        else:
            turns.append(turn)
    return turns


def _turn(turn: dict[str, Json], loc: Loc) -> dict[str, Json]:
    made = dict(turn)
    if "checks" in turn:
        made["checks"] = _short_forms(turn["checks"], (*loc, "checks"))
    constraints = turn.get("constraints")
    if isinstance(constraints, dict):
        made["constraints"] = {
            name: scorer_short_form(value, (*loc, "constraints", name))
            for name, value in constraints.items()
        }
    return made


def _from_cells(row: dict[str, str]) -> dict[str, Json]:
    """Sort the cells of a CSV row: keys of a sample by their name, all others into `vars`."""
    value: dict[str, Json] = {}
    own: dict[str, str] = {}
    for column, cell in row.items():
        if column in _FIELDS:
            if cell:
                value[column] = _cell(column, cell)
        elif column in {"expected", "__expected"}:
            raise RowError(_column_hint(column))
        else:
            own[column] = cell
    if own:
        value["vars"] = {**own, **value.get("vars", {})}
    return value


def _column_hint(column: str) -> Finding:
    return Finding(
        loc=(), what=f"the column '{column}' is called 'target' here", do="rename the column"
    )


def _cell(column: str, cell: str) -> Json:
    is_json = column in _JSON_COLUMNS or (column == "target" and cell[:1] in {"{", "[", '"'})
    if is_json or (column in _LIST_COLUMNS and cell.startswith("[")):
        try:
            return orjson.loads(cell)
        except orjson.JSONDecodeError as error:
            if column == "target":
                return cell
            what = f"the cell is no JSON: {error.msg}"
            raise RowError(Finding(loc=(column,), what=what)) from error
    if column in _LIST_COLUMNS:
        return [part.strip() for part in cell.split(";") if part.strip()]
    return cell
