"""The options of `judge`: what is asked, on which scale, against what."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from befit.core.record import Record

Mode = Literal["pass_fail", "scale", "pairwise", "relevance"]
SCALE = (1, 2, 3, 4, 5)
BASELINE = "baseline"
"""Variable of a sample with the text that an answer is judged against."""


class Criterion(Record):
    """One question of a rubric, asked by itself."""

    name: str = Field(min_length=1, max_length=60)
    text: str = Field(min_length=1, description="What must be so, in words.")


class JudgeOptions(Record):
    """What the scenario's `judges` are asked about each answer.

    Short forms: `rubric: "The answer is polite."`, `rubric: [..., ...]` (one question each).
    """

    mode: Mode = Field(
        default="pass_fail",
        description="pass_fail: does it fulfil each criterion? scale: 1 to 5 with anchors."
        " pairwise: against the sample's target or its variable 'baseline', in both orders."
        " relevance: does it answer the question?",
    )
    rubric: tuple[Criterion, ...] = Field(
        default=(), description="Criteria; each is a question of its own."
    )
    anchors: dict[int, str] = Field(
        default_factory=dict, description="scale: what each of 1 to 5 means; 1 and 5 at least."
    )
    floor: int = Field(default=4, ge=1, le=5, description="scale: the lowest grade that passes.")
    against: str | None = Field(
        default=None,
        description="pairwise: a candidate of the project; its answer to the same sample and"
        " repeat is the other text. It is not judged against itself.",
    )
    reference: bool = Field(
        default=True, description="Show the judge the sample's target as a right answer."
    )
    length_note: bool = Field(
        default=True, description="Tell the judge that length is no merit of its own."
    )
    max_chars: int = Field(
        default=20_000, ge=100, description="Characters of an answer that are shown; more is cut."
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        rubric = data.get("rubric")
        if isinstance(rubric, str):
            return {**data, "rubric": [{"name": "rubric", "text": rubric}]}
        if isinstance(rubric, list | tuple):
            made = [
                {"name": f"criterion {n}", "text": entry} if isinstance(entry, str) else entry
                for n, entry in enumerate(rubric, start=1)
            ]
            return {**data, "rubric": made}
        return data

    @field_validator("anchors")
    @classmethod
    def _grades(cls, anchors: dict[int, str]) -> dict[int, str]:
        unknown = [grade for grade in anchors if grade not in SCALE]
        if unknown:
            raise ValueError(f"grades go from 1 to 5, not {unknown[0]}")
        return anchors

    @model_validator(mode="after")
    def _consistent(self) -> JudgeOptions:
        if self.mode == "pass_fail" and not self.rubric:
            raise ValueError("'pass_fail' needs a 'rubric'")
        if self.mode == "scale" and not {1, 5} <= set(self.anchors):
            raise ValueError("'scale' needs 'anchors' for 1 and 5 at least")
        if len({criterion.name for criterion in self.rubric}) < len(self.rubric):
            raise ValueError("two criteria have the same name")
        return self
