"""The chat-completions dialect, answers: events of a stream, or a whole body, into a draft.

Only choice 0 is read (n > 1 is never asked for). Fields that providers add
(obfuscation padding, prompt filter results) are passed over. Log probabilities are
read where the first token of a stream brings some, and from a whole body. The
request side is `chat_body`; bytes and sockets are the business of `exchange`.
"""

from __future__ import annotations

import orjson

from befit.core.completion import TokenChance
from befit.core.record import Json
from befit.targets.usage import openai_usage
from befit.targets.wire.reader import AnswerReader

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


class ChatReader(AnswerReader):
    """Reads one answer of a chat-completions endpoint."""

    def read_event(self, chunk: dict[str, Json], now: float) -> None:
        """Take one chunk; usage may come in a last one without choices."""
        draft = self.draft
        if draft.first_output_token is not None and not draft.logprobs:
            # Most chunks only add text. Reading those with a few look-ups keeps the client's
            # own time out of what it measures; anything else takes the full way.
            try:
                choices = chunk["choices"]
                choice = choices[0]
                delta = choice["delta"]
                content = delta["content"]
                plain = (
                    choice["finish_reason"] is None
                    and choice["index"] == 0
                    and len(delta) == 1
                    and len(choices) == 1
                    and content.__class__ is str
                    and "error" not in chunk
                    and ("usage" not in chunk or chunk["usage"] is None)
                )
            except (KeyError, IndexError, TypeError):
                plain = False
            if plain:
                if content:
                    draft.text.append(content)
                    draft.last_token = now
                return
        self._chunk(chunk, now, "delta")

    def read_many(self, chunks: list[Json], now: float) -> int:
        """Take chunks that only add text, up to the first that says anything else."""
        draft = self.draft
        taken = 0
        if draft.first_output_token is None:
            # The beginning names the model and the role; it takes the full way.
            while taken < len(chunks) and draft.first_output_token is None:
                if draft.done or draft.failure is not None:
                    return taken
                try:
                    self.read_event(chunks[taken], now)
                except (TypeError, AttributeError, KeyError, ValueError):
                    return taken
                taken += 1
        # Where the first token brought log probabilities, every chunk does: none is plain.
        rest = () if draft.logprobs else chunks[taken:] if taken else chunks
        add = draft.text.append
        before = len(draft.text)
        try:
            for chunk in rest:
                (choice,) = chunk["choices"]
                delta = choice["delta"]
                content = delta["content"]
                if (
                    content.__class__ is not str
                    or len(delta) != 1
                    or choice["finish_reason"] is not None
                    or choice["index"]
                    or "error" in chunk
                    or ("usage" in chunk and chunk["usage"] is not None)
                ):
                    break
                if content:
                    add(content)
                taken += 1
        except (KeyError, ValueError, TypeError):
            pass  # not plain: this chunk is read with care, by itself
        if len(draft.text) > before:
            draft.last_token = now
        return taken

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
            arguments = orjson.dumps(arguments).decode()  # some providers send an object
        draft.add_arguments(call, arguments or "", now)
