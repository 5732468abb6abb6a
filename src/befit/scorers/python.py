"""The user's own function as a scorer: `module:attribute` in, a score out.

The function gets `(output, sample)`, or `(sample, trial)` when its first
parameter is called `sample`, and returns a number 0..1, True or False, a dict
with `value` and any of `label`, `answer`, `explanation`, `rule`, or None for
"cannot be scored". When it raises, the trial is unscored, never 0.

befit cannot end a function that never returns, but nothing waits for it: the engine
stores every answer before the function sees it, asks it on a thread of its own, and a
second Ctrl-C leaves without it.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat

import orjson
from pydantic import Field, field_validator

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.plugins import OwnCode, load_object
from befit.scorers.evidence import storable, version_of
from befit.scorers.structure_fields import stored

NAME = "python"
CODE_VERSION = "1"
_KEYS = frozenset({"value", "label", "answer", "explanation", "rule"})


class PythonOptions(Record):
    """The user's function."""

    function: str = Field(
        pattern=r"^[\w.]+:[\w.]+$",
        description="module:attribute, for instance checks:is_polite. Called as f(output, sample),"
        " or as f(sample, trial) when its first parameter is named sample.",
    )
    name: str = Field(
        default=NAME, min_length=1, max_length=60, description="Name of the score it gives."
    )
    needs_target: bool = Field(
        default=True, description="False for a function that never looks at the target."
    )
    options: dict[str, Json] = Field(
        default_factory=dict, description="Keyword arguments handed to every call."
    )

    @field_validator("name")
    @classmethod
    def _free_name(cls, name: str) -> str:
        if name == "pass":
            raise ValueError("'pass' is the score befit derives itself")
        return name


class Python:
    """A function of the user's own, called once per trial.

    Raises:
        PluginError: the function cannot be loaded.
        TypeError: what was loaded is no function.
        ValueError: it cannot be called with two arguments, or is async.
    """

    name = NAME
    runs_user_code = True
    Options = PythonOptions

    def __init__(self, options: PythonOptions) -> None:
        self.options = options
        self.primary = options.name
        self.names = (options.name,)
        self.needs_target = options.needs_target
        self._function: Callable[..., Any] = load_object(options.function)
        self._takes_trial = _takes_trial(self._function, options)
        self.version = f"{version_of(CODE_VERSION, options)}-{_source_hash(self._function)}"

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return one score under the option's `name`."""
        first: tuple[Any, Any] = (sample, trial) if self._takes_trial else (trial.output, sample)
        try:
            with OwnCode():
                found = _read(self._function(*first, **self.options.options))
        except Exception as error:  # noqa: BLE001 - whatever the user's code raises is a finding
            why = storable(f"{type(error).__name__}: {error}")
            found = {"value": None, "label": "scorer_error", "explanation": why}
        rule = found.get("rule") or f"what {self.options.function} returned"
        return (
            Score(
                scorer=NAME,
                version=self.version,
                name=self.options.name,
                value=found["value"],
                label=found.get("label") or _label(found["value"]),
                answer=found.get("answer"),
                rule=rule,
                explanation=found.get("explanation"),
            ),
        )


def _takes_trial(function: Any, options: PythonOptions) -> bool:
    if not callable(function):
        raise TypeError(f"'{options.function}' is no function")
    if inspect.iscoroutinefunction(function):
        raise ValueError(f"'{options.function}' is async; a scorer is a plain function")
    try:
        signature = inspect.signature(function)
        signature.bind(None, None, **options.options)
    except TypeError as error:
        raise ValueError(
            f"'{options.function}' cannot be called with (output, sample): {error}"
        ) from error
    except ValueError:  # some built-in functions have no signature
        return False
    return next(iter(signature.parameters), "") == "sample"


def _source_hash(function: Any) -> str:
    """Return 8 digits over the function's source; a helper it calls is not covered."""
    target = function if inspect.isroutine(function) else type(function)
    try:
        source = inspect.getsource(target)
    except (OSError, TypeError):
        return "no-source"
    return hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()[:8]


def _read(returned: Any) -> dict[str, Any]:
    """Return what the function said as `value` and its company; raises on anything else."""
    found = dict(returned) if isinstance(returned, dict) else {"value": returned}
    unknown = [str(key) for key in found if key not in _KEYS]
    if unknown or "value" not in found:
        raise ValueError(f"a dict has 'value' and may have {', '.join(sorted(_KEYS - {'value'}))}")
    found["value"] = _number(found["value"])
    if "answer" in found:
        found["answer"] = stored(orjson.loads(orjson.dumps(found["answer"])))
    for key in ("label", "explanation", "rule"):
        if found.get(key) is not None:
            found[key] = storable(str(found[key]))
    return found


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, SupportsFloat) or isinstance(value, str):
        raise TypeError(f"returned {type(value).__name__}, not a number, bool, dict or None")
    number = float(value)
    if not 0.0 <= number <= 1.0 or math.isnan(number):
        raise ValueError(f"returned {number:g}, which is not within 0..1")
    return number


def _label(value: float | None) -> str:
    if value is None:
        return "unscored"
    return "right" if value == 1 else "wrong"
