"""Perturbed versions of public items: what memory of the original no longer answers.

Five kinds, each by rule and from a seed: people renamed, numbers changed (and
the answer computed anew), options reordered, wording changed, and items of the
same kind freshly made. Where a rule cannot be sure of the right answer, the
item is skipped with the reason: a wrong target would look like contamination.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from befit.core.record import Json
from befit.core.sample import Provenance, Sample
from befit.probes.perturb_choice import Choice, read_choice, reordered
from befit.probes.perturb_fresh import fresh_choice, fresh_problem
from befit.probes.perturb_numbers import read_problem, renumbered
from befit.probes.perturb_words import paraphrased, renamed

Kind = Literal["renamed", "renumbered", "reordered", "paraphrased", "fresh"]
KINDS: tuple[Kind, ...] = ("renamed", "renumbered", "reordered", "paraphrased", "fresh")
TAG = "perturbed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The outcome of one kind on one item: a new sample, or why there is none."""

    item: str
    kind: Kind
    sample: Sample | None
    why: str = ""


class CannotPerturbError(ValueError):
    """This rule does not fit this item; the text says why."""


Text = tuple[str, Json]
"""The new input and its target."""


def perturb(
    samples: Iterable[Sample], *, kinds: Sequence[Kind] = KINDS, seed: int = 0
) -> Iterator[Made]:
    """Yield every version of every item.

    A version keeps tags, language and cluster, bears the tags `perturbed` and
    `perturbed:KIND`, and names its original in `provenance.parent_id`.

    Args:
        samples: single-turn items with a text input; multiple choice or arithmetic.
        kinds: which versions.
        seed: the same seed gives the same versions.
    """
    for sample in samples:
        for kind in kinds:
            rng = random.Random(f"{seed}/{kind}/{sample.id}")  # noqa: S311 - test items, no secret
            try:
                text, target = _version(sample, kind, rng)
            except CannotPerturbError as error:
                yield Made(item=sample.id, kind=kind, sample=None, why=str(error))
                continue
            yield Made(item=sample.id, kind=kind, sample=_as_sample(sample, kind, text, target))


def _version(sample: Sample, kind: Kind, rng: random.Random) -> Text:
    if not isinstance(sample.input, str):
        raise CannotPerturbError("only single texts can be perturbed")
    if sample.attachments:
        raise CannotPerturbError("it has attachments, which no rule can change with the text")
    choice = read_choice(sample.input)
    makers: dict[Kind, Callable[[], Text | str]] = {
        "renamed": lambda: renamed(str(sample.input), sample.target, rng),
        "paraphrased": lambda: paraphrased(str(sample.input), sample.target, choice),
        "reordered": lambda: _reordered(choice, sample.target, rng),
        "renumbered": lambda: _renumbered(sample, choice, rng),
        "fresh": lambda: _fresh(sample, choice, rng),
    }
    made = makers[kind]()
    if isinstance(made, str):
        raise CannotPerturbError(made)
    if made[0].split() == sample.input.split():  # other spaces are no other item
        raise CannotPerturbError("nothing in it could be changed")
    return made


def _reordered(choice: Choice | None, target: Json, rng: random.Random) -> Text | str:
    return "it has no options" if choice is None else reordered(choice, target, rng)


def _renumbered(sample: Sample, choice: Choice | None, rng: random.Random) -> Text | str:
    if choice is not None:
        return "its options hold answers that would have to change with the numbers"
    return renumbered(str(sample.input), sample.target, sample.vars.get("solution", ""), rng)


def _fresh(sample: Sample, choice: Choice | None, rng: random.Random) -> Text | str:
    if choice is not None:
        return fresh_choice(choice, sample.target, rng)
    problem = read_problem(str(sample.input), sample.target, sample.vars.get("solution", ""))
    if isinstance(problem, str):
        return problem
    return fresh_problem(len(problem.steps), rng)


def _as_sample(sample: Sample, kind: Kind, text: str, target: Json) -> Sample:
    known = sample.provenance or Provenance()
    vars_ = {key: value for key, value in sample.vars.items() if key != "solution"}
    return sample.model_copy(
        update={
            "id": f"{sample.id}~{kind}",
            "input": text,
            "target": target,
            "vars": vars_,
            "tags": (*sample.tags, TAG, f"{TAG}:{kind}"),
            "cluster": sample.cluster or sample.id,
            "observed": None,
            "provenance": known.model_copy(update={"parent_id": sample.id, "log_id": None}),
        }
    )
