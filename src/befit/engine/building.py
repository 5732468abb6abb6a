"""Scorers from their descriptions: a name and options become something that scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from befit.core.protocols import Scorer
from befit.core.sample import ScorerSpec
from befit.errors import BefitError, ConfigError
from befit.plugins import OwnCode, load, nearest


def build_scorers(specs: Sequence[ScorerSpec], *, where: str) -> tuple[Scorer, ...]:
    """Return the scorers that `specs` describe.

    Raises:
        PluginError: no scorer of that name, or it does not load.
        ConfigError: options it does not take; `where` says where they stand.
    """
    return tuple(build_scorer(spec, where=where) for spec in specs)


def build_scorer(spec: ScorerSpec, *, where: str) -> Scorer:
    """Return one scorer; raises as `build_scorers` does."""
    factory = load("befit.scorers", spec.name)
    try:
        with OwnCode():
            options = factory.Options.model_validate(spec.options)
            scorer: Scorer = factory(options)
    except ValidationError as error:
        raise _options_error(spec, factory, error, where) from error
    except BefitError:
        raise
    except Exception as error:
        raise ConfigError(
            f"scorer '{spec.name}' cannot be set up", where=where, why=brief(error)
        ) from error
    return scorer


def _options_error(
    spec: ScorerSpec, factory: Any, error: ValidationError, where: str
) -> ConfigError:
    reasons: list[str] = []
    known = list(factory.Options.model_fields)
    for problem in error.errors(include_url=False, include_context=False):
        path = ".".join(str(step) for step in problem["loc"])
        hint = ""
        if problem["type"] == "extra_forbidden":
            hint = f" ({nearest(path, known)}known: {', '.join(known)})"
        reasons.append(f"{path}: {problem['msg']}{hint}" if path else f"{problem['msg']}{hint}")
    return ConfigError(
        f"scorer '{spec.name}' does not take these options",
        where=where,
        why="; ".join(reasons),
        do=f"befit plugins {spec.name}",
    )


def brief(error: Exception) -> str:
    """Return an error in at most 500 characters."""
    return f"{type(error).__name__}: {error}"[:500]
