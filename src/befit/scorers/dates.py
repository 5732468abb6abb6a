"""Dates in text, read without guessing: the order of day and month is declared or plain.

`2025-03-04`, `4 March 2025` and `25/12/2025` can be read one way only;
`03/04/2025` needs a declared locale, and a year of two digits is never read.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from functools import lru_cache
from typing import Literal

Order = Literal["dmy", "mdy"]

_ORDERS: dict[str, Order] = {
    "en-US": "mdy",
    "en-PH": "mdy",
    **dict.fromkeys(
        (
            *("en-GB", "en-AU", "en-NZ", "en-IE", "en-IN", "de", "fr", "es", "it", "pt", "nl"),
            *("da", "nb", "fi", "pl", "cs", "sk", "ru", "uk", "tr", "el", "bg", "id", "vi", "he"),
        ),
        "dmy",
    ),
}

_MONTHS = (
    "january jan januar enero ene janvier janv gennaio gen janeiro januari",
    "february feb februar febrero février févr febbraio fevereiro februari fev",
    "march mar märz mrz marzo mars março maart",
    "april apr abril abr avril avr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni junio juin giugno giu junho",
    "july jul juli julio juillet juil luglio lug julho",
    "august aug agosto ago août augustus",
    "september sep sept septiembre septembre settembre set setembro",
    "october oct oktober okt octubre octobre ottobre ott outubro out",
    "november nov noviembre novembre novembro",
    "december dec dezember dez diciembre dic décembre déc dicembre dezembro",
)
_MONTH_NUMBERS = {
    name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()
}

_YEAR_FIRST = re.compile(r"(\d{4})(?:([-/.])(\d{1,2})\2|年(\d{1,2})月)(\d{1,2})日?(?:[T ]\d.*)?")
_NUMERIC = re.compile(r"(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4})")
_DAY_FIRST = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th|\.|er)?[\s-](?:de |of )?([^\W\d_]+)\.?,?[\s-](?:de )?(\d{4})"
)
_MONTH_FIRST = re.compile(r"([^\W\d_]+)\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s(\d{4})")


def order_of(locale: str | None) -> Order | None:
    """Return the order of day and month in a locale, or None where it is not known ("en")."""
    if locale is None:
        return None
    return _ORDERS.get(locale) or _ORDERS.get(locale.partition("-")[0])


@lru_cache(maxsize=4096)
def read_date(text: str, order: Order | None = None) -> tuple[date | None, str | None]:
    """Return (date, None), or (None, why the whole of `text` cannot be read as one)."""
    if len(text) > 60:  # noqa: PLR2004 - no date is as long
        return None, "too long for a date"
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    if found := _YEAR_FIRST.fullmatch(plain.upper()):
        year, _, month, cjk_month, day = found.groups()
        return _date(int(year), int(month or cjk_month), int(day))
    if found := _NUMERIC.fullmatch(plain):
        first, _, second, year = found.groups()
        return _numeric(int(first), int(second), int(year), order)
    if found := _DAY_FIRST.fullmatch(plain):
        return _named(found[3], found[2], found[1])
    if found := _MONTH_FIRST.fullmatch(plain):
        return _named(found[3], found[1], found[2])
    return None, "not a date in a known form"


def _numeric(
    first: int, second: int, year: int, order: Order | None
) -> tuple[date | None, str | None]:
    if order == "mdy":
        return _date(year, first, second)
    if order == "dmy":
        return _date(year, second, first)
    months = 12
    if first <= months and second <= months and first != second:
        return None, "day and month could be either way; declare a locale such as en-GB or en-US"
    return _date(year, *((second, first) if first > months else (first, second)))


def _named(year: str, month: str, day: str) -> tuple[date | None, str | None]:
    number = _MONTH_NUMBERS.get(month)
    if number is None:
        return None, f"unknown month '{month}'"
    return _date(int(year), number, int(day))


def _date(year: int, month: int, day: int) -> tuple[date | None, str | None]:
    try:
        return date(year, month, day), None
    except ValueError as error:
        return None, str(error)
