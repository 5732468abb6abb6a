"""Any log into befit's interactions: the format is seen line by line, or named.

Files may mix formats. A line that is sound but no exchange with a model (an
embedding, a tool's span) yields nothing; a line that cannot be read yields a
problem with its number, and the rest goes on.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from befit.core.record import Json
from befit.core.spreadsheet import next_row
from befit.errors import DataError, UsageError
from befit.interop import (
    log_langfuse,
    log_litellm,
    log_openai,
    log_openinference,
    log_otel,
    log_own,
    log_table,
)
from befit.interop.log_item import Item, LogError
from befit.interop.log_lines import MAX_LINE, lines
from befit.interop.log_values import without_nul
from befit.plugins import nearest

Reader = Callable[[dict[str, Any]], Iterator[Item]]

READERS: dict[str, Reader] = {
    "befit": log_own.read_record,
    "openai-chat": log_openai.read_pair,
    "openai-fine-tune": log_openai.read_fine_tune,
    "openai-batch-input": log_openai.read_batch_input,
    "openai-batch-output": log_openai.read_batch_output,
    "openai-stored": log_openai.read_stored,
    "openai-stored-messages": log_openai.read_stored_messages,
    "otlp": log_otel.read_otlp,
    "otel-span": log_otel.read_sdk_span,
    "openinference": log_openinference.read_span,
    "litellm": log_litellm.read_row,
    "langfuse": log_langfuse.read_observation,
    "langfuse-score": log_langfuse.read_score,
    "table": log_table.read_row,
}
"""Format -> what reads one line of it. `table` also reads CSV and TSV files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a log: what it holds, or why it cannot be read."""

    number: int
    items: tuple[Item, ...] = ()
    problem: str = ""
    nul: int = 0
    """NUL characters that were taken out of its texts."""


def format_of(line: dict[str, Any]) -> str:
    """Return the format a line is in.

    Raises:
        LogError: none that is known.
    """
    for name, signs in _SIGNS:
        if signs(line):
            return name
    raise LogError("no log format this befit knows")


def _has(*keys: str) -> Callable[[dict[str, Any]], bool]:
    return lambda line: all(key in line for key in keys)


def _openinference(line: dict[str, Any]) -> bool:
    held = line.get("attributes")
    if isinstance(held, dict):
        return log_openinference.KIND in held
    if not isinstance(held, list):
        return False
    return any(isinstance(one, dict) and one.get("key") == log_openinference.KIND for one in held)


_SIGNS: tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...] = (
    ("otlp", lambda line: "resourceSpans" in line or "resourceLogs" in line),
    ("befit", lambda line: line.get("kind") in {"interaction", "outcome"} and "v" in line),
    ("openinference", _openinference),
    ("otel-span", _has("context", "attributes", "start_time")),
    ("openai-batch-input", _has("custom_id", "body")),
    ("openai-batch-output", _has("custom_id", "response")),
    ("openai-chat", lambda line: isinstance(line.get("request"), dict) and "response" in line),
    ("openai-stored", lambda line: line.get("object") == "chat.completion"),
    (
        "openai-stored-messages",
        lambda line: (
            line.get("object") == "list"
            or (str(line.get("id", "")).startswith("chatcmpl-") and "role" in line)
        ),
    ),
    ("litellm", lambda line: "startTime" in line and ("call_type" in line or "spend" in line)),
    ("langfuse-score", _has("data_type", "name", "value")),
    ("langfuse", lambda line: line.get("type") in {"GENERATION", "SPAN", "EVENT"}),
    ("openai-fine-tune", lambda line: isinstance(line.get("messages"), list)),
    ("table", lambda line: any(key in line for key in ("messages", "input", "prompt", "question"))),
)


def read_log(path: Path, *, form: str = "auto") -> Iterator[Line]:
    """Yield every line of a log that is not blank.

    Args:
        path: JSON lines or CSV, plain, gzip or zstd.
        form: a name of `READERS`, `csv`, `tsv`, or `auto`.

    Raises:
        DataError: the file itself cannot be read, or its archive is damaged.
        UsageError: an unknown format.
    """
    if form not in {*READERS, "auto", "csv", "tsv"}:
        known = ["auto", "csv", "tsv", *READERS]
        raise UsageError(
            f"there is no log format '{form}'",
            do=nearest(form, known).strip() or f"one of: {', '.join(known)}",
        )
    names = {suffix.lower() for suffix in path.suffixes}
    if form in {"csv", "tsv"} or (form in {"auto", "table"} and names & {".csv", ".tsv"}):
        yield from _table(path, "\t" if form == "tsv" or ".tsv" in names else None)
        return
    for number, raw in lines(path):
        if raw is None:
            yield Line(number=number, problem="the line is too long")
        elif raw and not raw.isspace():
            yield _read(number, raw, form)


def _read(number: int, raw: bytes, form: str) -> Line:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        return Line(number=number, problem=f"no JSON: {error.msg}")
    nul = 0
    if b"\\u0000" in raw:
        value, nul = without_nul(value)
    line = read_value(value, number=number, form=form)
    return replace(line, nul=nul) if nul else line


def read_value(value: Json, *, number: int, form: str = "auto") -> Line:
    """Return what one JSON value of a log holds."""
    if not isinstance(value, dict):
        return Line(number=number, problem="a line is one JSON object")
    try:
        items = tuple(READERS[format_of(value) if form == "auto" else form](value))
    except LogError as error:
        return Line(number=number, problem=str(error))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        # A reader met a value of another shape than its format has.
        return Line(number=number, problem=f"not the shape of its format ({type(error).__name__})")
    return Line(number=number, items=items)


def _table(path: Path, delimiter: str | None) -> Iterator[Line]:
    at = nul = 0

    def texts() -> Iterator[str]:
        nonlocal at, nul
        for number, raw in lines(path):
            at = number
            if raw is None:
                raise DataError(
                    "a line no table has", where=f"{path}:{number}", do="use JSON lines"
                )
            nul += raw.count(b"\0")
            yield raw.replace(b"\0", b"").decode("utf-8", "replace") + "\n"

    source = texts()
    head = next(source, "")
    delimiter = delimiter or (";" if head.count(";") > head.count(",") else ",")
    header = [cell.strip() for cell in next(csv.reader([head], delimiter=delimiter), [])]
    if "" in header or len(set(header)) < len(header):
        raise DataError("the header has a column twice or one without a name", where=f"{path}:1")
    reader = csv.reader(source, delimiter=delimiter)
    while True:
        start, nul = at + 1, 0
        try:
            row = next_row(reader, longest=MAX_LINE)
        except csv.Error as error:
            yield Line(number=start, problem=f"no row of a table: {error}")
            continue
        if row is None:
            return
        if row and len(row) != len(header):
            problem = f"{len(row)} cells, but the header has {len(header)}"
            yield Line(number=start, problem=problem)
        elif row:
            line = read_value(dict(zip(header, row, strict=True)), number=start, form="table")
            yield replace(line, nul=nul) if nul else line
