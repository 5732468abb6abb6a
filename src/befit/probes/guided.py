"""Guided completion: the start of a public item, to be finished with and without its source.

Golchin, Surdeanu 2023 (Time Travel in LLMs): a model that saw an item finishes it
more closely once it is told where the item comes from. Each item becomes two
samples of the ordinary form; what a run of them shows is a flag, no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from befit.core.sample import Provenance, Sample

TAG = "guided_completion"
GUIDED, UNGUIDED = f"{TAG}:guided", f"{TAG}:unguided"
BEGINNING = "beginning"
"""The variable of a sample that holds the part which was shown."""
MIN_WORDS = 12
SHOWN = (0.4, 0.7)
"""Shares of the words between which a sentence's end is taken for the cut; else the middle."""
_LONGEST_ID = 190
_TOLD = (
    "Below is how an item of {source} begins. Write the rest of the item word for word as it"
    " stands there, and nothing else."
)
_NOT_TOLD = (
    "Below is how a text begins. Write the rest of the text as it may well go on, and nothing else."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The two samples of one item, or why there are none."""

    item: str
    samples: tuple[Sample, ...]
    why: str = ""


def guided(samples: Iterable[Sample], *, source: str = "") -> Iterator[Asked]:
    """Yield for every item a guided and an unguided sample; the target is the rest of the item.

    Both bear the tag `guided_completion` and one of `guided_completion:guided` and
    `guided_completion:unguided`, and name the item in `provenance.parent_id`.

    Args:
        samples: single-turn items with a text input.
        source: name of the data set, as its readers know it; `provenance.source` where empty.
    """
    for sample in samples:
        known = sample.provenance or Provenance()
        named = source or known.source or ""
        why = _unfit(sample, named)
        if why:
            yield Asked(item=sample.id, samples=(), why=why)
            continue
        beginning, rest = cut(str(sample.input))
        about = known.model_copy(update={"parent_id": sample.id, "source": named, "log_id": None})
        made = tuple(
            Sample(
                id=f"{sample.id}~{tag.partition(':')[2]}",
                input=f"{words}\n\n{beginning}",
                vars={BEGINNING: beginning},
                target=rest,
                language=sample.language,
                tags=(*sample.tags, TAG, tag),
                cluster=sample.cluster or sample.id,
                provenance=about,
            )
            for tag, words in ((GUIDED, _TOLD.replace("{source}", named)), (UNGUIDED, _NOT_TOLD))
        )
        yield Asked(item=sample.id, samples=made)


def cut(text: str) -> tuple[str, str]:
    """Return the beginning that is shown and the rest: at a sentence's end, else in the middle."""
    words = list(re.finditer(r"\S+", text))
    middle = len(words) // 2
    low, high = (share * len(words) for share in SHOWN)
    ends = [
        n
        for n in range(1, len(words))
        if low <= n <= high and words[n - 1].group().endswith((".", "?", "!", ":"))
    ]
    place = words[min(ends, key=lambda n: abs(n - middle), default=middle)].start()
    return text[:place].rstrip(), text[place:].strip()


def continuation(answer: str, beginning: str) -> str:
    """Return an answer without the beginning, which some models repeat first."""
    return answer.strip().removeprefix(beginning).strip()


def _unfit(sample: Sample, source: str) -> str:
    if not isinstance(sample.input, str):
        return "only single texts can be cut"
    if sample.attachments:
        return "it has attachments, without which its text does not stand"
    if len(sample.input.split()) < MIN_WORDS:
        return f"fewer than {MIN_WORDS} words"
    if not source:
        return "its source is not known: name it, or give it a provenance"
    if len(sample.id) > _LONGEST_ID:
        return "its id is too long for a suffix"
    return ""
