"""Bytes of a file into numbered records of raw values: JSONL, CSV, JSON and YAML.

Each reader yields `Raw` rows in the order of the file; a row holds either a
value or the problem that kept it from being read. JSONL and CSV are streamed
with bounded memory; JSON and YAML are read whole and therefore limited in size.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import orjson

from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.spreadsheet import next_row
from befit.datasets.files_tree import Node, plain
from befit.datasets.files_yaml import read_yaml
from befit.errors import BefitError, DataError

if TYPE_CHECKING:
    from _csv import Reader  # the type of csv.reader(...) has no public name

MAX_LINE = 10_000_000
"""Bytes of one line."""
MAX_WHOLE = {".json": 50_000_000, ".yaml": 5_000_000, ".yml": 5_000_000}
"""Bytes of a file that is read whole."""
FORMATS = (".jsonl", ".ndjson", ".csv", ".tsv", ".json", ".yaml", ".yml")

_CHUNK = 1 << 16
_KNOWN_COLUMNS = frozenset(Sample.model_fields) | {"expected", "__expected"}
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """One row: its line (1-based) and its value, or the problem instead.

    `node` is there for YAML only and knows the line of every key.
    """

    line: int
    value: Json = None
    problem: BefitError | None = None
    node: Node | None = None


def read_rows(path: Path, *, name: str) -> Iterator[Raw]:
    """Yield the rows of a sample file.

    Args:
        path: the file; its ending decides the format.
        name: what the file is called in messages.
    """
    ending = path.suffix.lower()
    if ending not in FORMATS:
        known = ", ".join(FORMATS)
        yield _bad(f"'{ending}' is no format of sample files", name, 1, do=f"use one of {known}")
        return
    try:
        size = path.stat().st_size
        if path.is_dir():
            yield _bad("this is a folder, not a file", name, 1)
            return
        if not path.is_file():
            # A pipe would wait for a writer for ever, and can be read only once.
            yield _bad("this is no regular file", name, 1, do="name a file that can be read again")
            return
        if size > MAX_WHOLE.get(ending, size):
            limit = MAX_WHOLE[ending] // 1_000_000
            yield _bad(
                f"the file is larger than {limit} MB", name, 1, do="use JSONL: it is streamed"
            )
            return
        with path.open("rb") as handle:
            if ending in {".jsonl", ".ndjson"}:
                yield from _jsonl(handle, name)
            elif ending in {".csv", ".tsv"}:
                yield from _csv(handle, name, "\t" if ending == ".tsv" else None)
            else:
                yield from _whole(handle, name, is_json=ending == ".json")
    except FileNotFoundError:
        yield _bad("the file does not exist", name, 0, do="check the path, or create the file")
    except OSError as error:
        yield _bad("the file cannot be read", name, 0, why=str(error.strerror))


def _bad(what: str, name: str, line: int, *, why: str = "", do: str = "") -> Raw:
    where = f"{name}:{line}" if line else name
    return Raw(line=line, problem=DataError(what, where=where, why=why, do=do))


def _lines(handle: BinaryIO, name: str) -> Iterator[tuple[int, str | Raw]]:
    """Yield (number, text without its line break); a Raw instead of text is a problem."""
    number = 0
    while line := handle.readline(MAX_LINE + 2):
        number += 1
        if number == 1:
            if line[:2] in {b"\xff\xfe", b"\xfe\xff"}:
                yield 1, _bad("the file is UTF-16", name, 1, do="save it as UTF-8")
                return
            line = line.removeprefix(_BOM)
        body = line.rstrip(b"\r\n")
        if len(body) > MAX_LINE:
            while line and not line.endswith(b"\n"):
                line = handle.readline(_CHUNK)
            limit = f"the line is longer than {MAX_LINE // 1_000_000} MB"
            yield (
                number,
                _bad(limit, name, number, do="one sample per line, each with its line break"),
            )
            continue
        if b"\r" in body:  # line ends of old Macs, or mixed ones
            first, *more = body.split(b"\r")
            yield number, _decoded(first, name, number)
            for number, part in enumerate(more, number + 1):  # noqa: B020 - counts on
                yield number, _decoded(part, name, number)
            continue
        yield number, _decoded(body, name, number)


def _decoded(body: bytes, name: str, number: int) -> str | Raw:
    if b"\0" in body:
        return _bad("the line holds NUL bytes", name, number, why="this is no text file")
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        why = f"byte 0x{body[error.start]:02x} at position {error.start + 1} of the line"
        return _bad("this is no UTF-8", name, number, why=why, do="save it as UTF-8")


def _jsonl(handle: BinaryIO, name: str) -> Iterator[Raw]:
    for number, text in _lines(handle, name):
        if isinstance(text, Raw):
            yield text
        elif text and not text.isspace():
            yield parse_json(text, name=name, line=number)


def parse_json(text: str, *, name: str, line: int) -> Raw:
    """Read one JSON text that starts in `line`."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _slow_json(text, name, line)
    if "\\u0000" in text and _holds_nul(value):
        return _bad("the text holds a NUL character (\\u0000)", name, line, do="remove it")
    if _quotes(text) != _quotes(orjson.dumps(value).decode()):
        twice = _key_given_twice(text)
        if twice is not None:
            return _twice(twice, name, line)
    return Raw(line=line, value=value)


def _holds_nul(value: Json) -> bool:
    """Whether a text of a value holds the character itself, not only how JSON writes it."""
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_holds_nul(key) or _holds_nul(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_holds_nul, value))


def _quotes(text: str) -> int:
    """Count the quotes around texts: fewer after reading means that a key stood there twice."""
    return text.count('"') - text.count('\\"')


