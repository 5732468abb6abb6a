"""The hand-made answers of `tests/data/constraints`, and a trial around a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from befit.core.completion import Completion
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial, TrialKey
from befit.scorers.constraints import Constraints

ASKED = "What was asked"


def cases(name: str) -> list[dict[str, Any]]:
    path = Path(__file__).resolve().parent / "data" / "constraints" / f"{name}.yaml"
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))


def trial(text: str) -> Trial:
    key = TrialKey(candidate="c", execution="e", input="i", variant="", repeat=0)
    return Trial(key=key, transcript=(), completions=(Completion(text=text),))


def scored(text: str, *instructions: dict[str, Any], asked: str = ASKED) -> list[Score]:
    options = Constraints.Options.model_validate({"instructions": list(instructions)})
    return list(Constraints(options).score(Sample(id="s", input=asked), trial(text)))


def value(scores: list[Score], name: str, part: str | None = None) -> float | None:
    return next(s.value for s in scores if s.name == name and s.part == part)
