"""The chat-completions dialect, answers: events of a stream, or a whole body, into a draft.

Only choice 0 is read (n > 1 is never asked for). Fields that providers add
(obfuscation padding, prompt filter results) are passed over. Log probabilities are
read where the first token of a stream brings some, and from a whole body. The
request side is `chat_body`; bytes and sockets are the business of `exchange`.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from befit.core.completion import TokenChance
from befit.core.record import Json
from befit.targets.sse import Event, events_of
from befit.targets.usage import openai_usage
from befit.targets.wire.alike import Alike, Padded
from befit.targets.wire.halves import written
from befit.targets.wire.reader import AnswerReader, parsed

TRIES = 3
"""So many events in a row are looked at for a form that the next ones repeat. A server that
writes something new into every chunk (padding, a date) is then read as it comes."""
MANY = 4
"""So many events in one read are parsed together."""
MOST_TOKENS = 1_000
"""Tokens whose probabilities are kept."""


def token_chances(told: dict[str, Json]) -> tuple[TokenChance, ...]:
    """Return the log probabilities of an answer's tokens; () where they are not in this form."""
    try:
        return tuple(
            (
                str(one["token"]),
                float(one["logprob"]),
                tuple(
                    (str(o["token"]), float(o["logprob"])) for o in one.get("top_logprobs") or ()
                ),
            )
            for one in (told.get("content") or ())[:MOST_TOKENS]
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return ()


def _added(chunk: Json) -> str | None:
    """Return the text of a chunk that does nothing but add some; None for every other."""
    try:
        (choice,) = chunk["choices"]
        delta = choice["delta"]
        text = delta["content"]
        plain = (
            choice["finish_reason"] is None
            and choice["index"] == 0
            and len(delta) == 1
            and text.__class__ is str
            and "error" not in chunk
            and ("usage" not in chunk or chunk["usage"] is None)
        )
    except (KeyError, ValueError, TypeError):
        return None
    return text if plain else None


def _adds(form: Alike | Padded, text: bytes) -> bool:
    """Whether an event of this form around `text` does nothing but add it."""
    try:
        read = _added(orjson.loads(form.filled(text)))
    except orjson.JSONDecodeError:
        return False
    return read is not None and read.encode() == text


class ChatReader(AnswerReader):
    """Reads one answer of a chat-completions endpoint."""

    def __init__(self, *, secrets: Iterable[str] = ()) -> None:
        super().__init__(secrets=secrets)
        self._alike: Alike | Padded | None = None
        self._last: Alike | None = None
        """The form of the event before, if that only added text."""
        self._tries = TRIES

    def read_stream(self, whole: bytes, now: float) -> None:
        """Take whole events; those that repeat the last one around another text, at once."""
        at, draft = 0, self.draft
        while self._tries and at < len(whole):
            if self._alike is not None:
                read = self._alike.read(whole, at)
                if read is not None:
                    text, at = read
                    draft.last_event = now
                    if text:
                        draft.text.append(text)
                        draft.last_token = now
                    self._tries = TRIES
                    continue
            end = whole.find(b"\n\n", at)
            end = len(whole) if end < 0 else end + 2  # empty lines may stand after the last event
            events = events_of(whole[at:end])
            self.take(events, now)
            at = end
            if draft.finished or draft.failure is not None or draft.logprobs:
                self._tries = 0  # no more text, or more than text
            elif events and draft.first_output_token is not None:
                self._tries -= 1
                self._alike = self._form(events[0][1])
        if at < len(whole):
            events = events_of(whole[at:] if at else whole)
            taken = self._read_many(events, now) if len(events) >= MANY else 0
            self.take(events[taken:] if taken else events, now)

    def _read_many(self, events: list[Event], now: float) -> int:
        """Read the first events that only add text by one parse; return how many those are."""
        draft = self.draft
        if draft.finished or draft.failure is not None or draft.logprobs:
            return 0
        texts: list[str] = []
        for chunk in parsed(events):
            text = _added(chunk)
            if text is None:
                break
            texts.append(text)
        if texts:
            draft.last_event = now
            whole = "".join(texts)
            if whole:
                draft.text.append(whole)
                draft.last_token = now
        return len(texts)

    def _form(self, data: bytes) -> Alike | Padded | None:
        """The form of an event that only adds text; None for every other.

        Where the event before only differed in a padding, the form of both.
        """
        before, self._last = self._last, None
        found = Alike.around(data)
        if found is None:
            return None
        form, written = found
        other = b"x" if written != b"x" else b"y"
        if not _adds(form, other):
            return None
        self._last = form
        padded = Padded.of(before, form) if before is not None else None
        return padded if padded is not None and _adds(padded, other) else form

    def read_event(self, chunk: dict[str, Json], now: float) -> None:
        """Take one chunk; usage may come in a last one without choices."""
        draft = self.draft
        if draft.first_output_token is not None and not draft.logprobs:
            # Most chunks only add text. Reading those with a few look-ups keeps the client's
            # own time out of what it measures; anything else takes the full way.
            text = _added(chunk)
            if text is not None:
                if text:
                    draft.text.append(text)
                    draft.last_token = now
                return
        self._chunk(chunk, now, "delta")

    def read_body(self, answer: dict[str, Json], now: float) -> None:
        """Take an unstreamed `chat.completion`."""
        self._chunk(answer, now, "message")

    def _chunk(self, chunk: dict[str, Json], now: float, key: str) -> None:
        draft = self.draft
        if chunk.get("error") or chunk.get("object") == "error" or chunk.get("type") == "error":
            self.in_band(chunk)
            return
        if draft.body_id is None:
            draft.body_id = chunk.get("id") or None
        if draft.served_model is None:
            draft.served_model = chunk.get("model") or None
        if draft.system_fingerprint is None:
            draft.system_fingerprint = chunk.get("system_fingerprint")
        if draft.provider is None:
            named = chunk.get("provider")
            draft.provider = named if isinstance(named, str) else None
        usage = chunk.get("usage")
        if usage:
            draft.usage = openai_usage(usage)
        for choice in chunk.get("choices") or ():
            if not choice.get("index"):
                self._choice(choice, choice.get(key) or {}, now)

    def _choice(self, choice: dict[str, Json], delta: dict[str, Json], now: float) -> None:
        draft = self.draft
        draft.answered = True
        if choice.get("error") or choice.get("finish_reason") == "error":
            problem = choice.get("error") or "the provider ended the answer with an error"
            self.in_band(problem)
            return
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if thought:
            draft.add_reasoning(thought, now)
        content = delta.get("content")
        if content:
            if isinstance(content, str):
                draft.add_text(content, now)
            else:
                self._parts(content, now)
        declined = delta.get("refusal")
        if declined:
            draft.add_refusal(declined, now)
        for position, piece in enumerate(delta.get("tool_calls") or ()):
            self._call(piece, position, now)
        told = choice.get("logprobs")
        if told and len(draft.logprobs) < MOST_TOKENS:
            draft.logprobs += token_chances(told)
        draft.finish(choice.get("finish_reason"))

    def _parts(self, parts: list[dict[str, Json]], now: float) -> None:
        """Content as a list of parts (some providers put thinking there)."""
        for part in parts:
            if part.get("type") == "thinking":
                inner = part.get("thinking") or ""
                pieces = [inner] if isinstance(inner, str) else [p.get("text", "") for p in inner]
                for piece in pieces:
                    self.draft.add_reasoning(piece, now)
            else:
                self.draft.add_text(part.get("text") or "", now)

    def _call(self, piece: dict[str, Json], position: int, now: float) -> None:
        draft = self.draft
        index = piece.get("index")
        if index is None:
            # Providers that leave the index out send whole calls, each with its own id.
            known = [i for i, call in draft.calls.items() if call.id == piece.get("id")]
            index = known[0] if known else max(len(draft.calls), position)
        call = draft.call(int(index))
        if piece.get("id"):
            call.id = piece["id"]
        function = piece.get("function") or {}
        draft.name_call(call, function.get("name") or "", now)
        arguments = function.get("arguments")
        if arguments and not isinstance(arguments, str):
            arguments = written(arguments).decode()  # some providers send an object
        draft.add_arguments(call, arguments or "", now)
