"""Scorers as named in files: are they there, and do they take these options?

A scorer is built once per distinct spec, so that the checks of 100,000 samples
cost one look-up each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from befit import plugins
from befit.core.fingerprint import canonical_json
from befit.core.protocols import Scorer
from befit.core.sample import ScorerSpec
from befit.datasets.files_words import Finding, findings
from befit.errors import BefitError


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A scorer that was built, or why it could not be; `found` is relative to its options."""

    scorer: Scorer | None
    found: tuple[Finding, ...] = ()


class ScorerBook:
    """Builds scorers to see whether they can be built."""

    def __init__(self) -> None:
        self._checked: dict[str, Checked] = {}

    def check(self, spec: ScorerSpec) -> Checked:
        """Return the scorer of `spec`, or what is wrong with it."""
        try:
            key = f"{spec.name}\x1f{canonical_json(spec.options)}"
        except (TypeError, ValueError):
            return Checked(scorer=None, found=(Finding(loc=(), what="options are no JSON values"),))
        if key not in self._checked:
            self._checked[key] = _check(spec)
        return self._checked[key]


def _check(spec: ScorerSpec) -> Checked:
    options: Any = None
    try:
        factory = plugins.load("befit.scorers", spec.name)
        model: type[BaseModel] = factory.Options
        options = model.model_validate(spec.options)
        return Checked(scorer=factory(options))
    except ValidationError as error:
        found = findings(error, spec.options, model=factory.Options)
        return Checked(scorer=None, found=tuple(found))
    except BefitError as error:
        do = "; ".join(part for part in (error.why, error.do) if part)
        return Checked(scorer=None, found=(Finding(loc=(), what=error.what, do=do),))
    except (ValueError, TypeError, AttributeError) as error:
        what = f"scorer '{spec.name}' cannot be built: {str(error)[:200]}"
        return Checked(scorer=None, found=(Finding(loc=(), what=what),))
