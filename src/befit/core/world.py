"""What answers the tools of a trial: scripted tables, a small world with state, or Python.

A call is answered by the first of these that knows it: a row of `results` whose
arguments fit, an action on the state, the Python function. None of it reaches
outside; a world begins anew with each trial.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from befit.core.record import Json, Record


class ToolResult(Record):
    """One row of a scripted table: the answer to calls with these arguments."""

    arguments: dict[str, Json] = Field(
        default_factory=dict, description="All of these must be equal; none: any call."
    )
    result: Json = None
    error: str | None = Field(
        default=None, description="The tool fails with these words instead of a result."
    )
    times: int | None = Field(
        default=None, gt=0, description="Only so often in a trial; then the next row that fits."
    )


class Action(Record):
    """What a tool does to a table of the state, which is a mapping of keys to records."""

    op: Literal["get", "find", "create", "update", "delete"]
    table: str
    key: str | None = Field(
        default=None, description="The argument that holds the record's key (get, update, delete)."
    )
    by: tuple[str, ...] = Field(
        default=(), description="find: arguments that must equal the record's fields; default: all."
    )
    set: dict[str, Json] = Field(
        default_factory=dict, description="update, create: fields set to these values."
    )
    require: dict[str, Json] = Field(
        default_factory=dict, description="update, delete: fails unless the record holds these."
    )

    @model_validator(mode="after")
    def _has_key(self) -> Action:
        if self.op in {"get", "update", "delete"} and self.key is None:
            raise ValueError(f"'{self.op}' needs 'key': the argument with the record's key")
        return self


class World(Record):
    """The tools' other side, of a scenario or of one sample (laid over the scenario's)."""

    results: dict[str, tuple[ToolResult, ...]] = Field(default_factory=dict)
    actions: dict[str, Action] = Field(default_factory=dict)
    python: str | None = Field(
        default=None,
        pattern=r"^[\w.]+:[\w.]+$",
        description="module:attribute of f(name, arguments, state) -> result; it may change the"
        " state, and an exception of it is the tool's error.",
    )
    state: dict[str, Json] = Field(default_factory=dict)
    revision: str = Field(
        default="", description="Change it when your Python changes: it sets trials apart."
    )

    def under(self, other: World | None) -> World:
        """Return this world with `other` laid over it, entry by entry."""
        if other is None:
            return self
        return World(
            results={**self.results, **other.results},
            actions={**self.actions, **other.actions},
            python=other.python or self.python,
            state={**self.state, **other.state},
            revision=other.revision or self.revision,
        )
