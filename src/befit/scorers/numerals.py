"""Numbers in text, read under a declared locale; never guessed.

`1.234` is a thousand and more in German and a bit over one in English. A text
that is no number in the declared locale is no number at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

MAX_DIGITS = 60
"""Longer runs of digits are not read as numbers."""

_COMMA_GROUPS = (".", ",")
_LOCALES: dict[str, tuple[str, str]] = {
    # language or language-REGION -> decimal mark, grouping marks
    **dict.fromkeys(("en", "ja", "zh", "ko", "th", "he", "hi", "en-IN", "es-MX"), _COMMA_GROUPS),
    **dict.fromkeys(("de", "es", "it", "nl", "da", "id", "tr", "pt-BR", "el", "vi"), (",", ".")),
    **dict.fromkeys(
        ("fr", "pl", "ru", "uk", "cs", "sk", "sv", "nb", "fi", "hu", "bg", "pt"),
        (",", "\u00a0\u202f\u2009 "),
    ),
    **dict.fromkeys(("de-CH", "it-CH", "fr-CH"), (".", "'’")),
    "de-AT": (",", ".\u00a0\u202f "),
    "plain": (".", ""),
}

_UNIT_NAMES: dict[str, str] = {
    **dict.fromkeys(("$", "us$", "usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("£", "gbp", "pound sterling"), "GBP"),
    **dict.fromkeys(("¥", "jpy", "yen", "円"), "JPY"),
    **dict.fromkeys(("chf", "sfr", "fr."), "CHF"),
    **dict.fromkeys(("₹", "inr", "rs.", "rupees"), "INR"),
    **dict.fromkeys(("%", "percent", "prozent", "pct"), "%"),
    **{
        unit: unit
        for unit in [
            "kg",
            "g",
            "mg",
            "t",
            "km",
            "m",
            "cm",
            "mm",
            "l",
            "ml",
            "h",
            "min",
            "s",
            "ms",
            "°c",
            "°f",
        ]
    },
    **dict.fromkeys(("kilogram", "kilograms", "kilo", "kilos"), "kg"),
    **dict.fromkeys(("gram", "grams"), "g"),
    **dict.fromkeys(("kilometer", "kilometers", "kilometre", "kilometres"), "km"),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("liter", "liters", "litre", "litres"), "l"),
    **dict.fromkeys(("hour", "hours"), "h"),
    **dict.fromkeys(("minute", "minutes"), "min"),
    **dict.fromkeys(("second", "seconds"), "s"),
    **dict.fromkeys(("day", "days"), "day"),
    **dict.fromkeys(("week", "weeks"), "week"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("year", "years"), "year"),
}
_WORDS_OF_SIZE = {
    # English only: a German Billion is a thousand times the English one.
    "thousand": Decimal(10**3),
    "million": Decimal(10**6),
    "billion": Decimal(10**9),
    "trillion": Decimal(10**12),
}
_SUFFIXES_OF_SIZE = {
    **dict.fromkeys(("k", "K"), Decimal(10**3)),
    "M": Decimal(10**6),
    **dict.fromkeys(("B", "bn"), Decimal(10**9)),
}
KNOWN_UNITS = frozenset(_UNIT_NAMES.values())
"""Units that are known without being declared."""

_SYMBOLS = "$€£¥₹"
_ORDINALS = frozenset({"st", "nd", "rd", "th"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number found in a text, its unit (if any) as a canonical name, and where it stood."""

    value: Decimal
    unit: str | None
    span: tuple[int, int]
    """With its currency sign and unit."""


def known_locales() -> list[str]:
    """Return the locale names that can be declared."""
    return sorted(_LOCALES)


def check_locale(locale: str) -> str:
    """Return `locale` if it is known.

    Raises:
        ValueError: unknown; a region falls back to its language (`en-US` reads as `en`).
    """
    if locale in _LOCALES or locale.partition("-")[0] in _LOCALES:
        return locale
    raise ValueError(f"unknown locale '{locale}', known: {', '.join(known_locales())}")


def unit_name(unit: str) -> str:
    """Return the canonical name of a unit: currencies by ISO code, `%`, others as they are."""
    plain_unit = unit.strip()
    # One letter means something by its case: m is a metre, M is not.
    return _UNIT_NAMES.get(plain_unit if len(plain_unit) == 1 else plain_unit.lower(), plain_unit)


