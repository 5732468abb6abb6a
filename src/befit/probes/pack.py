"""What a pack of probes is: a name, its difficulty knobs, and a maker of items from a seed.

Every sample a pack makes bears its own checks, tools and world, so that it can be
judged wherever it is put: in a file, under a scenario of the user's, alone. The
same seed, number and knobs always give the same item, whatever is made besides.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from befit.core.record import Json
from befit.core.sample import Provenance, Sample, ScorerSpec
from befit.errors import UsageError
from befit.plugins import nearest

Value = int | float | str
TAG = "probe"
_MOST = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """One way to make a pack harder or easier."""

    name: str
    default: Value
    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    harder: str = "more"
    """`more`, `less`, or "" where it is another kind and no other difficulty."""

    @property
    def range(self) -> str:
        """The values it takes, in words."""
        if self.choices:
            return " | ".join(self.choices)
        if self.low is None or self.high is None:
            return "text"
        return f"{self.low:g} to {self.high:g}"

    def read(self, given: Value) -> Value:
        """Return `given` as a value of this knob.

        Raises:
            UsageError: it is none, or out of range.
        """
        if isinstance(self.default, str):
            value = str(given)
            if self.choices and value not in self.choices:
                guess = nearest(value, list(self.choices))
                do = f"{guess}known: {', '.join(self.choices)}"
                raise UsageError(f"'{value}' is no value of '{self.name}'", do=do)
            return value
        try:
            number = float(given)
        except ValueError:
            raise UsageError(f"'{self.name}' is a number, not '{given}'") from None
        low, high = self.low, self.high
        if (low is not None and number < low) or (high is not None and number > high):
            raise UsageError(f"'{self.name}' goes from {low:g} to {high:g}, not {number:g}")
        return int(number) if isinstance(self.default, int) else number


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What one item is made from."""

    rng: random.Random
    id: str
    number: int
    knobs: Mapping[str, Value]
    wrapped: Sample | None = None
    """A sample of the user's that is to be wrapped; None: the pack makes its own."""

    def whole(self, name: str) -> int:
        """Return a knob that counts."""
        return int(self.knobs[name])

    def text(self, name: str) -> str:
        """Return a knob that names a kind."""
        return str(self.knobs[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A family of generated samples.

    `make` gives the samples of one item: one, or several of the same cluster that
    are compared as pairs.
    """

    name: str
    dimension: str
    what: str
    knobs: tuple[Knob, ...]
    make: Callable[[Draw], Sequence[Sample]]
    wraps: bool = False
    """It can also wrap samples of the user's."""
    misfit: Callable[[Mapping[str, Value]], str] | None = None
    """Says why knobs that are each in range cannot go together; "" where they can."""
    remedy: str = ""
    """What to do then."""
    known: Mapping[str, Knob] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", {knob.name: knob for knob in self.knobs})

    def settings(self, given: Mapping[str, str | Value]) -> list[dict[str, Value]]:
        """Return the knobs of the items in turn: `tokens=500,1000` gives two settings.

        Raises:
            UsageError: an unknown knob, a value that is none of it, or knobs at odds.
        """
        made: list[dict[str, Value]] = [{knob.name: knob.default for knob in self.knobs}]
        for name, text in given.items():
            if name not in self.known:
                guess = nearest(name, list(self.known))
                do = f"{guess}known: {', '.join(self.known) or 'none'}"
                raise UsageError(f"the pack '{self.name}' has no knob '{name}'", do=do)
            knob = self.known[name]
            values = str(text).split(",") if not knob.choices else str(text).split("|")
            read = [knob.read(value.strip()) for value in values]
            made = [{**one, name: value} for one in made for value in read]
        for one in made:
            why = self.misfit(one) if self.misfit is not None else ""
            if why:
                raise UsageError(f"the pack '{self.name}' cannot be made so: {why}", do=self.remedy)
        return made


def generate(
    pack: Pack,
    *,
    seed: int = 0,
    n: int = 40,
    knobs: Mapping[str, str | Value] | None = None,
    wrap: Sequence[Sample] = (),
) -> Iterator[Sample]:
    """Yield the samples of `n` items (of every sample in `wrap`, where it is given).

    Raises:
        UsageError: knobs, `n` or `wrap` do not fit the pack.
    """
    settings = pack.settings(knobs or {})
    if wrap and not pack.wraps:
        raise UsageError(f"the pack '{pack.name}' makes its own samples and wraps none")
    if not 1 <= n <= _MOST:
        raise UsageError(f"from 1 to {_MOST:,} items can be made, not {n}")
    for number in range(len(wrap) or n):
        name = f"{pack.name}-{seed}-{number + 1:03}"
        draw = Draw(
            rng=random.Random(f"{seed}/{pack.name}/{number}"),  # noqa: S311 - test items
            id=name,
            number=number,
            knobs=settings[number % len(settings)],
            wrapped=wrap[number] if wrap else None,
        )
        for sample in pack.make(draw):
            tags = tuple(dict.fromkeys((*sample.tags, TAG, f"{TAG}:{pack.name}")))
            known = sample.provenance or Provenance(source=f"befit probe {pack.name}, seed {seed}")
            yield sample.model_copy(update={"tags": tags, "provenance": known})


def check(name: str, **options: Json) -> ScorerSpec:
    """Return a check of a sample."""
    return ScorerSpec(name=name, options=options)


ANSWER = "Answer:"
NUMBER = check("match", numeric=True, where="after", after=ANSWER)
"""The number after the last "Answer:"."""
WORDS = check("match", mode="normalised", where="after", after=ANSWER)
"""The words after the last "Answer:", normalised."""
HOW = f'End with one line: "{ANSWER}" and the answer alone.'
