"""The file format of recorded answers: one record, its identity, the index, and the writer.

The format is described in `replay`, which answers from such files.
"""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

import orjson
from pydantic import TypeAdapter, ValidationError

from befit.core.completion import Completion, Timing
from befit.core.failure import Failure
from befit.core.fingerprint import fingerprint
from befit.core.json_text import harmless
from befit.core.message import Message
from befit.core.price import Usage
from befit.core.record import Json
from befit.errors import DataError
from befit.targets.wire.halves import read_json, written

_FIELDS = frozenset(
    {
        *("scenario", "sample_id", "repeat", "variant", "turn", "messages", "text", "reasoning"),
        *("tool_calls", "finish_reason", "usage", "timing", "served_model"),
        *("system_fingerprint", "request_id", "failure"),
    }
)
_ANSWER, _FAILURE = TypeAdapter(Completion), TypeAdapter(Failure)
_ANSWER_FIELDS = tuple(field.name for field in fields(Completion) if field.name != "headers")


class Identity(NamedTuple):
    """Which call a record answers: by name, or by the hash of what was asked."""

    scenario: str = ""
    sample_id: str = ""
    repeat: int = 0
    variant: str = ""
    turn: int = 0
    messages: str = ""

    @property
    def key(self) -> int:
        """64 bits for the index; the record itself is compared after the look-up."""
        text = "\x1f".join(map(str, self)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())

    def __str__(self) -> str:
        """For a message to a person."""
        if not self.sample_id:
            return f"these messages (hash {self.messages}), repeat {self.repeat}"
        extra = f", variant '{self.variant}'" if self.variant else ""
        extra += f", turn {self.turn}" if self.turn else ""
        inside = f" of scenario '{self.scenario}'" if self.scenario else ""
        return f"sample '{self.sample_id}'{inside}, repeat {self.repeat}{extra}"


def messages_hash(messages: Sequence[Message]) -> str:
    """Hash of the rendered messages of a request."""
    return fingerprint([message.model_dump(mode="json") for message in messages])


def identity(record: dict[str, Json]) -> Identity:
    """Return the identity of `record`."""
    if record.get("sample_id"):
        return Identity(
            scenario=record.get("scenario") or "",
            sample_id=record["sample_id"],
            repeat=record.get("repeat") or 0,
            variant=record.get("variant") or "",
            turn=record.get("turn") or 0,
        )
    return Identity(messages=record.get("messages") or "", repeat=record.get("repeat") or 0)


def read_record(line: bytes, *, where: str = "") -> dict[str, Json]:
    """Return the record in `line`, checked as far as finding it needs; the rest when it is used.

    Raises:
        DataError: no JSON object, unknown fields, or neither answer nor failure.
    """
    try:
        record = read_json(line)
    except orjson.JSONDecodeError as error:
        raise DataError("not a JSON object", where=where, why=str(error)) from None
    if not isinstance(record, dict):
        raise DataError("not a JSON object", where=where)
    unknown = sorted(record.keys() - _FIELDS)
    if unknown:
        raise DataError(f"unknown field '{unknown[0]}'", where=where)
    if not isinstance(record.get("text"), str) and not isinstance(record.get("failure"), dict):
        raise DataError("a record needs 'text' or 'failure'", where=where)
    if not record.get("sample_id") and not record.get("messages"):
        raise DataError("a record needs 'sample_id' or 'messages'", where=where)
    return record


def recorded_completion(record: dict[str, Json], *, where: str = "") -> Completion:
    """Return the completion of a record that `read_record` took.

    Raises:
        DataError: a field has the wrong form.
    """
    try:
        return _ANSWER.validate_python(
            {name: record[name] for name in _ANSWER_FIELDS if record.get(name) is not None}
        )
    except ValidationError as error:
        raise _wrong_form(error, where) from None


def recorded_failure(record: dict[str, Json], *, where: str = "") -> Failure:
    """Return the failure of a record.

    Raises:
        DataError: a field has the wrong form.
    """
    try:
        return _FAILURE.validate_python(record["failure"])
    except ValidationError as error:
        raise _wrong_form(error, where) from None


def _wrong_form(error: ValidationError, where: str) -> DataError:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(step) for step in first["loc"])
    return DataError(f"field '{field}' has the wrong form", where=where, why=first["msg"])


class RecordIndex:
    """Where each record begins, sorted by the key of its identity: 16 bytes a line."""

    def __init__(self, keys: array[int], offsets: array[int]) -> None:
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._keys = array("Q", (keys[i] for i in order))
        self._offsets = array("Q", (offsets[i] for i in order))

    @classmethod
    def of(cls, path: Path) -> RecordIndex:
        """Read the whole file once, checking every line.

        Raises:
            DataError: with file and line of the first line that is no record.
        """
        keys, offsets, offset = array("Q"), array("Q"), 0
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    record = read_record(line, where=f"{path}:{number}")
                    keys.append(identity(record).key)
                    offsets.append(offset)
                offset += len(line)
        return cls(keys, offsets)

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, wanted: Sequence[Identity], file: BinaryIO | None) -> bytes | None:
        """Return the line of the first of `wanted` that is recorded; of doubles the last."""
        if file is None:
            return None
        for candidate in wanted:
            found: bytes | None = None
            at = bisect_left(self._keys, candidate.key)
            while at < len(self._keys) and self._keys[at] == candidate.key:
                file.seek(self._offsets[at])
                line = file.readline()
                if identity(read_json(line)) == candidate:
                    found = line
                at += 1
            if found is not None:
                return found
        return None


class ReplayWriter:
    """Writes recorded answers, one line each; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        self._file = self._path.open("wb")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def write(self, answer: Completion | Failure, *, of: Identity) -> None:
        """Append the record of `answer` under the identity `of`.

        Raises:
            ValueError: outside the context manager, or `of` names neither sample nor messages.
        """
        if self._file is None:
            raise ValueError("ReplayWriter is used as a context manager")
        if not of.sample_id and not of.messages:
            raise ValueError("an identity needs a sample_id or the hash of the messages")
        record: dict[str, Json] = dict(of._asdict())
        if isinstance(answer, Failure):
            record["failure"] = asdict(answer)
        else:
            record |= {
                "text": answer.text,
                "reasoning": answer.reasoning,
                "tool_calls": [call.model_dump() for call in answer.tool_calls],
                "finish_reason": answer.finish_reason,
                "usage": None if answer.usage is None else _slim(answer.usage),
                "timing": None if answer.timing == Timing() else asdict(answer.timing),
                "served_model": answer.served_model,
                "system_fingerprint": answer.system_fingerprint,
                "request_id": answer.request_id,
            }
        self._file.write(harmless(written(record)) + b"\n")


def _slim(usage: Usage) -> dict[str, Json]:
    """Only the classes that were used."""
    values = {field.name: getattr(usage, field.name) for field in fields(usage)}
    return {name: value for name, value in values.items() if value}
