"""Phone numbers: digit groups that a numbering plan knows.

International numbers (`+` or `00`) need to be valid; national ones need also a
sign that a number is meant: the way it is grouped, or a word before it.
`phonenumbers` (Apache-2.0, numbering plans inside) is loaded on first use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

_CANDIDATE = re.compile(
    r"(?:(?<![\w.,#/-])|(?<=,)(?=\+|00|0[1-9])|(?<=wa\.me/))"
    r"(?:\+|00 ?)?\(?\d[\d\u00a0 ()./-]{5,24}\d(?!\w|\.\d|,\d{1,3}(?!\d))"
)
_CJK = re.compile(r"(?<=[\u4e00-\u9fff：:])(?:\+|00 ?)?\(?\d[\d ()./-]{5,24}\d(?![A-Za-z])")
_DATED = re.compile(
    r"(?:19|20)\d\d[-./](?:0?[1-9]|1[0-2])[-./](?:[0-2]?\d|3[01])(?!\d)"
    r"|(?:[0-2]?\d|3[01])[-./](?:[0-2]?\d|3[01])[-./](?:19|20)\d\d(?!\d)"
)
_WORD = re.compile(
    r"(?:\b(?:tel|phone|telephone|mobile|cell\b|call(?:ing)?\b|fax|whatsapp|sms\b|handy|telefon|rufnummer|mobil|"
    r"anruf|portable|appel|fixe|tél|móvil|movil|teléfono|telefono|celular|llam)|电话|手机|号码|拨打|"
    r"☎|wa\.me/|\bmy number\b|\bmeine Nummer\b|\bmon numéro\b|\bmi número\b)[^\d\n]{0,25}$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"order|invoice|ticket|parcel|case|version|bestell|rechnung|paket|vorgang|commande|facture|"
    r"colis|pedido|factura|订单|发票|#",
    re.IGNORECASE,
)
"""What stands between such a word and the number where the number is another one's."""
_NATIONAL = re.compile(
    r"1[3-9]\d{9}|1[3-9]\d-\d{4}-\d{4}"  # a Chinese mobile number
    r"|\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}"  # North America
    r"|\(?0\d{1,5}\)?[ /-](?:\d+[ -]?){1,5}"  # an area code with its 0
    r"|0\d(?:[ .]\d\d){4}"  # France
    r"|[679]\d\d \d{3} \d{3}|[679]\d\d \d\d \d\d \d\d"  # Spain
)
"""Without a word before it, only what is written like this is looked up at all."""
_LEAST, _MOST = 7, 15
_BEFORE = 40
_REGIONS = {"de": ("DE", "AT", "CH"), "fr": ("FR", "BE", "CH"), "es": ("ES", "MX"), "zh": ("CN",),
            "cn": ("CN",), "us": ("US",), "gb": ("GB",), "uk": ("GB",), "en": ("US", "GB"),
            "it": ("IT",), "nl": ("NL",), "pl": ("PL",), "pt": ("PT", "BR"),
            "br": ("BR",)}  # fmt: skip
_DEFAULT = ("US", "GB", "DE", "FR", "ES", "CN")


def regions_of(locales: Sequence[str]) -> tuple[str, ...]:
    """Return the regions whose national numbers are looked for."""
    found = [region for one in locales for region in _REGIONS.get(one, ())]
    return tuple(dict.fromkeys(found)) or _DEFAULT


def find(text: str, regions: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield where phone numbers stand."""
    for pattern in (_CANDIDATE, _CJK) if not text.isascii() else (_CANDIDATE,):
        for match in pattern.finditer(text):
            written = match.group()
            digits = sum(map(str.isdigit, written))
            if not _LEAST <= digits <= _MOST or _DATED.match(written):
                continue
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            told = _WORD.search(before)
            if _is_phone(written, regions, told=told is not None and not _OTHER.search(told[0])):
                yield match.span()


@lru_cache(maxsize=4096)
def _is_phone(written: str, regions: tuple[str, ...], *, told: bool) -> bool:
    library = _library()
    foreign = written.lstrip("(").startswith(("+", "00"))
    if foreign and written.startswith("00"):
        written = "+" + written[2:].lstrip()
    if not foreign and not told and not _grouped(written):
        return False
    tried = [(written, region) for region in ((None,) if foreign else regions)]
    if told and not foreign:
        tried.append((f"+{written}", None))  # an international one that lost its sign
    for text, region in tried:
        try:
            number = library.parse(text, region)
        except library.NumberParseException:
            continue
        if library.is_valid_number(number):
            return True
        if told and text == written and library.is_possible_number(number):
            return True
    return False


def _grouped(written: str) -> bool:
    """Whether it is written as national numbers are, and as sums and ranges are not."""
    return _NATIONAL.fullmatch(written.strip()) is not None


@lru_cache(maxsize=1)
def _library() -> Any:
    import phonenumbers  # noqa: PLC0415 - half a second, only where numbers are met

    return phonenumbers
