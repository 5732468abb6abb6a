"""What a model is said to be able to do: limits, inputs, and the parameters it accepts.

Lists (LiteLLM's, models.dev) fill cards; a project can state one. None means
that nobody says, which is not the same as no.
"""

from __future__ import annotations

from befit.core.record import Record


class ModelCard(Record):
    """Capabilities of one model at one provider."""

    provider: str = ""
    context_window: int | None = None
    """Tokens of input and output together, or of input alone where the list says so."""
    max_output: int | None = None
    tools: bool | None = None
    parallel_tools: bool | None = None
    tool_choice: bool | None = None
    json_schema: bool | None = None
    vision: bool | None = None
    pdf: bool | None = None
    system_message: bool | None = None
    temperature: bool | None = None
    seed: bool | None = None
    stop: bool | None = None
    reasoning: bool | None = None
    signed_reasoning: bool | None = None
    """Reasoning comes with signatures that only the provider which made them accepts."""
    deprecated_on: str | None = None
    successor: str | None = None
    source: str = ""

    def over(self, other: ModelCard) -> ModelCard:
        """Return this card, with what it leaves open filled from `other`."""
        mine = {k: v for k, v in self.model_dump().items() if v is not None and v != ""}
        sources = ", ".join(dict.fromkeys(s for s in (self.source, other.source) if s))
        return other.model_copy(update={**mine, "source": sources})
