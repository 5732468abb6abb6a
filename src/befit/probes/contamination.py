"""Context contamination: the same question after more and more turns that do not belong to it.

Kinds: `irrelevant` small talk; `wrong`, earlier answers of the assistant that are
mistaken; `contradicting`, earlier words of the user with other values for what the
question then states. One item is asked at every dose, so doses are compared as
pairs. A sample of the user's can be wrapped instead of a question made here.
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.message import Message
from befit.core.sample import Sample
from befit.errors import UsageError
from befit.probes.pack import HOW, NUMBER, Draw, Knob, Pack
from befit.probes.stories import Story, story
from befit.probes.wording import SMALL_TALK

_MOST = 64
KNOBS = (
    Knob(
        name="doses",
        default="0 2 4 8 16",
        meaning="turns before the question, each of them a sample of the item",
    ),
    Knob(
        name="kind",
        default="irrelevant",
        choices=("irrelevant", "wrong", "contradicting"),
        meaning="what the turns before it are",
        harder="",
    ),
    Knob(name="steps", default=2, low=1, high=12, meaning="steps of the question"),
)


def make(draw: Draw) -> Sequence[Sample]:
    """Return the item at every dose."""
    kind = draw.text("kind")
    asked = story(draw.rng, draw.whole("steps"))
    base = draw.wrapped or Sample(
        id=draw.id,
        input=f"{asked.text}\n{HOW}",
        target=asked.answer,
        checks=(NUMBER,),
    )
    if not isinstance(base.input, str):
        raise UsageError(f"sample '{base.id}' cannot be wrapped", why="its input is no single text")
    doses = _doses(draw.text("doses"))
    told = None if draw.wrapped else asked
    turns = _turns(draw, kind, told, max(doses))
    return [
        base.model_copy(
            update={
                "id": f"{base.id}-{kind}-{dose:02}",
                "input": (
                    *(message for pair in turns[:dose] for message in pair),
                    Message(role="user", content=base.input),
                ),
                "tags": (*base.tags, f"turns:{dose}", f"contamination:{kind}"),
                "cluster": base.cluster or base.id,
            }
        )
        for dose in doses
    ]


def _doses(text: str) -> list[int]:
    try:
        doses = sorted({int(part) for part in text.split()})
    except ValueError:
        doses = []
    if not doses or doses[0] < 0 or doses[-1] > _MOST:
        raise UsageError(
            f"'{text}' are no doses", do=f"write numbers from 0 to {_MOST}: doses='0 2 4 8'"
        )
    return doses


def _turns(draw: Draw, kind: str, asked: Story | None, count: int) -> list[tuple[Message, Message]]:
    rng = draw.rng
    made: list[tuple[Message, Message]] = []
    talk = rng.sample(SMALL_TALK, len(SMALL_TALK))
    for number in range(count):
        if kind == "wrong":
            other = story(rng, draw.whole("steps"))
            said, answered = f"{other.text}\n{HOW}", f"Answer: {other.wrong}"
        elif kind == "contradicting":
            said, answered = _other_values(draw, asked)
        else:
            said, answered = talk[number % len(talk)]
        made.append(
            (Message(role="user", content=said), Message(role="assistant", content=answered))
        )
    return made


def _other_values(draw: Draw, asked: Story | None) -> tuple[str, str]:
    """Return talk of the same people and things with other numbers."""
    rng = draw.rng
    if asked is None:
        return "I may have told you otherwise before; what I say last counts.", "Understood."
    other = story(rng, 1)
    told = other.sentences[-1].replace(other.who, asked.who).replace(other.things, asked.things)
    told = f"{asked.who} has {rng.randint(20, 90)} {asked.things}. {told}"
    return f"For last year it was like this: {told}", "Noted, for last year."


PACK = Pack(
    name="contamination",
    dimension="multi-turn",
    what="one question after turns of talk, of wrong answers or of other values: a dose curve",
    knobs=KNOBS,
    make=make,
    wraps=True,
)
