"""E-mail addresses, account and card numbers, network addresses, keys: found and verified."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from befit.datasets import redact_checks as checks

Spans = Iterator[tuple[int, int]]

_EMAIL = re.compile(
    r"[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ._%+'-]*(?:@|%40)[A-Za-z0-9À-ɏ-]+(?:\.[A-Za-z0-9À-ɏ-]+)*\.[A-Za-z]{2,24}"
    r"|\b[A-Za-z0-9._-]+ ?[\[(] ?(?:at|AT) ?[\])] ?[A-Za-z0-9-]+"
    r"(?: ?(?:\.|[\[(] ?(?:dot|DOT|punkt|Punkt) ?[\])]) ?[A-Za-z0-9-]+)+"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,32}")
_CARD = re.compile(r"(?<![\d.,+-])\d(?:[ -]?\d){12,18}(?![\d]|[.,]\d)")
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])")
_VERSION = re.compile(r"(?:\bv(?:ersion|er)?\.?|\bbuild|\brelease|版本) ?$", re.IGNORECASE)
_GROUP = 255
_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk)[-_](?:ant|proj|live|test|or)?[-_]?[A-Za-z0-9_-]{16,}"
    r"|\b(?:A3T|AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|hf_|npm_|pypi-|dop_v1_|xox[abeprs]-|xapp-|SG\.|ya29\.|"
    r"AIza|shpat_|sq0atp-|EAAC)[A-Za-z0-9_.-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?"
    r"|(?<=://)[^\s/:@]+:[^\s/@]+(?=@)",
    re.DOTALL,
)
_NAMED = re.compile(
    r"\b(?:api[_ -]?key|access[_ -]?key|secret(?:[_ -]?key)?|auth[_ -]?token|access[_ -]?token|"
    r"token|password|passwd|pwd|passwort|kennwort|mot de passe|contraseña|密码|authorization)"
    r"[\"']?(?: (?:is|ist|est|es|lautet))? ?(?:[:=：]|是|\b(?:is|ist|est|es)\b) ?[\"'`]?"
    r"((?:Bearer |Basic )?[^\s\"'`,;，。<>\[\]]{6,200})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(?:Bearer|Basic) ([A-Za-z0-9+/=_.-]{12,})")
_NAMED_GATE = ("key", "secret", "token", "passw", "pwd", "kennwort", "mot de passe", "contrase",
               "密码", "authorization", "bearer", "basic ")  # fmt: skip
_KEY_GATE = ("PRIVATE KEY", "sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "AKIA", "ASIA", "A3T", "AGPA",
             "AIDA", "AROA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "hf_",
             "npm_", "pypi-", "dop_v1", "xox", "xapp", "SG.", "ya29", "AIza", "shpat", "sq0atp",
             "EAAC", "eyJ", "://")  # fmt: skip
"""Words of which one must be there before the patterns are tried: most texts hold none."""
_COLONS = re.compile(r":[0-9A-Fa-f]{0,4}:")


def emails(text: str) -> Spans:
    """E-mail addresses, written plainly, as `%40` or as `(at)`."""
    if "@" in text or "%40" in text or "at)" in text or "at]" in text or "AT" in text:
        for match in _EMAIL.finditer(text):
            yield match.span()


def ibans(text: str) -> Spans:
    """IBANs with a right checksum and the length of their country."""
    for match in _IBAN.finditer(text):
        length = checks.iban_length(match.group())
        if length:
            yield match.start(), match.start() + length


def cards(text: str) -> Spans:
    """Payment cards with a right check digit."""
    for match in _CARD.finditer(text):
        if checks.card(re.sub(r"\D", "", match.group())):
            yield match.span()


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
            if not found.is_loopback and not found.is_unspecified:
                yield match.span()


def keys(text: str) -> Spans:
    """Keys, tokens and passwords: by the look of known kinds, or by the word before them."""
    if any(word in text for word in _KEY_GATE):
        for match in _KEY.finditer(text):
            yield match.span()
    low = text.lower()
    if any(word in low for word in _NAMED_GATE):
        for match in _NAMED.finditer(text):
            if _secret(match[1]):
                yield match.span(1)
        for match in _BEARER.finditer(text):
            yield match.span(1)


def _secret(value: str) -> bool:
    """Whether what follows such a word is a secret and no word of a sentence."""
    if value.startswith(("Bearer ", "Basic ")):
        return True
    mixed = any(map(str.isdigit, value)) or not value.isalnum()
    plain = value.rstrip(".!?)")
    return mixed and not (plain.isalpha() or (plain.isdigit() and len(plain) < 6))  # noqa: PLR2004 - a number in a sentence
