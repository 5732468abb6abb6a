"""Letters of other scripts that look like Latin ones, so that a name cannot hide behind them.

Single letters out of Unicode's table of confusable characters (UTS 39,
confusables.txt), and small capitals, which read as the letters they are. Only a word
that is Latin once its look-alikes are exchanged is taken for Latin; other words of
Russian, Greek or Armenian keep their letters.
"""

from __future__ import annotations

import re

_GREEK = (
    (
        "\u03b1\u03b9\u03f3\u03bf\u03c3\u03c1\u03c5\u03bd\u03b3\u03ba\u0391\u0392\u0395\u0397\u0399"
        "\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03a5\u0396\u03c4"
    ),
    "aijoopuvykABEHIKMNOPTXYZt",
)
_CYRILLIC = (
    (
        "\u0430\u0441\u0501\u0435\u04bb\u0456\u04cf\u0458\u043a\u043e\u0440\u051b\u0433\u0455\u0475"
        "\u0461\u051d\u0445\u0443\u04af\u0410\u0412\u0421\u0415\u050c\u041d\u0406\u04c0\u0408\u041a"
        "\u041c\u041e\u0420\u0405\u0422\u0474\u051c\u0425\u0423\u04ae\u0442\u043c"
    ),
    "acdehiljkopqrsvwwxyyABCEGHIIJKMOPSTVWXYYtm",
)
_ARMENIAN = (
    "\u0584\u0581\u0570\u0578\u057c\u0585\u0563\u0566\u057d\u0561\u0555\u054f\u054d",
    "fghnnoqquwOSU",
)
_CHEROKEE = (
    (
        "\u13cf\u13e7\u13c2\u13a5\u13aa\u13f4\u13df\u13a0\u13ac\u13c0\u13bb\u13ab\u13e6\u13de\u13b7"
        "\u13e2\u13a1\u13d2\u13da\u13a2\u13d9\u13b3\u13a9\u13c3"
    ),
    "bdhiABCDEGHJKLMPRRSTVWYZ",
)
_COPTIC = (
    "\u2ca5\u2c9f\u2ca3\u2c85\u2ca4\u2c8e\u2c92\u2c94\u2c98\u2c9a\u2c9e\u2ca2\u2ca6\u2cac\u2ca8",
    "coprCHIKMNOPTXY",
)
_LISU = (
    (
        "\ua4ee\ua4d0\ua4da\ua4d3\ua4f0\ua4dd\ua4d6\ua4e7\ua4d9\ua4d7\ua4e1\ua4df\ua4e0\ua4f3\ua4d1"
        "\ua4e3\ua4e2\ua4d4\ua4f4\ua4e6\ua4ea\ua4eb\ua4ec\ua4dc\ua4f2"
    ),
    "ABCDEFGHJKLMNOPRSTUVWXYZI",
)
_LATIN = (
    (
        "\u0251\u1d04\u0261\u026a\u0269\u1d0f\ua731\u1d1c\u1d20\u1d21\u028f\u1d22\u0280\u1d00\u1d07"
        "\u1d05\u1d0b\u029f\u1d0d\u0274\u1d18\u1d1b"
    ),
    "acgiiosuvwyzraedklmnpt",
)
"""Phonetic letters and small capitals."""
_PAIRS = (_GREEK, _CYRILLIC, _ARMENIAN, _CHEROKEE, _COPTIC, _LISU, _LATIN)
LOOKALIKES = {ord(a): b for odd, plain in _PAIRS for a, b in zip(odd, plain, strict=True)}
_ANY = re.compile("[" + "".join(odd for odd, _ in _PAIRS) + "]")
_WORD = re.compile(r"[^\W_]+")


def without_lookalikes(text: str) -> str:
    """Return the text, as long as it was, with words that only look Latin in Latin letters."""
    if text.isascii() or _ANY.search(text) is None:
        return text
    return _WORD.sub(_latin, text)


def _latin(found: re.Match[str]) -> str:
    word = found[0]
    if word.isascii():
        return word
    plain = word.translate(LOOKALIKES)
    return plain if plain.isascii() else word
