"""E-mail addresses, account and card numbers, network addresses: found and verified."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from befit.datasets import redact_checks as checks

Spans = Iterator[tuple[int, int]]

_EMAIL = re.compile(
    r"[A-Za-z0-9À-ӿ][A-Za-z0-9À-ӿ._%+'-]{0,80}(?:@|%40)"
    r"[A-Za-z0-9À-ӿ-]{1,64}(?:\.[A-Za-z0-9À-ӿ-]{1,64}){0,8}\."
    r"(?:xn--[a-z0-9-]{1,60}|[A-Za-zÀ-ӿ]{2,24})"
    r"|[A-Za-z0-9][A-Za-z0-9._%+-]{0,80} @ [A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){0,4}"
    r"\.(?:com|org|net|info|edu|gov|[a-z]{2})(?![\w(.-])"
    r"|\b[A-Za-z0-9._-]{1,80} ?[\[(] ?(?:at|AT) ?[\])] ?[A-Za-z0-9-]{1,64}"
    r"(?: ?(?:\.|[\[(] ?(?:dot|DOT|punkt|Punkt) ?[\])]) ?[A-Za-z0-9-]{1,64}){1,8}"
    r"|\b[A-Za-z0-9_-]{1,64}(?:(?:\.| dot | punkt )[A-Za-z0-9_-]{1,64}){0,4} at "
    r"[A-Za-z0-9-]{1,64}(?:(?: dot | punkt )[A-Za-z0-9-]{1,64}){1,4}\b"
)
"""Every part has a longest form: a long word costs no more than many short ones."""
_EMAIL_GATE = ("@", "%40", "at)", "at]", "AT)", "AT]", "at )", "AT )", " dot ", " punkt ")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ .-]{0,2}[A-Za-z0-9]){11,32}")
_IBAN_GATE = re.compile(r"(?<=[A-Za-z]{2})\d\d[ .-]{0,2}[A-Za-z0-9]")
_DIGITS = re.compile(r"\d(?:[ .-]{0,2}\d){12,}")
"""A run of digits in which a card may stand: numbers of orders and dates stand beside it."""
_SHORTEST_CARD, _LONGEST_CARD = 13, 19
_EXPIRY = re.compile(
    r"[\s,;|/(]{0,3}(?:(?:exp(?:iry|ires|iration)?\.?(?: date)?|(?:valid|good) (?:thru|until)"
    r"|g(?:ü|ue)ltig bis|有效期至?)[.:： ]{0,2})?"
    r"((?:0[1-9]|1[0-2]) ?[/-] ?(?:20)?\d\d)(?![\d/-])",
    re.IGNORECASE,
)
"""The month in which a card ends, behind its number: with it the card can be used."""
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])")
_VERSION = re.compile(r"(?:\bv(?:ersion|er)?\.?|\bbuild|\brelease|版本) ?$", re.IGNORECASE)
_GROUP = 255
_COLONS = re.compile(r":[0-9A-Fa-f]{0,4}:")


def emails(text: str) -> Spans:
    """E-mail addresses, written plainly, as `%40`, as `(at)` or in words."""
    if any(sign in text for sign in _EMAIL_GATE):
        for match in _EMAIL.finditer(text):
            yield match.span()


def ibans(text: str) -> Spans:
    """IBANs with a right checksum and the length of their country."""
    if _IBAN_GATE.search(text) is None:
        return
    at = 0
    while match := _IBAN.search(text, at):
        length = checks.iban_length(match.group())
        if length:
            yield match.start(), match.start() + length
        # What begins like one may end in the real one.
        at = match.start() + (length or 2)


def cards(text: str) -> Spans:
    """Payment cards with a right check digit, also between other numbers, and their last month."""
    for run in _DIGITS.finditer(text):
        places = [run.start() + i for i, sign in enumerate(run.group()) if sign.isdecimal()]
        first = 0
        while first + _SHORTEST_CARD <= len(places):
            last = _card_from(text, places, first)
            if last:
                end = places[last - 1] + 1
                yield places[first], end
                if expiry := _EXPIRY.match(text, end):
                    yield expiry.span(1)
            first = last or first + 1


def _card_from(text: str, places: list[int], first: int) -> int:
    """Return behind which digit the card ends that begins at `first`; 0 where there is none."""
    start = places[first]
    if start and (text[start - 1].isdecimal() or text[max(0, start - 2) : start] == "0."):
        return 0
    for size in range(min(_LONGEST_CARD, len(places) - first), _SHORTEST_CARD - 1, -1):
        last = first + size
        end = places[last - 1] + 1
        if end < len(text) and text[end].isdecimal():
            continue
        digits = "".join(text[place] for place in places[first:last])
        if digits.isascii() and checks.card(digits) and _as_cards_are(text[start:end]):
            return last
    return 0


def _as_cards_are(written: str) -> bool:
    """Whether digits are grouped as on cards: together, or in groups of three and more."""
    groups = re.split(r"[ .-]+", written)
    return len(groups) == 1 or all(len(group) > 2 for group in groups)  # noqa: PLR2004 - 19 digits end in three


def addresses(text: str) -> Spans:
    """IPv4 and IPv6 addresses, but loopback, "any" and version numbers."""
    for match in _IPV4.finditer(text) if text.count(".") > 2 else ():  # noqa: PLR2004 - dots
        groups = [int(group) for group in match.group().split(".")]
        before = text[max(0, match.start() - 10) : match.start()]
        if max(groups) > _GROUP or groups[0] in {0, 127} or _VERSION.search(before):
            continue
        yield match.span()
    if _COLONS.search(text):
        for match in _IPV6.finditer(text):
            try:
                found = ipaddress.IPv6Address(match.group())
            except ValueError:
                continue
            filled = sum(map(bool, match.group().split(":")))
            if filled > 1 and not found.is_loopback and not found.is_unspecified:
                yield match.span()
