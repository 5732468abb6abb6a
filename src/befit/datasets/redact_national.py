"""National identity numbers, each behind its locale: elsewhere the same digits mean nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from befit.datasets import redact_checks as checks


@dataclass(frozen=True, slots=True, kw_only=True)
class NationalId:
    """How such a number is written, and what tells it from other numbers."""

    pattern: re.Pattern[str]
    valid: Callable[[str], bool]
    """Told the signs without spaces, dots and hyphens, in capitals."""


def _always(_signs: str) -> bool:
    return True


def _id(pattern: str, valid: Callable[[str], bool]) -> NationalId:
    return NationalId(pattern=re.compile(rf"(?<![\w.-]){pattern}(?![\w-])"), valid=valid)


NATIONAL: dict[str, tuple[NationalId, ...]] = {
    "de": (_id(r"\d{2} ?\d{3} ?\d{3} ?\d{3}", checks.german_tax_id),),
    "fr": (_id(r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", checks.french_nir),),
    "es": (_id(r"(?:\d{8}|[XYZxyz]-?\d{7})[ -]?[A-Za-z]", checks.spanish_id),),
    "zh": (
        NationalId(
            pattern=re.compile(r"(?<![\dA-Za-z])\d{17}[\dXx](?![\dA-Za-z])"),
            valid=checks.chinese_id,
        ),
    ),
    "us": (
        _id(r"\d{3}[- ]\d{2}[- ]\d{4}", checks.american_ssn),
        _id(r"(?i:(?<=ssn[ :#])|(?<=ssn: )|(?<=ssn is ))\d{9}", checks.american_ssn),
    ),
    "gb": (
        _id(r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2}"
            r" ?[A-D]", _always),
    ),
    "it": (_id(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", checks.italian_code),),
    "nl": (_id(r"\d{9}", checks.dutch_bsn),),
    "pl": (_id(r"\d{11}", checks.polish_pesel),),
    "br": (_id(r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}", checks.brazilian_cpf),),
}  # fmt: skip
"""Locale -> its numbers: Steuer-ID, NIR, DNI/NIE, resident number, SSN, NINO, ..."""
ALIASES = {"en": ("us", "gb"), "cn": ("zh",), "uk": ("gb",), "pt": ("br",)}
_GAPS = str.maketrans("", "", " .-")


def known_locales() -> list[str]:
    """Return what may stand in `locales`."""
    return sorted({*NATIONAL, *ALIASES})


def numbers_of(locales: tuple[str, ...]) -> tuple[NationalId, ...]:
    """Return the numbers of some locales."""
    codes = [code for one in locales for code in ALIASES.get(one, (one,))]
    return tuple(found for code in dict.fromkeys(codes) for found in NATIONAL.get(code, ()))


def find(text: str, numbers: tuple[NationalId, ...]) -> Iterator[tuple[int, int]]:
    """Yield where national ids stand."""
    for number in numbers:
        for match in number.pattern.finditer(text):
            if number.valid(match.group().translate(_GAPS).upper()):
                yield match.span()
