"""Variants of a set's samples, added to its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from befit.core.sample import Sample
from befit.datasets.labelled import is_labelled
from befit.datasets.variants import make_variants
from befit.datasets.variants_list import CLASSES
from befit.errors import UsageError
from befit.pipeline.data_sets import SetFile
from befit.plugins import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Varied:
    """What was made of a set."""

    variants: tuple[Sample, ...]
    by_class: dict[str, int]
    unlabelled: int
    """Parents without a right answer: they have no variants."""


def add_variants(
    held: SetFile,
    names: Sequence[str],
    *,
    parents: int,
    seed: int,
    tokens: int,
    today: date,
) -> Varied:
    """Make variants of the first `parents` labelled samples and add them to the file.

    Raises:
        UsageError: an unknown class.
        DataError: the file cannot be changed.
    """
    for name in names:
        if name not in CLASSES:
            guess = nearest(name, list(CLASSES)).strip()
            raise UsageError(
                f"there is no class of variants '{name}'",
                do=guess or f"one of: {', '.join(CLASSES)}",
            )
    chosen = [CLASSES[name] for name in names or CLASSES]
    samples = held.read()
    known = {sample.id for sample in samples}
    live = [one for one in samples if one.retired_on is None]
    labelled = [one for one in live if is_labelled(one) and not _is_variant(one)][:parents]
    made: list[Sample] = []
    for sample in labelled:
        fresh = make_variants(sample, chosen, seed=seed, tokens=tokens, today=today)
        made += [one for one in fresh if one.id not in known]
    if made:
        held.write([*samples, *made])
    counts: Counter[str] = Counter()
    for one in made:
        counts[one.id.rpartition("+")[2]] += 1
    return Varied(
        variants=tuple(made),
        by_class={one.name: counts[one.name] for one in chosen},
        unlabelled=sum(not is_labelled(one) for one in live),
    )


def _is_variant(sample: Sample) -> bool:
    return any(tag.startswith("variant:") for tag in sample.tags)
