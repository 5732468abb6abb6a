"""Variants of samples: edge cases and attacks, each with what the right behaviour is.

A recipe changes the text of one sample and says what is right afterwards. It
makes nothing where that can no longer be known: a variant is only as good as
its answer. Each keeps its parent's id and has a seed of its own, so the same
sample gives the same variant on every machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any, Literal

from befit.core.message import Message
from befit.core.record import Json
from befit.core.sample import Kind, Provenance, Sample, ScorerSpec
from befit.datasets.labelled import is_labelled

Behaviour = Literal["same-answer", "ask-back", "not-found", "flag-conflict"]
BEHAVIOURS: dict[Behaviour, str] = {
    "same-answer": "the answer of the parent sample, unchanged",
    "ask-back": "ask back, say what is missing, or state the assumption that was made",
    "not-found": "say that what is asked for is not there; invent nothing",
    "flag-conflict": "point out that the input contradicts itself, or name both values",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a recipe makes of a text."""

    text: str
    behaviour: Behaviour = "same-answer"
    target: Json = None
    """The target where it changes; ignored for `same-answer`."""
    checks: tuple[ScorerSpec, ...] = ()
    """Checks beside the parent's (`same-answer`), or instead of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The text a recipe may change, and what must survive of it."""

    text: str
    target: Json
    values: tuple[str, ...]
    """Texts and numbers of the target, as they would stand in the input."""
    random: Random
    tokens: int
    """Budget of the overlong variant."""


Recipe = Callable[[Source], Made | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """A class of variants: its recipe and the kind its samples get."""

    name: str
    kind: Kind
    recipe: Recipe


def values_of(target: Json) -> Iterator[str]:
    """Yield the texts and numbers inside a target."""
    if isinstance(target, Mapping):
        for item in target.values():
            yield from values_of(item)
    elif isinstance(target, list | tuple):
        for item in target:
            yield from values_of(item)
    elif isinstance(target, bool) or target is None:
        return
    elif isinstance(target, float) and target.is_integer():
        yield str(int(target))
    else:
        yield str(target)


def make_variants(
    sample: Sample, classes: Sequence[Class], *, seed: int, tokens: int, today: date
) -> Iterator[Sample]:
    """Yield the variants of a labelled sample; classes that do not fit it yield nothing.

    Args:
        sample: the parent; an unlabelled one has no variants.
        classes: which, see `variants_list.CLASSES`.
        seed: with the sample and the class it makes the variant's own seed.
        tokens: length of the overlong variant, about four characters each.
        today: date of adding.
    """
    if not is_labelled(sample) or sample.turns or _is_variant(sample):
        return
    text, put = _slot(sample)
    for one in classes:
        own = _seed(seed, sample.id, one.name)
        source = Source(
            text=text,
            target=sample.target,
            values=tuple(dict.fromkeys(values_of(sample.target))),
            random=Random(own),  # noqa: S311 - a reproducible variant, no secret
            tokens=tokens,
        )
        made = one.recipe(source)
        if made is not None and made.text != text:
            yield _variant(sample, one, made, put, (own, today))


def _is_variant(sample: Sample) -> bool:
    return any(tag.startswith("variant:") for tag in sample.tags)


def _seed(seed: int, sample_id: str, name: str) -> int:
    told = f"{seed}\0{sample_id}\0{name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(told, digest_size=4).digest(), "big")


def _slot(sample: Sample) -> tuple[str, Callable[[str], dict[str, Any]]]:
    """Return the text to change (the longest of variables and input), and how to put it back."""
    if sample.vars:
        name = max(sample.vars, key=lambda key: len(sample.vars[key]))
        shown = sample.input if isinstance(sample.input, str) else ""
        if len(sample.vars[name]) >= len(shown):
            return sample.vars[name], lambda text: {"vars": {**sample.vars, name: text}}
    if isinstance(sample.input, str):
        return sample.input, lambda text: {"input": text}
    messages = sample.input or ()
    last = max((i for i, m in enumerate(messages) if m.role == "user"), default=0)

    def put(text: str) -> dict[str, Any]:
        changed = Message(role="user", content=text)
        return {"input": (*messages[:last], changed, *messages[last + 1 :])}

    return messages[last].text, put


def _variant(
    sample: Sample,
    one: Class,
    made: Made,
    put: Callable[[str], dict[str, Any]],
    told: tuple[int, date],
) -> Sample:
    seed, today = told
    same = made.behaviour == "same-answer"
    provenance = sample.provenance or Provenance()
    return sample.model_copy(
        update={
            **put(made.text),
            "id": f"{sample.id}+{one.name}"[:200],
            "kind": one.kind,
            "target": sample.target if same else made.target,
            "checks": (*sample.checks, *made.checks) if same else made.checks,
            "tags": (*sample.tags, f"variant:{one.name}", f"right:{made.behaviour}",
                     f"seed:{seed}"),
            "observed": None,
            "cluster": sample.cluster or sample.id,
            "provenance": provenance.model_copy(update={"parent_id": sample.id}),
            "added_on": today,
        }
    )  # fmt: skip
