"""The rows of the capability matrix and the headline metric of each, under the field's name.

A scenario belongs to one dimension. Its headline metrics are score names that
scorers emit; where a scenario has no scorer emitting one, its pass rate stands
in and is called so.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """One headline metric: the score name it is read from and the title people know."""

    score: str
    title: str
    partial: bool = False
    """Given on some of the samples only, as their nature is: those are all its samples."""
    always: bool = False
    """Shown as not measured where no sample asks for it: one of a pair of rates says little."""
    beside: str = ""
    """The other of such a pair, where only some scenarios measure it: shown where that one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One capability: slug, title and headline metrics (the first is the cell's value)."""

    slug: str
    title: str
    headlines: tuple[Headline, ...]


def _one(slug: str, title: str, score: str, metric: str) -> Dimension:
    return Dimension(slug=slug, title=title, headlines=(Headline(score=score, title=metric),))


def _rate_beside(score: str, title: str, *, other: str) -> Headline:
    return Headline(score=score, title=title, partial=True, beside=other)


def _rate_of_pair(score: str, title: str) -> Headline:
    return Headline(score=score, title=title, partial=True, always=True)


DIMENSIONS: tuple[Dimension, ...] = (
    _one("instruction-following", "Instruction following", "constraints", "Format compliance rate"),
    _one("reasoning", "Reasoning", "match", "Answer accuracy"),
    Dimension(
        slug="long-context",
        title="Long context",
        headlines=(
            Headline(score="recall", title="Key-information recall"),
            _rate_beside("abstained", "Says so where it is not there", other="answered"),
            _rate_beside("answered", "Answers where it is there", other="abstained"),
        ),
    ),
    _one("structured-output", "Structured output", "parses", "Parse success rate"),
    Dimension(
        slug="extraction",
        title="Extraction",
        headlines=(
            Headline(score="field_accuracy", title="Field accuracy"),
            Headline(score="document_complete", title="Document completeness"),
        ),
    ),
    _one("tool-calling", "Tool calling", "task_complete", "Task completion rate"),
    _one("multi-turn", "Multi-turn", "conversation", "Turn success rate"),
    _one("task-chain", "Task chains", "chain", "Chain completion rate"),
    Dimension(
        slug="honesty",
        title="Honesty",
        headlines=(
            Headline(score="honest", title="Honest answer rate"),
            _rate_of_pair("abstained", "Says so where it cannot know"),
            _rate_of_pair("answered", "Answers where it can"),
        ),
    ),
    Dimension(
        slug="error-recovery",
        title="Error recovery",
        headlines=(
            Headline(score="recovered", title="Recovery rate"),
            _rate_of_pair("fixed", "Fixed when rightly corrected"),
            _rate_of_pair("held", "Held when wrongly corrected"),
        ),
    ),
    Dimension(
        slug="language",
        title="Languages",
        headlines=(
            Headline(score="match", title="Answer accuracy"),
            Headline(score="language_right", title="Answered in the language asked"),
        ),
    ),
    Dimension(
        slug="vision",
        title="Images",
        headlines=(
            Headline(score="vision", title="Image answer rate"),
            Headline(score="anls", title="Text read (ANLS)", partial=True),
            Headline(score="vision_text", title="Fine text", partial=True),
            Headline(score="vision_structure", title="Structure", partial=True),
            Headline(score="vision_cross_region", title="Across regions", partial=True),
            Headline(score="vision_retrieval", title="Retrieval-style questions", partial=True),
            Headline(score="vision_reasoning", title="Reasoning-style questions", partial=True),
        ),
    ),
    _one("classification", "Classification", "match", "Answer accuracy"),
    _one("knowledge", "Facts", "match", "Answer accuracy"),
    _one("conversion", "Format conversion", "converted", "Conversion accuracy"),
    _one("code", "Code", "tests_pass", "Tests passed"),
    _one("generation", "Writing", "pass", "Pass rate"),
)

STABILITY_TITLE = "Result consistency rate"
"""The headline of stability: pairwise agreement of canonical answers over repeats."""


def headline_scores(dimension: str | None) -> list[str]:
    """Return the score names that a report reads of a scenario (`pass` stands in the facts)."""
    known = known_dimensions().get(dimension or "")
    names = {headline.score for headline in known.headlines} if known else set()
    return sorted(names - {"pass"})


def known_dimensions() -> dict[str, Dimension]:
    """Return the known dimensions by slug, in the order of the matrix."""
    return {dimension.slug: dimension for dimension in DIMENSIONS}
