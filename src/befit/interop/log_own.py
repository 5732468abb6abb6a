"""befit's own log records, as its gateway writes them: interactions and outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from befit.core.interaction import Interaction, Outcome
from befit.interop.log_item import Item, LogError


def read_record(line: dict[str, Any]) -> Iterator[Item]:
    """One record: `{"v": 1, "kind": "interaction" | "outcome", ...}`."""
    body = {key: value for key, value in line.items() if key not in {"v", "kind"}}
    try:
        if line["kind"] == "outcome":
            yield Outcome.model_validate(body)
        else:
            yield Interaction.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise LogError(f"'{where}': {first['msg'].lower()}"[:200]) from None
