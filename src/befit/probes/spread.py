"""Multi-turn spread: the same task in one message, in one list, and told bit by bit.

After Laban et al. 2025 (arXiv 2505.06120): `full` is the task as one text, `concat`
the same pieces as a list in one message, `sharded` one piece a turn, the answer
being due at the end. The three are compared as pairs; `concat` tells the loss by
rewording from the loss by turns. Samples of the user's are cut at their sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from befit.core.sample import Sample, Turn
from befit.errors import UsageError
from befit.probes.pack import HOW, NUMBER, Draw, Knob, Pack
from befit.probes.stories import story

KNOBS = (Knob(name="steps", default=4, low=1, high=40, meaning="pieces the task comes in"),)
_END = re.compile(r"(?<=[.!?。！？])\s+")
_WAIT = "I tell you in parts; say only OK until I ask."


def make(draw: Draw) -> Sequence[Sample]:
    """Return the task in its three forms."""
    if draw.wrapped is None:
        told = story(draw.rng, draw.whole("steps"))
        base = Sample(id=draw.id, input=f"{told.text}\n{HOW}", target=told.answer, checks=(NUMBER,))
        pieces = [*told.sentences, f"{told.question} {HOW}"]
    else:
        base = draw.wrapped
        if not isinstance(base.input, str) or base.attachments:
            raise UsageError(
                f"sample '{base.id}' cannot be spread", why="its input is no single text"
            )
        pieces = [piece for piece in _END.split(base.input.strip()) if piece]
    listed = "\n".join(f"- {piece}" for piece in pieces)
    turns = tuple(Turn(user=piece) for piece in pieces)
    if len(turns) > 1:
        turns = (Turn(user=f"{_WAIT}\n{pieces[0]}"), *turns[1:])
    forms: dict[str, dict[str, object]] = {
        "full": {"input": base.input},
        "concat": {"input": listed},
        "sharded": {"input": None, "turns": turns},
    }
    return [
        base.model_copy(
            update={
                "id": f"{base.id}-{form}",
                "tags": (*base.tags, f"form:{form}", f"pieces:{len(pieces)}"),
                "cluster": base.cluster or base.id,
                **changed,
            }
        )
        for form, changed in forms.items()
    ]


PACK = Pack(
    name="spread",
    dimension="multi-turn",
    what="the same task in one message, as a list, and spread over turns, paired",
    knobs=KNOBS,
    make=make,
    wraps=True,
)
