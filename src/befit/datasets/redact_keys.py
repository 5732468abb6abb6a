"""Keys, tokens, passwords and codes: by the look of known kinds, or by the word before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

Spans = Iterator[tuple[int, int]]

_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
    r"|(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?:ant|proj|live|test|or)?[-_]?[A-Za-z0-9_-]{16,}"
    r"|(?<![A-Za-z0-9])(?:A3T|AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"
    r"|(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|glsa_|gsk_|hf_|npm_|pypi-|dop_v1_|"
    r"xox[abeprs]-|xapp-|xai-|nvapi-|pplx-|r8_|tvly-|whsec_|shpat_|sq0atp-|dckr_pat_|figd_|"
    r"lin_api_|ntn_|dapi|hvs\.|SG\.|ya29\.|AIza|EAAC)[A-Za-z0-9_.-]{16,}"
    r"|(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?"
    r"|(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{30,}"
    r"|(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"
    r"|(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}"
    r"|(?<=/api/webhooks/)\d+/[A-Za-z0-9_-]{20,}",
    re.DOTALL,
)
_LONG = re.compile(r"[A-Za-z0-9_.:/-]{18}")
"""All of the above but two hold so many signs without a space: most texts hold none."""
_WORD_OF = (
    r"(?:api[_ -]?key|access[_ -]?key(?:[_ -]?id)?|account[_ -]?key|private[_ -]?key|"
    r"secret(?:[_ -]?(?:access[_ -]?)?key)?|(?:auth|access|refresh|id|session|bearer)?[_ -]?token|"
    r"password|passwd|passphrase|pwd|passwort|kennwort|mot de passe|contraseña|密码|"
    r"authorization|signature|credentials?|session[_ -]?id|session(?==)|sig)"
)
_NAMED = re.compile(
    rf"(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?-i:(?=[A-Z]))){_WORD_OF}"
    r"(?P<quote>[\"'`]?)(?: (?:is|ist|est|es|lautet))? ?"
    r"(?P<sign>[:=：]|是|\b(?:is|ist|est|es|lautet)\b) ?[\"'`]?"
    r"(?P<value>(?:Bearer |Basic )?[^\s\"'`,;，。<>\[\]{}&]{4,400})",
    re.IGNORECASE,
)
_FLAG = re.compile(
    rf"(?<![\w-])--?{_WORD_OF}[ =][\"']?(?P<value>[^\s\"'<>$]{{4,400}})"
    r"|(?<![\w-])-u ?[\"']?[^\s\"':]{1,80}:(?P<second>[^\s\"'<>$]{4,400})",
    re.IGNORECASE,
)
"""Options of a command line: `--password x`, `-u user:x`."""
_BEARER = re.compile(r"\b(?:Bearer|Basic) ([A-Za-z0-9+/=_.-]{12,})")
_CODE = re.compile(
    r"(?:(?<![A-Za-z])(?:PIN(?:[ -]?code)?|CVV2?|CVC2?|OTP|passcode|TAN|"
    r"(?:one[- ]time|verification|security|2fa|login)[ -]?(?:code|password)|"
    r"(?:Bestätigungs|Sicherheits)code|code de (?:vérification|sécurité)|"
    r"código de (?:verificación|seguridad))|验证码)"
    r"[\"']?(?: ?[:=：]| is| ist| lautet| est| es|是|为)? ?[\"']?(\d{3,8})(?![\w.,]?\d)",
    re.IGNORECASE,
)
_GATE = ("key", "secret", "token", "passw", "passp", "pwd", "kennwort", "mot de passe",
         "contrase", "密码", "authorization", "bearer", "basic ", "signature", "credential",
         "session", "sig=", "-u ")  # fmt: skip
_CODE_GATE = ("pin", "cvv", "cvc", "otp", "tan", "code", "código", "验证码", "one-time")
_SHORT = re.compile(r"\d{3}")
_DIGITS = 6
"""Digits from which a number after such a word is no count."""
_PLACEHOLDERS = frozenset(("string", "null", "none", "true", "false", "undefined", "required",
                           "optional", "number", "object"))  # fmt: skip


def keys(text: str) -> Spans:
    """Yield where keys, tokens, passwords and codes stand."""
    if _LONG.search(text) or "://" in text or "PRIVATE KEY" in text:
        for match in _KEY.finditer(text):
            yield match.span()
    low = text.lower()
    if _holds(low, _GATE):
        yield from _named(text)
    if _SHORT.search(text) and _holds(low, _CODE_GATE):
        for match in _CODE.finditer(text):
            yield match.span(1)


def _named(text: str) -> Spans:
    """Yield what the word before it says is a secret."""
    for match in _NAMED.finditer(text):
        if _secret(match["value"], sure=_sure(match)):
            yield match.span("value")
    for match in _BEARER.finditer(text):
        yield match.span(1)
    for match in _FLAG.finditer(text):
        yield match.span("value" if match["value"] else "second")


def _sure(match: re.Match[str]) -> bool:
    """Whether a value is assigned, as in a setting, a URL or a record, and no sentence goes on."""
    at = match.start("sign")
    assigned = match["sign"] == "=" and match.string[at - 1] != " "
    return assigned or match["quote"] == '"'


def _holds(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 - twice as fast as any(), in the hottest place of an import
        if word in text:
            return True
    return False


def _secret(value: str, *, sure: bool) -> bool:
    """Whether what follows such a word is a secret and no word of a sentence.

    After `=` and behind a JSON key it nearly always is: nobody writes sentences like that.
    """
    if value.startswith(("Bearer ", "Basic ")):
        return True
    plain = value.rstrip(".!?)")
    if plain.replace(".", "").isdigit() and len(plain) < _DIGITS:
        return sure and plain.isdigit() and len(plain) >= _DIGITS - 2
    if sure:
        return plain.lower() not in _PLACEHOLDERS
    if len(value) < _DIGITS:
        return False
    mixed = any(map(str.isdigit, value)) or not value.isalnum()
    return mixed and not plain.isalpha() and "(" not in plain
