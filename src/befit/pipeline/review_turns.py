"""What a reviewer reads of one trial: what was asked, as the scenario asks it, and the answers.

The question is what the scenario's own template makes of the sample. A candidate's
own template, its worked examples and its system prompt are left out: how a question
was put would tell who answered it. An answer that never came is an empty one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from befit.core.candidate import Candidate
from befit.core.message import ImagePart, Message, TextPart
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.core.trial import Trial
from befit.engine.render import Renderer
from befit.errors import DataError

_DRAWN = re.compile(
    r"!\[[^\]\n]{0,200}\]\((?P<u1>data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=]+)\)"
    r"|(?P<u2>data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=]{40,})"
)
"""A picture inside a text: as Markdown has it, or its bare address."""
_NOBODY = Candidate(name="nobody", target="none")
"""A candidate that adds nothing of its own to a question."""
_SAYS = {"user": "User", "assistant": "Assistant"}


def own_words(sample: Sample) -> str:
    """Return the sample's own words, without a template: the text that fields are taken from."""
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(message.text for message in sample.input or () if message.role == "user")


def shown_turns(
    spec: ScenarioSpec, candidate: Candidate, sample: Sample, trial: Trial
) -> list[Message]:
    """Return what the user said and what was answered, in turn, from the question on."""
    opening = _opening(spec, sample)
    questions = [] if not opening else [_as_one(opening)]
    if sample.turns or spec.user is not None:
        answers = [trial.completions[place].text for place in trial.turn_ends]
        shots = len(spec.examples[: candidate.prompt.shots])
        before = shots + sum(message.role == "user" for message in opening)
        spoken = [message for message in trial.transcript if message.role == "user"]
        questions += [Message(role="user", content=message.content) for message in spoken[before:]]
    else:
        answers = [trial.output]
    # Where a candidate failed on what the user had said, nothing was answered.
    answers += [""] * (len(questions) - len(answers))
    found: list[Message] = []
    for number, answer in enumerate(answers):
        found += questions[number : number + 1]
        found.append(answered(answer))
    return found


def _opening(spec: ScenarioSpec, sample: Sample) -> list[Message]:
    """Return the messages up to the first answer, as the scenario words them for everybody."""
    renderer = Renderer(spec, _NOBODY)
    try:
        made = renderer.render(sample)
    except DataError:  # a file that no model is shown
        made = renderer.render(sample.model_copy(update={"attachments": ()}))
    return [message for message in made if message.role in _SAYS]


def _as_one(messages: Sequence[Message]) -> Message:
    """Return a question of one message; of a conversation given as input, who says what."""
    if len(messages) == 1:
        return Message(role="user", content=messages[0].content)
    text = "\n\n".join(f"{_SAYS[message.role]}: {message.text}" for message in messages)
    pictures = [
        part
        for message in messages
        if not isinstance(message.content, str)
        for part in message.content
        if isinstance(part, ImagePart)
    ]
    return Message(role="user", content=(TextPart(text=text), *pictures) if pictures else text)


def answered(text: str) -> Message:
    """Return an answer; pictures it has drawn into its text stand beside it, not in it."""
    pictures: list[ImagePart] = []

    def taken(found: re.Match[str]) -> str:
        pictures.append(ImagePart(url=found["u1"] or found["u2"]))
        return f"[picture {len(pictures)}]"

    bare = _DRAWN.sub(taken, text)
    content = (TextPart(text=bare), *pictures) if pictures else text
    return Message(role="assistant", content=content)
