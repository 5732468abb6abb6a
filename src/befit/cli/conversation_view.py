"""How a conversation is shown: turn by turn, each answer with the checks that judged it.

`show_view` shows what is of the whole trial; the parts `turn 1`, `turn 2: ...` of its
scores belong to one answer each, and so do the places in the text they point to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from befit.cli.shell import Shell
    from befit.core.message import Message
    from befit.core.score import Score
    from befit.core.trial import Trial

CUT = 600
"""Characters of a message that are shown; `--raw` shows all."""
_TURN = re.compile(r"turn (\d+)(?::\s*(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """What was said from the end of one turn to the end of the next."""

    said: tuple[Message, ...]
    """The user's words, calls of tools and their results, and the answer."""
    output: str
    """The untouched text of the answer that ends it; "" where none came."""


def turns_of(trial: Trial) -> tuple[_Turn, ...]:
    """Return the turns of a trial; none where it is one question with one answer."""
    spoken = [i for i, m in enumerate(trial.transcript) if m.role == "assistant"]
    count = len(trial.completions)
    if count < 2 or len(spoken) < count:  # noqa: PLR2004 - one answer is no conversation
        return ()
    spoken = spoken[len(spoken) - count :]
    # What stands before the last words of the first request is its prompt, which --raw shows.
    heard = [i for i, m in enumerate(trial.transcript[: spoken[0]]) if m.role == "user"]
    start = heard[-1] if heard else 0
    found: list[_Turn] = []
    for end in trial.turn_ends:
        stop = spoken[end] + 1
        said = trial.transcript[start:stop]
        found.append(_Turn(said=said, output=trial.completions[end].text))
        start = stop
    if start < len(trial.transcript):
        found.append(_Turn(said=trial.transcript[start:], output=""))
    return tuple(found)


def turn_of(score: Score) -> int | None:
    """Return the number of the turn that a score is about, from 1; None: the whole."""
    match = _TURN.fullmatch(score.part or "")
    return int(match[1]) if match else None


def show_turns(shell: Shell, turns: Sequence[_Turn], scores: Sequence[Score], *, raw: bool) -> None:
    """Print each turn with what was said and how its answer was judged."""
    judged = {number: score for score in scores if (number := turn_of(score)) and _whole(score)}
    last = max([len(turns), *(turn_of(score) or 0 for score in scores)])
    for number in range(1, last + 1):
        whole = judged.get(number)
        shell.data(f"  turn {number}{_verdict(whole)}")
        turn = turns[number - 1] if number <= len(turns) else None
        for message in turn.said if turn else ():
            _show_message(shell, message, raw=raw)
        if turn is None:
            shell.data("    was not reached")
        for score in scores:
            if turn_of(score) == number and score.scorer != "befit":
                shell.data(f"    {score_line(score, turn.output if turn else '')}")


def show_given(shell: Shell, trial: Trial, *, raw: bool) -> None:
    """Print the conversation that a sample states before its question, where it states one."""
    given = [message for message in trial.transcript[:-1] if message.role != "system"]
    if raw or not any(message.role == "assistant" for message in given):
        return
    shell.data("  given")
    for message in given:
        _show_message(shell, message, raw=raw)


def _whole(score: Score) -> bool:
    """Tell whether a score is the verdict on a whole turn."""
    return score.scorer == "befit" and score.part == f"turn {turn_of(score)}"


def _verdict(score: Score | None) -> str:
    if score is None:
        return ""
    told = "unscored" if score.value is None else "pass" if score.value == 1.0 else "FAIL"
    why = [text for text in (score.label, score.explanation) if text and score.value != 1.0]
    return "  ".join(["", told, *why])


def _show_message(shell: Shell, message: Message, *, raw: bool) -> None:
    text = message.text if raw or len(message.text) <= CUT else f"{message.text[:CUT]} ..."
    who = message.role if not message.name else f"{message.role} {message.name}"
    lines = text.split("\n") if text else []
    lines += [f"calls {call.name}({call.arguments})" for call in message.tool_calls]
    for place, line in enumerate(lines or ["(nothing)"]):
        shell.data(f"    {who + ': ' if place == 0 else '  '}{line}")


def score_line(score: Score, output: str) -> str:
    """Return one judgement in one line, with the words of `output` it rests on."""
    value = "unscored" if score.value is None else f"{score.value:g}"
    match = _TURN.fullmatch(score.part or "")
    part = (match[2] or "") if match else (score.part or "")
    matched = "" if score.span is None else output[slice(*score.span)]
    shown = [f"{score.scorer}.{score.name}{f' [{part}]' if part else ''} = {value}"]
    shown += [score.label] if score.label else []
    shown += [f"matched {matched!r}"] if matched else []
    shown += [f"rule: {score.rule}"] if score.rule else []
    # A model's words are hostile text: they are shown as they would be written in code.
    told = score.explanation if score.scorer == "judge" else None
    shown += [f"said: {told!r}"] if told else []
    return "  ".join(shown)
