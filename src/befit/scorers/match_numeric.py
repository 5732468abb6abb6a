"""The numeric way of `match`: which number of the output is the answer, and is it close enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from befit.core.record import Json
from befit.scorers.answer import Region, announced, locate
from befit.scorers.evidence import Span
from befit.scorers.match_options import MatchOptions, NumericOptions
from befit.scorers.match_verdict import Verdict
from befit.scorers.normalise import narrow
from befit.scorers.numerals import (
    KNOWN_UNITS,
    Number,
    as_decimal,
    close,
    last_number,
    numbers_in,
    plain,
    unit_name,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    number: Number
    rule: str


def judge_numeric(output: str, targets: Sequence[Json], options: MatchOptions) -> Verdict:
    """Return the verdict on the number that `options` say is the answer.

    Labels: right, wrong, wrong_unit, wrong_format (the place asked for is missing, or
    holds more than a number), no_answer (no number in the declared locale), bad_target.
    """
    wanted = [_target(target, options.numeric) for target in targets]
    known = [number for number in wanted if number is not None]
    if not known:
        return Verdict(
            value=None,
            label="bad_target",
            rule="the target is a number",
            explanation=f"no target is a number in locale {options.numeric.locale}",
        )
    units = {*options.numeric.units, *(number.unit for number in known if number.unit)}
    found = _find(narrow(output), options, tuple(sorted(units, key=len, reverse=True)))
    if isinstance(found, Verdict):
        return found
    units_wrong = False
    answer = found.number
    for number in known:
        same_unit, value, target = _comparable(answer, number, options.numeric)
        if not same_unit:
            units_wrong = True
        elif close(
            value,
            target,
            absolute=Decimal(str(options.numeric.tolerance.absolute)),
            relative=Decimal(str(options.numeric.tolerance.relative)),
        ):
            return Verdict.right(_canonical(answer), answer.span, found.rule)
    label = "wrong_unit" if units_wrong else "wrong"
    return Verdict.wrong(_canonical(answer), answer.span, found.rule, targets, label=label)


def _target(target: Json, options: NumericOptions) -> Number | None:
    if isinstance(target, str):
        return _target_text(target, options.locale)
    return as_decimal(target)


@lru_cache(maxsize=4096)
def _target_text(target: str, locale: str) -> Number | None:
    return as_decimal(target, locale=locale)


def _find(output: str, options: MatchOptions, units: tuple[str, ...]) -> _Found | Verdict:
    locale = options.numeric.locale
    if options.where == "last_number":
        return _last(output, locale, units)
    if options.where == "auto":
        region = announced(output)
        found = _first_in(output, region, locale, units) if region else None
        return found or _last(output, locale, units)
    region = locate(output, options.where, options.after)
    if region is None:
        place = f"after '{options.after}'" if options.after else f"in {options.where}"
        return Verdict(
            value=0.0, label="wrong_format", rule=f"the number {place}, which is missing"
        )
    found = _first_in(output, region, locale, units)
    if found is None:
        return Verdict(
            value=0.0, label="no_answer", rule=f"the number {region.rule}, where there is none"
        )
    if options.where == "whole" and _around(output, found.number.span):
        return Verdict(
            value=0.0,
            label="wrong_format",
            rule="the whole output is one number",
            answer=_canonical(found.number),
            span=found.number.span,
        )
    return found


def _last(output: str, locale: str, units: tuple[str, ...]) -> _Found | Verdict:
    last = last_number(output, locale=locale, units=units)
    if last is None:
        rule = f"the last number of the output, which has none in locale {locale}"
        return Verdict(value=0.0, label="no_answer", rule=rule)
    return _Found(number=last, rule="the last number of the output")


def _first_in(output: str, region: Region, locale: str, units: tuple[str, ...]) -> _Found | None:
    """Return the first number of the region, or the one behind its last equals sign."""
    start, end = region.span
    text = output[start:end]
    behind = text.rfind("=") + 1
    chosen = next(numbers_in(text, locale=locale, units=units, start=behind), None)
    if chosen is None and behind:
        chosen = next(numbers_in(text, locale=locale, units=units), None)
    if chosen is None:
        return None
    span = (chosen.span[0] + start, chosen.span[1] + start)
    return _Found(
        number=Number(value=chosen.value, unit=chosen.unit, span=span),
        rule=f"the number {region.rule}",
    )


def _around(output: str, span: Span) -> str:
    return (output[: span[0]] + output[span[1] :]).strip(" \t\r\n.*`_\"'")


def _comparable(
    answer: Number, target: Number, options: NumericOptions
) -> tuple[bool, Decimal, Decimal]:
    """Return whether the units agree, and both values in the same unit."""
    worth = {unit_name(unit): Decimal(str(one)) for unit, one in options.units.items()}
    if options.percent == "fraction":
        worth["%"] = Decimal("0.01")
    value, wanted = answer.value, target.value
    if answer.unit is None:
        missing = options.unit == "required" and target.unit is not None
        return not missing, value, wanted
    if options.percent == "fraction" and answer.unit == "%" and target.unit is None:
        return True, value * worth["%"], wanted
    if target.unit is None:
        declared = not worth or answer.unit in worth or not _is_known(answer.unit)
        return declared, value * worth.get(answer.unit, Decimal(1)), wanted
    if answer.unit == target.unit:
        return True, value, wanted
    if answer.unit in worth and target.unit in worth:
        return True, value * worth[answer.unit], wanted * worth[target.unit]
    return False, value, wanted


def _is_known(unit: str) -> bool:
    """Whether it is a unit that means something without being declared: EUR, %, kg."""
    return unit in KNOWN_UNITS


def _canonical(number: Number) -> str:
    return f"{plain(number.value)} {number.unit}" if number.unit else plain(number.value)