@lru_cache(maxsize=64)
def _pattern(locale: str) -> tuple[re.Pattern[str], str, str]:
    decimal, groups = _LOCALES.get(locale) or _LOCALES[locale.partition("-")[0]]
    mark = re.escape(decimal)
    sizes = r"\d{1,2}(?:G\d{2})*G\d{3}|" if locale == "en-IN" else ""
    grouped = f"{sizes}\\d{{1,3}}(?:G\\d{{3}})++|" if groups else ""
    whole = f"(?:{grouped}\\d++)".replace("G", f"[{re.escape(groups)}]")
    # A neighbour digit behind a mark would make it part of something longer: another
    # locale's number, a date, a time, a range, an identifier. Those are not numbers.
    joint = r"[.,:/'’\-]"
    text = (
        rf"(?<![\w])(?<!\d{joint})(?<!\w-)"
        rf"(?:(?P<sign>(?<!\w)[-+\u2212])\s?)?(?P<front>[{_SYMBOLS}]\s?)?"
        rf"(?P<inner>[-\u2212])?"
        rf"(?P<number>(?:{whole}(?:{mark}\d++)?|{mark}\d++)(?:[eE][-+]?\d{{1,3}}(?!\d))?)"
        rf"(?!{joint}?\d)(?P<back>\s?(?:%|[{_SYMBOLS}°]C?F?)|[^\W\d_]++)?(?!\w)"
    )
    return re.compile(text), decimal, groups


def numbers_in(
    text: str, *, locale: str = "en", units: tuple[str, ...] = (), start: int = 0
) -> Iterator[Number]:
    """Yield the numbers of `text` from `start` on; `units` are words accepted after a space.

    Neither dates, times, ordinals, ranges and identifiers nor numbers written
    for another locale are numbers here.
    """
    pattern, decimal, groups = _pattern(locale)
    for found in pattern.finditer(text, start):
        back = (found["back"] or "").strip()
        if back.lower() in _ORDINALS or len(found["number"]) > MAX_DIGITS:
            continue
        digits = found["number"].translate({ord(mark): None for mark in groups})
        value = Decimal(digits.replace(decimal, "."))
        if any(sign in "-\u2212" for sign in (found["sign"], found["inner"]) if sign):
            value = -value
        end = found.end()
        size = _SUFFIXES_OF_SIZE.get(back) if back not in units else None
        if size is None and not back and locale.startswith("en"):
            size, end = _size_after(text, end)
        if size is not None:
            value, back = value * size, ""
        unit = back or (found["front"] or "").strip()
        if not back:
            unit, end = _unit_after(text, end, units) or (unit, end)
        yield Number(value=value, unit=unit_name(unit) if unit else None, span=(found.start(), end))


def last_number(text: str, *, locale: str = "en", units: tuple[str, ...] = ()) -> Number | None:
    """Return the last number of `text`; reads no more of its end than it has to."""
    start = max(0, len(text) - _TAIL)
    while True:
        last: Number | None = None
        for number in numbers_in(text, locale=locale, units=units, start=start):
            last = number
        # Near the start of the window it could be the rest of a longer one.
        if start == 0 or (last is not None and last.span[0] > start + 2 * MAX_DIGITS):
            return last
        start = max(0, len(text) - 8 * (len(text) - start))


_TAIL = 2000
"""Characters at the end of a text that are read first."""


def _size_after(text: str, end: int) -> tuple[Decimal | None, int]:
    """Return the factor of a word such as "million" that follows `end`, and where it ends."""
    word = _WORD_AFTER.match(text, end)
    size = _WORDS_OF_SIZE.get(word["word"].lower()) if word else None
    return (size, word.end()) if word and size is not None else (None, end)


def _unit_after(text: str, end: int, units: tuple[str, ...]) -> tuple[str, int] | None:
    """Return the declared or known unit that follows `end`, and where it ends."""
    word = _WORD_AFTER.match(text, end)
    if word is None:
        return None
    start = word.start("word")
    for unit in units:
        if text.startswith(unit, start) and not _continues(text, start + len(unit)):
            return unit, start + len(unit)
    if unit_name(word["word"]) in KNOWN_UNITS:
        return word["word"], word.end()
    return None


_WORD_AFTER = re.compile(r"[ \u00a0\u202f]?(?P<word>°?[^\W\d_]{1,40}(?!\w)|%)")


def _continues(text: str, place: int) -> bool:
    return place < len(text) and (text[place].isalnum() or text[place] == "_")


def plain(value: Decimal) -> str:
    """Return the canonical text of a number: no exponent, no trailing zeros (`18.0` is `18`)."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def close(
    value: Decimal,
    wanted: Decimal,
    *,
    absolute: Decimal = Decimal(0),
    relative: Decimal = Decimal(0),
) -> bool:
    """Whether |value - wanted| <= max(absolute, relative x |wanted|)."""
    return abs(value - wanted) <= max(absolute, relative * abs(wanted))


def as_decimal(value: object, *, locale: str = "en") -> Number | None:
    """Read a whole JSON value (number or text) as one number; None if it is not exactly one."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        if not abs(value) < 10**MAX_DIGITS:  # NaN and infinities too
            return None
        return Number(value=Decimal(str(value)), unit=None, span=(0, 0))
    if not isinstance(value, str):
        return None
    text = value.strip()
    found = list(numbers_in(text, locale=locale))
    if len(found) != 1:
        return None
    start, end = found[0].span
    rest = (text[:start] + text[end:]).strip()
    if rest and unit_name(rest) == rest and not rest.isalpha():
        return None
    unit = found[0].unit or (unit_name(rest) if rest else None)
    return Number(value=found[0].value, unit=unit, span=found[0].span)
