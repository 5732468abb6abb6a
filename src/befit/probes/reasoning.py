"""Reasoning: word problems (with and without an irrelevant clause), logic, long sums.

Forms: `story`, `ordering` (who stands where in a row), `seating` (a round table),
`truth` (who tells the truth), `calculation`. Every one has exactly one answer;
those of logic are found by trying all possibilities.
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.sample import Sample
from befit.probes.pack import HOW, NUMBER, WORDS, Draw, Knob, Pack
from befit.probes.reasoning_logic import Puzzle, ordering, seating, truth
from befit.probes.stories import irrelevant, story

FORMS = ("story", "ordering", "seating", "truth", "calculation", "mixed")
KNOBS = (
    Knob(name="form", default="mixed", choices=FORMS, harder="", meaning="the kind of task"),
    Knob(name="steps", default=3, low=1, high=20, meaning="steps of stories and calculations"),
    Knob(name="people", default=4, low=3, high=7, meaning="people in the puzzles of logic"),
    Knob(
        name="irrelevant",
        default=0,
        low=0,
        high=5,
        meaning="irrelevant clauses in a twin of each story; 0: no twin",
    ),
)
_PUZZLES = {"ordering": ordering, "seating": seating, "truth": truth}


def make(draw: Draw) -> Sequence[Sample]:
    """Return the task, and the twin of a story."""
    form = draw.text("form")
    if form == "mixed":
        form = FORMS[draw.number % (len(FORMS) - 1)]
    tags = (f"form:{form}", f"steps:{draw.whole('steps')}")
    if form == "story":
        return _stories(draw, tags)
    if form == "calculation":
        text, answer = _calculation(draw)
        task = Sample(
            id=draw.id, input=f"{text}\n{HOW}", target=answer, checks=(NUMBER,), tags=tags
        )
        return [task]
    puzzle: Puzzle = _PUZZLES[form](draw.rng, draw.whole("people"))
    tags = (f"form:{form}", f"people:{draw.whole('people')}")
    text = f"{puzzle.text}\n{HOW}"
    return [Sample(id=draw.id, input=text, target=puzzle.answer, checks=(WORDS,), tags=tags)]


def _stories(draw: Draw, tags: tuple[str, ...]) -> list[Sample]:
    told = story(draw.rng, draw.whole("steps"))
    plain = Sample(
        id=draw.id,
        input=f"{told.text}\n{HOW}",
        target=told.answer,
        checks=(NUMBER,),
        tags=(*tags, "irrelevant:0"),
    )
    count = draw.whole("irrelevant")
    if not count:
        return [plain]
    sentences = list(told.sentences)
    for _ in range(count):
        sentences.insert(draw.rng.randint(1, len(sentences)), irrelevant(draw.rng, told))
    twin = plain.model_copy(
        update={
            "id": f"{draw.id}-irrelevant",
            "input": f"{' '.join((*sentences, told.question))}\n{HOW}",
            "tags": (*tags, f"irrelevant:{count}"),
            "cluster": draw.id,
        }
    )
    return [plain.model_copy(update={"cluster": draw.id}), twin]


def _calculation(draw: Draw) -> tuple[str, int]:
    """Return a sum told step by step, whole numbers throughout."""
    rng = draw.rng
    value = rng.randint(2, 30)
    parts = [f"Start with {value}."]
    for _ in range(draw.whole("steps")):
        kind = rng.choice(("add", "subtract", "multiply"))
        number = rng.randint(2, 9) if kind == "multiply" else rng.randint(3, 60)
        if kind == "add":
            value += number
            parts.append(f"Add {number}.")
        elif kind == "subtract":
            value -= number
            parts.append(f"Subtract {number}.")
        else:
            value *= number
            parts.append(f"Multiply by {number}.")
    return f"{' '.join(parts)} What is the result?", value


PACK = Pack(
    name="reasoning",
    dimension="reasoning",
    what="word problems, orderings, seatings, truth-tellers and sums, freshly drawn",
    knobs=KNOBS,
    make=make,
)
