"""The options of `match`, with the short forms people write."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from befit.core.record import Json, Record
from befit.scorers.answer import Where
from befit.scorers.numerals import check_locale
from befit.scorers.patterns import check_pattern
from befit.scorers.short_forms import BOOLEAN, NAMES, NUMBER, TEXT, also, with_keys

Mode = Literal["exact", "normalised", "contains", "one_of", "numeric", "regex", "choice"]
MODES: tuple[Mode, ...] = (
    "exact",
    "normalised",
    "contains",
    "one_of",
    "numeric",
    "regex",
    "choice",
)


class Tolerance(Record):
    """Right when |answer - target| <= max(absolute, relative x |target|)."""

    absolute: float = Field(default=0.0, ge=0, description="In the unit of the target.")
    relative: float = Field(default=0.0, ge=0, description="Share of the target: 0.01 is 1 %.")


class NumericOptions(Record):
    """How numbers are read and compared."""

    tolerance: Tolerance = Field(
        default=Tolerance(),
        description="A number alone means an absolute tolerance.",
        json_schema_extra=also(NUMBER),
    )
    locale: str = Field(
        default="en",
        description="How numbers are written: 'en' 1,234.50; 'de' 1.234,50; 'fr' 1 234,50.",
    )
    units: dict[str, float] = Field(
        default_factory=dict,
        description="Accepted units and what one of each is worth, for instance {kg: 1, g: 0.001}."
        " A list means units worth the same. Currencies and % are known without being named.",
        json_schema_extra=also(NAMES),
    )
    unit: Literal["optional", "required"] = Field(
        default="optional",
        description="'required': an answer without the target's unit has the label 'wrong_unit'."
        " A different unit always has it.",
    )
    percent: Literal["unit", "fraction"] = Field(
        default="unit", description="'fraction': 85 % is 0.85; 'unit': it is 85 with unit %."
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        tolerance = data.get("tolerance")
        if isinstance(tolerance, int | float) and not isinstance(tolerance, bool):
            data["tolerance"] = {"absolute": tolerance}
        units = data.get("units")
        if isinstance(units, list | tuple) and all(isinstance(unit, str) for unit in units):
            data["units"] = dict.fromkeys(units, 1.0)
        return data

    @field_validator("locale")
    @classmethod
    def _known_locale(cls, locale: str) -> str:
        return check_locale(locale)


class MatchOptions(Record):
    """What counts as the expected answer, and where in the output it stands.

    Short forms: `{numeric: true}`, `{numeric: {tolerance: 0.01}}`, `{regex: "^yes"}`,
    `{regex: true}` (the target is the pattern), `{choice: true}`, `{choice: ABCD}`,
    `{exact: true}`, `{contains: true}`, `{one_of: [yes, y]}`, `{after: "####"}`.
    """

    model_config = ConfigDict(
        json_schema_extra=with_keys(
            exact={"anyOf": [BOOLEAN, TEXT], "description": "Mode exact."},
            normalised={"anyOf": [BOOLEAN, TEXT], "description": "Mode normalised."},
            contains={"anyOf": [BOOLEAN, TEXT], "description": "Mode contains."},
            one_of={"anyOf": [BOOLEAN, NAMES], "description": "Mode one_of; accepted answers."},
            regex={"anyOf": [BOOLEAN, TEXT], "description": "Mode regex; the pattern."},
            choice={"anyOf": [BOOLEAN, TEXT], "description": "Mode choice; the letters."},
        )
    )

    mode: Mode = Field(
        default="normalised",
        description="exact: character by character. normalised: NFKC, case folded, single spaces,"
        " no decoration. contains: the target as whole words. one_of: any of the target's list."
        " numeric, regex, choice: see there.",
    )
    where: Where = Field(
        default="auto",
        description="Where the answer is looked for. auto: the whole output; for numeric what"
        " follows a box, '####' or 'the answer is', else the last number.",
    )
    after: str | None = Field(
        default=None,
        min_length=1,
        description="Marker that announces the answer, for instance '####' or 'Answer:'.",
    )
    numeric: NumericOptions = Field(
        default=NumericOptions(),
        description="true, or how numbers are read and compared.",
        json_schema_extra=also(BOOLEAN),
    )
    pattern: str | None = Field(
        default=None,
        description="Regular expression searched for (mode regex); without it the target is one.",
    )
    letters: str = Field(
        default="ABCDE",
        pattern=r"^[A-Za-z]{2,26}$",
        description="The letters of a multiple choice.",
    )
    accepted: tuple[Json, ...] | None = Field(
        default=None,
        min_length=1,
        description="Accepted answers of every sample, in place of the sample's target.",
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        named = [mode for mode in MODES if data.get(mode) not in (None, False)]
        if "mode" in data:
            named = [mode for mode in named if mode != data["mode"]]
        if len(named) > 1 or ("mode" in data and named):
            known = [data["mode"], *named] if "mode" in data else named
            raise ValueError(f"name one way to match, not {' and '.join(map(str, known))}")
        if "mode" not in data and named:
            data["mode"] = named[0]
        _unfold(data)
        if data.get("after") is not None:
            data.setdefault("where", "after")
        return data

    @field_validator("pattern")
    @classmethod
    def _is_pattern(cls, pattern: str | None) -> str | None:
        return pattern if pattern is None else check_pattern(pattern)

    @model_validator(mode="after")
    def _consistent(self) -> MatchOptions:
        if (self.where == "after") != (self.after is not None):
            raise ValueError("'where: after' and the marker 'after' belong together")
        if self.pattern is not None and self.mode != "regex":
            raise ValueError("'pattern' belongs to mode regex")
        if self.where == "last_number" and self.mode != "numeric":
            raise ValueError("'where: last_number' belongs to mode numeric")
        return self


def _unfold(data: dict[str, Any]) -> None:
    """Turn the short forms in `data` into the full ones."""
    if isinstance(data.get("numeric"), bool):
        del data["numeric"]
    long_names = {"regex": "pattern", "choice": "letters", "one_of": "accepted"}
    for short in ("exact", "normalised", "contains", "one_of", "regex", "choice"):
        value = data.pop(short, None)
        if value is None or isinstance(value, bool):
            continue
        if short in long_names:
            data[long_names[short]] = value
        elif short in {"exact", "normalised", "contains"} and isinstance(value, str):
            data["accepted"] = [value]
        else:
            raise ValueError(f"'{short}' takes true or a text")
