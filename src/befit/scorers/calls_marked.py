"""The marks by which models without a tool interface set their calls apart from their prose.

Where a thought ends, which tags hold calls, `<function=f>{...}</function>`, the lines
`Action:` and `Action Input:`, and which of the calls of a text are its last word: a plan
that is written out once more below is made once. `calls_read` reads what stands inside.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from befit.scorers.evidence import Span, blank

_THOUGHT = r"(?:think|thinking|thought|reasoning)"
_THOUGHTS = re.compile(rf"<{_THOUGHT}>.*?(?:</{_THOUGHT}>|\Z)", re.IGNORECASE | re.DOTALL)
_ENDED = re.compile(rf"\A.*</{_THOUGHT}>", re.IGNORECASE | re.DOTALL)
"""A thought whose first tag stands in the prompt, as chat templates have it."""
TAG = re.compile(r"</?(?:tool|function)_?calls?>", re.IGNORECASE)
_TAGGED = re.compile(
    r"<((?:tool|function)_?calls?)>(.*?)(?:</\1>|(?=<(?:tool|function)_?calls?>)|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_FUNCTION = re.compile(
    r"<function=([\w.:-]{1,100})>(.*?)(?:</function>|(?=<function=)|\Z)", re.IGNORECASE | re.DOTALL
)
_ACTION = re.compile(
    r"^[ \t>*_-]*Action[*_]*:[*_]*[ \t]*[`\"']?([\w.:-]{1,100})(?:\(\))?[`\"']?[ \t*_]*\n+"
    r"[ \t>*_-]*Action[ _]?Input[*_]*:[*_]*(.*?)"
    r"(?=^[ \t>*_-]*(?:Action|Observation|Thought|Final Answer|Answer)[ \t*_]*\d*:|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_NO_ACTION = frozenset(("none", "n/a", "no", "finish", "final_answer", "final-answer", "answer"))
_FENCE = re.compile(r"\A`{1,3}(?:(?<=```)\w{1,20}\n)?")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SAME_ONCE_MORE = re.compile(
    r"\b(?:again|once more|another|twice|re-?try|re-?run|repeat\w*|second(?:ly)?|third"
    r"|(?:call|step|tool)[ #]*\d|nochmals?|noch einmal|erneut|wieder|zweite[rns]?"
    r"|encore|de nouveau|otra vez|de nuevo|ancora|di nuovo|de novo|opnieuw)\b",
    re.IGNORECASE,
)
"""Words by which the same call is meant to be made once more."""
_PROSE = 2
"""Words between two calls that make them calls of two passages: "and" makes them one."""
_MOST = 200
"""Calls of a text among which a plan is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A call by a mark that names its function: where it stands, and its arguments as text."""

    span: Span
    name: str
    arguments: str


def without_thoughts(text: str) -> str:
    """Return `text` with what stands in `<think>` or its like blank; every place stays."""
    return _ENDED.sub(blank, _THOUGHTS.sub(blank, text)) if "<" in text else text


def tagged(text: str) -> list[Span]:
    """Return where calls stand in tags; a tag that is never closed runs to the end."""
    return [found.span(2) for found in _TAGGED.finditer(text)]


def marked(text: str) -> list[Marked]:
    """Return the calls by `<function=f>` and by `Action:`, in their order."""
    return sorted(_marked(text), key=lambda one: one.span)


def _marked(text: str) -> Iterator[Marked]:
    for form in (_FUNCTION, _ACTION):
        for found in form.finditer(text):
            name, given = found.group(1), found.group(2).strip()
            if form is _ACTION and name.lower() in _NO_ACTION:
                continue
            yield Marked(span=found.span(), name=name, arguments=_bare(given))


def _bare(given: str) -> str:
    opened = _FENCE.match(given)
    return given if opened is None else given[opened.end() :].rstrip("`").strip()


def last_word(text: str, placed: Sequence[tuple[Span, str]]) -> int:
    """Return the first of the calls that count: those before it are written out again below.

    Calls between which there is no prose are one passage. A call made on purpose a second
    time ("I run it again: ...") and one written twice in a row count as often as they stand.

    Args:
        text: where they stand.
        placed: place and identity of each call, in their order.
    """
    if len(placed) > _MOST:
        return 0
    starts = [0, *(at for at in range(1, len(placed)) if _apart(text, placed, at)), len(placed)]
    names = [name for _, name in placed]
    for at, after in reversed(list(pairwise(starts[1:]))):
        before, here = Counter(names[:at]), Counter(names[at:after])
        if names[at : 2 * at] != names[:at] and not before <= here:
            continue
        gap = text[placed[at - 1][0][1] : placed[at][0][0]]
        if not _SAME_ONCE_MORE.search(gap):
            return at
    return 0


def _apart(text: str, placed: Sequence[tuple[Span, str]], at: int) -> bool:
    gap = TAG.sub(" ", text[placed[at - 1][0][1] : placed[at][0][0]])
    return len(_WORD.findall(gap)) >= _PROSE
