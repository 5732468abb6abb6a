"""A drawn log line as a sample: cut at the turn under test, the observed answer kept apart."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from datetime import date

from befit.core.interaction import Interaction
from befit.core.message import Message
from befit.core.sample import Provenance, Sample
from befit.datasets.language import language_of
from befit.datasets.logrow import question_of
from befit.datasets.sample import Drawn
from befit.datasets.strata import NONE
from befit.interop.log_values import without_nul

_COMMON = 2
"""Samples that share a system prompt from which it is a prompt, and no part of the input."""


def to_samples(
    drawn: Sequence[Drawn], *, prefix: str, fields: Sequence[str], added_on: date
) -> tuple[list[Sample], list[str]]:
    """Return the samples, and the system prompts that were left to the candidates.

    A system prompt that several lines share belongs to the candidate, not to the
    input. The observed answer is stored as `observed`, never as the target.
    """
    systems = Counter(_system(one.interaction) for one in drawn)
    shared = {text for text, count in systems.items() if text and count >= _COMMON}
    made = [
        _sample(one, prefix=prefix, fields=fields, shared=shared, added_on=added_on)
        for one in drawn
    ]
    return made, sorted(shared)


def _clean(held: Interaction) -> Interaction:
    """Return an exchange without NUL characters: a gateway's log was not read by the import."""
    if "\\u0000" not in held.model_dump_json():
        return held
    return Interaction.model_validate(without_nul(held.model_dump(mode="json"))[0])


def _system(held: Interaction) -> str:
    return "\n".join(message.text for message in held.messages if message.role == "system")


def _sample(
    one: Drawn,
    *,
    prefix: str,
    fields: Sequence[str],
    shared: set[str],
    added_on: date,
) -> Sample:
    held = _clean(one.interaction)
    shown = held.messages
    if _system(held) in shared:
        shown = tuple(message for message in shown if message.role != "system")
    mark = hashlib.blake2b(held.id.encode("utf-8", "replace"), digest_size=4).hexdigest()
    values = dict(zip(fields, one.values, strict=False))
    language = values.get("language") or language_of(question_of(held)) or NONE
    tags = [f"{name}:{value}" for name, value in values.items() if value != NONE]
    return Sample(
        id=f"{prefix}-{mark}",
        input=_input(shown),
        language=None if language == NONE else language,
        tags=tuple(tags),
        cluster=held.conversation_id,
        weight=round(one.weight, 3),
        tools=held.tools,
        observed=_observed(held),
        provenance=Provenance(
            source=held.source or None,
            log_id=held.id,
            captured_on=date.fromisoformat(held.ts[:10]) if held.ts else None,
            redacted=True,
        ),
        added_on=added_on,
    )


def _input(shown: tuple[Message, ...]) -> str | tuple[Message, ...]:
    if len(shown) == 1 and shown[0].role == "user" and isinstance(shown[0].content, str):
        return shown[0].content
    return shown


def _observed(held: Interaction) -> str | None:
    if held.output is not None or not held.tool_calls:
        return held.output
    return json.dumps([call.model_dump() for call in held.tool_calls], ensure_ascii=False)
