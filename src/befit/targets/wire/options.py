"""A candidate's free `options`, read into the form that its target knows."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from befit.core.candidate import Candidate
from befit.core.record import Record
from befit.errors import ConfigError

Options = TypeVar("Options", bound=Record)


def options_of(candidate: Candidate, form: type[Options]) -> Options:
    """Return `candidate.options` as `form`.

    Raises:
        ConfigError: an unknown option, or a value of the wrong kind; the value is not shown,
            because options can hold secret headers.
    """
    try:
        return form.model_validate(candidate.options)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ConfigError(
            f"unusable option of candidate '{candidate.name}'",
            where=".".join(("options", *(str(step) for step in first["loc"]))),
            why=str(first["msg"]),
            do=f"known options: {', '.join(form.model_fields)}",
        ) from None
