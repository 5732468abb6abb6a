"""Another wording of a scenario's prompt, asked beside it: what moves only by wording shows.

A variant is written (`template`, `system`), by a person or by a model whose wording a person
has confirmed, or made by a rule that keeps the meaning.
Its answers have keys of their own, and count for sensitivity alone: every other
number is of the prompt as the scenario has it.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from befit.core.fingerprint import fingerprint
from befit.core.record import Record

Rule = Literal["politeness", "order", "format", "delimiters", "synonyms"]
RULES: tuple[Rule, ...] = ("politeness", "order", "format", "delimiters", "synonyms")


class PromptVariant(Record):
    """One other wording. A name alone is the rule of that name."""

    name: str = Field(min_length=1, max_length=60, pattern=r"^[^|#]+$")
    rule: Rule | None = Field(
        default=None, description="How the template is reworded, the meaning kept."
    )
    template: str | None = Field(default=None, description="In place of the scenario's template.")
    system: str | None = Field(
        default=None, description="In place of the candidate's system prompt."
    )
    written_by: str | None = Field(
        default=None, description="The model that worded it; set by `befit variants`."
    )
    confirmed_on: str | None = Field(
        default=None, description="The day on which a person has confirmed that it asks the same."
    )
    made_from: str | None = Field(
        default=None, description="Hash of the template that it words anew."
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if isinstance(data, str):
            return {"name": data, "rule": data}
        if isinstance(data, dict) and data.get("rule") and "name" not in data:
            return {"name": data["rule"], **data}
        return data

    @model_validator(mode="after")
    def _one_way(self) -> PromptVariant:
        written = self.template is not None or self.system is not None
        if written == (self.rule is not None):
            raise ValueError("give either 'rule', or 'template' and 'system' or one of them")
        if self.written_by is not None and self.confirmed_on is None:
            raise ValueError(
                "it is a model's wording that nobody has confirmed; see `befit variants`"
            )
        return self


def template_print(template: str) -> str:
    """Return the hash by which a wording names the template it was made from."""
    return fingerprint([template])[:12]
