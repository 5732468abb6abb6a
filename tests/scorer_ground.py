"""What the tests of the scorers share: a trial with one answer, a scorer from its options."""

from __future__ import annotations

from befit.core.completion import Completion
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.scorers.fields import Fields
from befit.scorers.match import Match
from befit.scorers.python import Python
from befit.scorers.structure import Structure

CLASSES = {"match": Match, "structure": Structure, "fields": Fields, "python": Python}


def answered(text, *, finish_reason="stop"):
    return Trial(
        key=TrialKey("c", "e", "i", "", 0),
        transcript=(),
        completions=(Completion(text=text, finish_reason=finish_reason),),
    )


def wanting(target=None):
    return Sample(id="s", input="?", target=target)


def scorer(name, /, **options):
    kind = CLASSES[name]
    return kind(kind.Options.model_validate(options))


def scores_of(name, text, target=None, /, **options):
    return list(scorer(name, **options).score(wanting(target), answered(text)))


def named(scores, name, part=None):
    """The one score of this name and part, or None."""
    found = [score for score in scores if (score.name, score.part) == (name, part)]
    assert len(found) <= 1
    return found[0] if found else None
