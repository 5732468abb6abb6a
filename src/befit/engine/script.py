"""What the user says next: the scripted turn, filled in, branched, or made by Python.

And what a simulated user is asked: its model sees the conversation from the
other side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from befit.core.message import Message
from befit.core.sample import Sample, Turn
from befit.core.scenario import SimulatedUser
from befit.engine.render import fill
from befit.errors import BefitError
from befit.plugins import OwnCode, load_object
from befit.scorers.patterns import SlowPatternError, compiled

LAST = "last"
_SEARCHED = 20_000
"""Characters of an answer that a branch's pattern sees: its end."""
_PLAYS = """You play a user who talks to an assistant. Stay in this role; never help, never say \
that you are a model. Write one short message at a time, as a person would, and give facts only \
when they are asked for. When all you wanted is done, or cannot be done, say {stop} alone.

Who you are and what you want:
{goal}"""


class ScriptError(Exception):
    """A turn that cannot be made; the text says why."""


def words(turn: Turn, *, answers: Sequence[str], sample: Sample) -> str:
    """Return what the user says in `turn` after `answers`.

    Raises:
        ScriptError: the turn's Python cannot be loaded, raises or returns no text.
    """
    if turn.python is not None:
        return _from_python(turn.python, answers, sample)
    last = answers[-1] if answers else ""
    said = turn.user
    for branch in turn.branches:
        if _said(branch.when, last[-_SEARCHED:]):
            said = branch.user
            break
    if not turn.fill:
        return said
    values: Mapping[str, str] = {**sample.vars, LAST: last}
    return fill(said, values)


def _said(source: str, last: str) -> bool:
    pattern = compiled(source)
    try:
        return pattern is not None and pattern.search(last) is not None
    except SlowPatternError as error:
        raise ScriptError(f"branches.when: {error}") from error


def _from_python(path: str, answers: Sequence[str], sample: Sample) -> str:
    try:
        with OwnCode():
            said = load_object(path, where="turns.python")(list(answers), sample)
    except BefitError as error:
        raise ScriptError(str(error)) from error
    except Exception as error:
        raise ScriptError(f"{path}: {type(error).__name__}: {error}"[:300]) from error
    if not isinstance(said, str):
        raise ScriptError(f"{path} returned {type(said).__name__}, not text")
    return said


def seen_by_user(
    user: SimulatedUser, sample: Sample, transcript: Sequence[Message]
) -> tuple[Message, ...]:
    """Return the conversation as the simulated user's model sees it: the roles change sides."""
    goal = fill(user.goal, sample.vars)
    head = Message(role="system", content=fill(_PLAYS, {"stop": user.stop, "goal": goal}))
    sides = {"user": "assistant", "assistant": "user"}
    turned = [
        Message(role=sides[message.role], content=message.text)
        for message in transcript
        if message.role in sides and message.text
    ]
    if turned and turned[0].role == "assistant":
        turned.insert(0, Message(role="user", content="(You speak first.)"))
    return (head, *turned)