class _TwiceError(ValueError):
    """A key that occurs twice in a JSON object."""


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in keys if keys.count(key) > 1))
    return found


def _key_given_twice(text: str) -> str | None:
    try:
        json.loads(text, object_pairs_hook=_once)
    except _TwiceError as error:
        return str(error)
    return None


def _twice(key: str, name: str, line: int) -> Raw:
    return _bad(f"the key '{key[:80]}' occurs twice", name, line, do="keep one of them")


class _NotFiniteError(ValueError):
    """NaN or an infinity in JSON."""


def _not_finite(word: str) -> NoReturn:
    raise _NotFiniteError(word)


def _slow_json(text: str, name: str, line: int) -> Raw:
    """Find the words for what the fast reader refused."""
    try:
        json.loads(text, parse_constant=_not_finite)
    except _NotFiniteError as error:
        return _bad(f"{error} is no JSON value", name, line, do="write a number, null or text")
    except json.JSONDecodeError as error:
        at = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno} of it"
        do = "one JSON object per line" if error.msg.startswith("Extra data") else ""
        return _bad("this is no JSON", name, line, why=f"{error.msg}, {at}", do=do)
    except RecursionError:
        return _bad("values are nested too deeply", name, line)
    return _bad("this is no JSON", name, line, why="a lone surrogate or a number out of range")


def _csv(handle: BinaryIO, name: str, delimiter: str | None) -> Iterator[Raw]:
    stopped: list[Raw] = []

    def texts() -> Iterator[str]:
        for _, text in _lines(handle, name):
            if isinstance(text, Raw):
                # A lost line would shift the cells of a quoted field: stop here.
                stopped.append(text)
                return
            yield text + "\n"

    lines = texts()
    first = next(lines, None)
    if first is not None:
        delimiter = delimiter or (";" if ";" in first and "," not in first else ",")
        header = [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter), [])]
        if not _KNOWN_COLUMNS & set(header):
            what = "no column of the first line is one that befit knows"
            do = "start the file with a header, for instance: id,input,target"
            yield _bad(what, name, 1, why=f"it begins with '{first.strip()[:40]}'", do=do)
        elif len(set(header) - {""}) == len(header):
            yield from _csv_rows(csv.reader(lines, delimiter=delimiter, strict=True), header, name)
        else:
            what = "the header has a column twice or one without a name"
            yield _bad(what, name, 1, do="give every column its own name")
    yield from stopped


def _csv_rows(reader: Reader, header: list[str], name: str) -> Iterator[Raw]:
    start = 2
    try:
        while (row := next_row(reader, longest=MAX_LINE)) is not None:
            if row and len(row) != len(header):
                what = f"{len(row)} cells, but the header has {len(header)}"
                yield _bad(what, name, start, do="put texts that hold the separator in quotes")
            elif row:
                yield Raw(line=start, value=dict(zip(header, row, strict=True)))
            start = reader.line_num + 2
    except csv.Error as error:
        too_long = "field limit" in str(error)
        do = "use JSONL for long texts" if too_long else 'write quotes inside a text twice: ""'
        yield _bad("this is no CSV", name, start, why=str(error), do=do)


def _whole(handle: BinaryIO, name: str, *, is_json: bool) -> Iterator[Raw]:
    parts: list[str] = []
    for _, text in _lines(handle, name):
        if isinstance(text, Raw):
            yield text
            return
        parts.append(text)
    text = "\n".join(parts)
    yield from _json_list(text, name) if is_json else _yaml_list(text, name)


def _yaml_list(text: str, name: str) -> Iterator[Raw]:
    root, problems = read_yaml(text, file=name, error=DataError)
    for problem in problems:
        yield Raw(line=1, problem=problem)
    if root is None or problems:
        return
    inner = root.get("samples") if root.mapping() else root
    if inner is None or not isinstance(inner.value, list):
        yield _bad("samples must be a list", name, root.line, do="start each sample with '- id:'")
        return
    for node in inner.items():
        yield Raw(line=node.line, value=plain(node), node=node)


def _json_list(text: str, name: str) -> Iterator[Raw]:
    """Walk the elements of the outer list one by one, so that each has its line."""
    decoder = json.JSONDecoder(parse_constant=_not_finite, object_pairs_hook=_once)
    start, end = len(text) - len(text.lstrip()), len(text)
    if start == end:
        return
    if text[start] != "[":
        yield _bad("samples must be a list", name, 1, do="start the file with '['")
        return
    position, line, counted = start + 1, 1, 0
    while True:
        while position < end and text[position] in " \t\r\n,":
            position += 1
        line += text.count("\n", counted, position)
        counted = position
        if position < end and text[position] == "]":
            return
        try:
            value, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            yield _bad("this is no JSON", name, error.lineno, why=error.msg)
            return
        except _NotFiniteError as error:
            yield _bad(f"{error} is no JSON value", name, line, do="write a number, null or text")
            return
        except _TwiceError as error:
            yield _twice(str(error), name, line)
            return
        except RecursionError:
            yield _bad("values are nested too deeply", name, line)
            return
        yield _sound(value, name, line)


def _sound(value: Json, name: str, line: int) -> Raw:
    """Refuse what the streamed reader would refuse: the two must agree on what a sample is."""
    try:
        text = orjson.dumps(value)
    except TypeError:
        return _bad("a lone surrogate or a number out of range", name, line)
    if b"\\u0000" in text and _holds_nul(value):
        return _bad("the text holds a NUL character (\\u0000)", name, line, do="remove it")
    return Raw(line=line, value=value)
