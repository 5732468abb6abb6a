"""Text that should not be the same: items inside one's own prompts, and items known by heart.

n-gram overlap finds samples that stand in one's own prompts or few-shot
examples. Guided completion asks a model to go on with an item, once told where
it comes from and once not: a large difference is a flag, no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq

from befit.stats.bootstrap import bootstrap_mean
from befit.stats.contamination import ngram_coverage

SHORT, LONG = 8, 13
COVERED = 0.7
"""Share of an item's words inside shared 8-grams from which it counts as overlapping."""
MIN_INSTANCES = 10
NEAR_EXACT = 0.9
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """One item that stands in a text of one's own."""

    item: str
    text: str
    """What the text is called (`prompt of a`, `example 1 of b`)."""
    coverage: float
    """Share of the item's words inside 8-grams that the text has as well."""
    long_hit: bool
    """Whether they share 13 words in a row."""


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case."""
    return tuple(_WORD.findall(text.lower()))


def overlaps(
    items: Iterable[tuple[str, str]], texts: Sequence[tuple[str, str]]
) -> Iterator[Overlap]:
    """Yield the items (id, text) that overlap with one's own texts (name, text)."""
    own = [(name, words(text)) for name, text in texts]
    shared = [(name, tokens, _grams(tokens, SHORT)) for name, tokens in own if tokens]
    for item, text in items:
        tokens = words(text)
        grams = _grams(tokens, SHORT)
        for name, other, known in shared:
            if not grams & known and not _whole(tokens, other):
                continue
            coverage = ngram_coverage(tokens, other, n=min(SHORT, max(len(tokens), 1)))
            long_hit = bool(_grams(tokens, LONG) & _grams(other, LONG))
            if coverage >= COVERED or long_hit:
                yield Overlap(item=item, text=name, coverage=coverage, long_hit=long_hit)


def _grams(tokens: Sequence[str], n: int) -> set[tuple[str, ...]]:
    return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)}


def _whole(tokens: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether a short item stands whole in the other text (at least four words)."""
    n = len(tokens)
    return 4 <= n < SHORT and tuple(tokens) in _grams(other, n)  # noqa: PLR2004 - three words are chance


def rouge_l(answer: str, reference: str) -> float:
    """Return ROUGE-L: F1 of the longest common subsequence of words."""
    a, b = words(answer), words(reference)
    if not a or not b:
        return 0.0
    common = LCSseq.similarity(a, b)
    return 2 * common / (len(a) + len(b))


def guided_flag(answers: Sequence[tuple[str, str, str]], *, rng: np.random.Generator) -> str | None:
    """Return a flag in words where a model completes items better when told their source.

    Golchin, Surdeanu 2023: a ROUGE-L difference whose one-sided bootstrap p is
    below 0.05, or one exact or two near-exact guided completions in ten.

    Args:
        answers: (guided completion, general completion, true continuation) per item.
        rng: for the bootstrap.
    """
    if len(answers) < MIN_INSTANCES:
        return None
    guided = np.array([rouge_l(g, truth) for g, _, truth in answers])
    general = np.array([rouge_l(o, truth) for _, o, truth in answers])
    exact = int((guided >= 1).sum())
    near = int((guided >= NEAR_EXACT).sum())
    tenths = len(answers) / MIN_INSTANCES
    gain = float((guided - general).mean())
    p = float((bootstrap_mean(guided - general, rng=rng) <= 0).mean())
    if p < 0.05 and gain > 0:  # noqa: PLR2004 - the paper's level
        return f"guided completion: ROUGE-L {gain:+.2f} when told the source"
    if exact >= tenths or near >= 2 * tenths:
        return f"guided completion: {exact} exact and {near} near-exact of {len(answers)}"
    return None
