"""Long context: facts at set depths of a text of set length, among others that look alike.

Forms: `plain` asks for facts as they stand; `join` needs two facts from different
places put together; `reference` says "the same as" another one; `contradiction`
states a fact twice with dates, and the later one holds. With `absent`, every item
has a twin that asks for what is not there, where saying so is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from befit.core.record import Json
from befit.core.sample import Sample
from befit.probes.pack import Draw, Knob, Pack, Value, check
from befit.probes.wording import CHARS_PER_TOKEN, CITIES, COLOURS, filler, person, smudged

KNOBS = (
    Knob(
        name="tokens", default=1_000, low=100, high=2_000_000,
        meaning="length of the text aimed at, 4 characters a token; models count otherwise",
    ),
    Knob(name="facts", default=3, low=1, high=40, meaning="facts asked for"),
    Knob(
        name="distractors", default=3, low=0, high=100, meaning="facts of the same kind, not asked"
    ),
    Knob(name="documents", default=1, low=1, high=50, meaning="documents the text is cut into"),
    Knob(
        name="form", default="plain", meaning="what has to be done with the facts", harder="",
        choices=("plain", "join", "reference", "contradiction"),
    ),
    Knob(
        name="depth", default=-1.0, low=-1, high=1, harder="",
        meaning="where the facts stand: 0 start, 1 end, -1 spread evenly",
    ),
    Knob(name="noise", default=0.0, low=0, high=0.5, meaning="share of letters misread"),
    Knob(
        name="absent", default=0, low=0, high=1, harder="",
        meaning="1: a twin of each item asks for what is not there",
    ),
)  # fmt: skip

SAY_SO = "If the text does not say, say so."
ABSENT = "absent"
"""The tag of a question about what is not there."""
_LONGEST = {"plain": 60, "join": 150, "reference": 130, "contradiction": 150}
"""Characters that a fact takes at most, by its form."""
_HEADING = 22
"""Characters of a document's heading with the lines around it."""
_LEEWAY = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A fact asked for: what is said, at which depths, and what the answer is."""

    key: str
    code: str
    said: tuple[tuple[float, str], ...]
    wrong: tuple[str, ...] = ()

    @property
    def depth(self) -> float:
        """Where the last needed piece stands."""
        return max(depth for depth, _ in self.said)


def make(draw: Draw) -> Sequence[Sample]:
    """Return the item, and its twin about what is absent."""
    rng, form = draw.rng, draw.text("form")
    count, extra = draw.whole("facts"), draw.whole("distractors")
    keys = _keys(rng, count + extra + 1)
    codes = [str(code) for code in rng.sample(range(100_000, 999_999), 2 * (count + extra))]
    fixed = float(draw.knobs["depth"])
    depths = [(place + 0.5) / count for place in range(count)] if fixed < 0 else [fixed] * count
    asked = [
        _asked(form, keys[place], codes[place], codes[-1 - place], depths[place], rng)
        for place in range(count)
    ]
    said = [piece for one in asked for piece in one.said]
    for key, code in zip(keys[count:], codes[count : count + extra], strict=False):
        said += [(rng.random(), _statement(key, code))]
    text = _text(draw, said)
    others = [codes[place] for place in range(count, count + extra)]
    question = ", ".join(f"the {one.key}" for one in asked)
    what = "its access code that holds now" if form == "contradiction" else "its access code"
    target: dict[str, Json] = {
        "facts": [{"id": one.key, "text": one.code, "position": one.depth} for one in asked],
        "absent": [*others, *(code for one in asked for code in one.wrong)],
    }
    tags: tuple[str, ...] = (
        f"tokens:{draw.whole('tokens')}",
        f"form:{form}",
        f"documents:{draw.whole('documents')}",
    )
    if fixed >= 0:
        tags = (*tags, f"depth:{fixed:g}")
    asks = f"For each of these, give {what} as the text has it: {question}."
    found = Sample(
        id=draw.id, input=f"{text}\n\n{asks}", target=target, checks=(check("recall"),), tags=tags
    )
    if not draw.whole("absent"):
        return [found]
    return _twins(found, text, asks=(asks, f"What is the access code of the {keys[-1]}?"))


def _twins(found: Sample, text: str, *, asks: tuple[str, str]) -> Sequence[Sample]:
    """Return what is there and what is not, both told to say so: a pair of rates comes of it."""
    there, absent = (f"{text}\n\n{ask} {SAY_SO}" for ask in asks)
    checks = (check("recall"), check("honesty"))
    return [
        found.model_copy(update={"input": there, "checks": checks, "cluster": found.id}),
        Sample(
            id=f"{found.id}-absent",
            input=absent,
            target={"answerable": False},
            checks=(check("honesty"),),
            # What is not there has no depth.
            tags=(*(tag for tag in found.tags if not tag.startswith("depth:")), ABSENT),
            kind="edge",
            cluster=found.id,
        ),
    ]


def _misfit(knobs: Mapping[str, Value]) -> str:
    """Say where facts alone are longer than the text: its tag would tell a length it has not."""
    facts = int(knobs["facts"]) * _LONGEST[str(knobs["form"])]
    documents = int(knobs["documents"])
    others = int(knobs["distractors"]) * _LONGEST["plain"]
    others += documents * _HEADING if documents > 1 else 0
    needed, aimed = -(-(facts + others) // CHARS_PER_TOKEN), int(knobs["tokens"])
    if needed <= _LEEWAY * aimed:
        return ""
    return f"its facts and headings alone take about {needed:,} tokens, and 'tokens' is {aimed:,}"


def _keys(rng: Random, count: int) -> list[str]:
    pairs = [f"{colour} archive in {city}" for colour in COLOURS for city in CITIES]
    return rng.sample(pairs, count)


def _statement(key: str, code: str) -> str:
    return f"The access code of the {key} is {code}."


def _asked(form: str, key: str, code: str, other: str, depth: float, rng: Random) -> _Asked:
    if form == "join":
        keeper = f"{person(rng)} the {rng.choice(('Elder', 'Younger', 'Third', 'Fourth'))}"
        first = f"The {key} opens with the code that {keeper} carries."
        return _Asked(
            key=key,
            code=code,
            said=((rng.random(), first), (depth, f"{keeper} carries the code {code}.")),
        )
    if form == "reference":
        alias = f"room {rng.randint(10_000, 99_999)}"
        first = f"The access code of the {key} is the same as that of {alias}."
        return _Asked(
            key=key,
            code=code,
            said=((rng.random(), first), (depth, f"The access code of {alias} is {code}.")),
        )
    if form == "contradiction":
        days = sorted(rng.sample(range(1, 28), 2))
        old = f"As of {days[0]} March, the access code of the {key} is {other}."
        new = f"As of {days[1]} March, the access code of the {key} is {code}."
        return _Asked(key=key, code=code, said=((rng.random(), old), (depth, new)), wrong=(other,))
    return _Asked(key=key, code=code, said=((depth, _statement(key, code)),))


def _text(draw: Draw, said: Sequence[tuple[float, str]]) -> str:
    """Return the text: filler of the length asked, the facts at their depths, in documents."""
    rng, noise = draw.rng, float(draw.knobs["noise"])
    documents = draw.whole("documents")
    size = draw.whole("tokens") * CHARS_PER_TOKEN - sum(len(text) + 1 for _, text in said)
    size -= documents * _HEADING if documents > 1 else 0
    sentences = filler(rng, max(0, size))
    placed: dict[int, list[str]] = {}
    for depth, text in sorted(said):
        placed.setdefault(round(depth * len(sentences)), []).append(text)
    lines: list[str] = []
    for place in range(len(sentences) + 1):
        lines += placed.get(place, ())
        if place < len(sentences):
            lines.append(smudged(sentences[place], rng, noise))
    documents = min(documents, len(lines))
    if documents == 1:
        return _paragraphs(lines)
    cuts = [round(len(lines) * part / documents) for part in range(documents + 1)]
    parts = [
        f"--- Document {number + 1} ---\n{_paragraphs(lines[cuts[number] : cuts[number + 1]])}"
        for number in range(documents)
    ]
    return "\n\n".join(parts)


def _paragraphs(lines: Sequence[str]) -> str:
    return "\n".join(" ".join(lines[at : at + 6]) for at in range(0, len(lines), 6))


PACK = Pack(
    name="long-context",
    dimension="long-context",
    what="facts at set depths of long texts and several documents, joined, referred to, outdated",
    knobs=KNOBS,
    make=make,
    misfit=_misfit,
    remedy="raise 'tokens', or lower 'facts', 'distractors' or 'documents'",
)
