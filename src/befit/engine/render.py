"""From scenario, candidate and sample to the messages that are sent.

The order is: system prompt, `prompt.shots` worked examples, the sample. One
template per scenario goes around the input, of the examples as of the sample.

Decided here, because a file may give the input in three ways:

- a string: the template goes around it;
- messages: the template goes around the text of the last user message, the
  others stay as written, and a system message of the sample's own is joined to
  the candidate's (many providers refuse two);
- scripted turns: the template goes around the first turn, which carries the
  task; later turns are said as written.

`{name}` stands for `input` or a variable of the sample and is replaced in one
pass, so that content is never read as a template. `{{name}}` gives a literal
`{name}`; all other braces stay as they are.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from befit.core.candidate import Candidate
from befit.core.message import ImagePart, Message, TextPart
from befit.core.sample import Attachment, Sample
from befit.core.scenario import ScenarioSpec
from befit.engine.tokens import request_size, utf8_size
from befit.errors import DataError

_PLACE = re.compile(r"\{\{([A-Za-z_][\w.-]*)\}\}|\{([A-Za-z_][\w.-]*)\}")
INPUT = "input"
BARE = "{input}"
"""The template of a scenario that states none."""


def template_names(template: str) -> set[str]:
    """Return the names that `template` asks for (`input` and variables of the sample)."""
    return {found[2] for found in _PLACE.finditer(template) if found[2] is not None}


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return `template` with each known `{name}` replaced, in one pass."""
    if template == BARE and INPUT in values:
        return values[INPUT]

    def replace(found: re.Match[str]) -> str:
        if found[1] is not None:
            return f"{{{found[1]}}}"
        return values.get(found[2], found[0])

    return _PLACE.sub(replace, template)


def render(spec: ScenarioSpec, candidate: Candidate, sample: Sample) -> tuple[Message, ...]:
    """Return the opening messages for `sample`, up to the first answer that is due.

    Raises:
        DataError: an attachment of a type that cannot be shown to a model.
    """
    return Renderer(spec, candidate).render(sample)


class Renderer:
    """Renders many samples of one scenario for one candidate."""

    def __init__(self, spec: ScenarioSpec, candidate: Candidate) -> None:
        self._template = spec.resolved_template(candidate.prompt)
        self._bare = self._template == BARE
        self._system = candidate.prompt.system
        self._head: tuple[Message, ...] = ()
        if self._system is not None:
            self._head = (Message(role="system", content=self._system),)
        shots: list[Message] = []
        for example in spec.examples[: candidate.prompt.shots]:
            shown = fill(self._template, {INPUT: example.input})
            shots.append(Message(role="user", content=shown))
            shots.append(Message(role="assistant", content=example.output))
        self._shots = tuple(shots)
        before = (*self._head, *shots)
        self._before = request_size(before)[0], len(before)

    def size(self, sample: Sample) -> tuple[int, int] | None:
        """Return bytes and number of the messages without making them.

        None where the sample is more than one text.
        """
        if isinstance(sample.input, tuple) or sample.attachments:
            return None
        text = sample.input if sample.input is not None else sample.turns[0].user
        return self._before[0] + utf8_size(self._fill(sample, text)), self._before[1] + 1

    def render(self, sample: Sample) -> tuple[Message, ...]:
        """Return the opening messages for `sample`; raises DataError as `render` does."""
        if isinstance(sample.input, tuple):
            return self._from_messages(sample, sample.input)
        text = sample.input if sample.input is not None else sample.turns[0].user
        message = Message(role="user", content=self._fill(sample, text))
        if sample.attachments:
            message = _attach(message, sample)
        return (*self._head, *self._shots, message)

    def _fill(self, sample: Sample, text: str) -> str:
        if self._bare:
            return text
        values = {**sample.vars, INPUT: text} if sample.vars else {INPUT: text}
        return fill(self._template, values)

    def _from_messages(self, sample: Sample, given: tuple[Message, ...]) -> tuple[Message, ...]:
        own_system = [m.text for m in given if m.role == "system"]
        said = [m for m in given if m.role != "system"]
        head = self._head
        if own_system:
            parts = [self._system, *own_system] if self._system is not None else own_system
            head = (Message(role="system", content="\n\n".join(parts)),)
        last = max((i for i, m in enumerate(said) if m.role == "user"), default=None)
        if last is not None:
            filled = self._fill(sample, said[last].text)
            said[last] = _with_text(said[last], filled)
            if sample.attachments:
                said[last] = _attach(said[last], sample)
        return (*head, *self._shots, *said)


def _with_text(message: Message, text: str) -> Message:
    if isinstance(message.content, str):
        return message.model_copy(update={"content": text})
    images = tuple(part for part in message.content if isinstance(part, ImagePart))
    return message.model_copy(update={"content": (TextPart(text=text), *images)})


def _attach(message: Message, sample: Sample) -> Message:
    parts = (
        (TextPart(text=message.content),) if isinstance(message.content, str) else message.content
    )
    shown = tuple(_attachment_part(attachment, sample.id) for attachment in sample.attachments)
    return message.model_copy(update={"content": (*parts, *shown)})


def _attachment_part(attachment: Attachment, sample_id: str) -> TextPart | ImagePart:
    head, _, payload = attachment.url.partition(",")
    kind, *flags = head.removeprefix("data:").lower().split(";")
    if kind.startswith("image/"):
        return ImagePart(url=attachment.url)
    if kind.startswith("text/") or kind in {"", "application/json"}:
        try:
            raw = unquote_to_bytes(payload)
            content = base64.b64decode(raw, validate=True) if "base64" in flags else raw
            return TextPart(text=f"{attachment.name}:\n{content.decode()}")
        except (binascii.Error, UnicodeDecodeError) as error:
            raise DataError(
                f"attachment '{attachment.name}' cannot be read",
                where=f"sample {sample_id}",
                why=str(error),
                do="give it as UTF-8 text, plain or in base64",
            ) from error
    raise DataError(
        f"attachment '{attachment.name}' has type '{kind}'",
        where=f"sample {sample_id}",
        why="a model is shown images (data:image/...) and texts (data:text/...) only",
        do="convert it to an image or to text",
    )
