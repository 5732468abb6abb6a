"""In which language a text is written: by its script, and where scripts are shared, by py3langid.

py3langid (BSD-3-Clause, a model inside its wheel, no network) is loaded on
first use only: about a second and 100 MB. It is deterministic.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# The languages a user is likely to ask for. Dialects and near twins (Galician beside
# Portuguese) are left to their big sister, so that a short text is not lost to them.
_COMMON = (
    "af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is "
    "it ja ka kk km kn ko la lo lt lv mk ml mn mr ms my ne nl no pa pl ps pt ro ru si sk sl sq sr "
    "sv sw ta te th tl tr uk ur uz vi zh"
)
_KNOWN = frozenset(_COMMON.split(" "))
_NAMES = {"zh-cn": "zh", "zh-tw": "zh", "zh-hans": "zh", "zh-hant": "zh", "nb": "no", "nn": "no"}
_TWINS = ({"id", "ms"}, {"hr", "sr", "bs"}, {"pt", "gl"})
"""Languages that so short a text as an answer cannot part: one stands for the other."""
_SCRIPTS = {
    "ja": "\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d",
    "ko": "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e",
    "zh": "\u3400-\u4dbf\u4e00-\u9fff",
    "th": "\u0e01-\u0e5b",
    "lo": "\u0e81-\u0edf",
    "km": "\u1780-\u17ff",
    "my": "\u1000-\u109f",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "he": "\u0590-\u05ff",
    "hy": "\u0530-\u058f",
    "ka": "\u10a0-\u10ff",
    "bn": "\u0980-\u09ff",
    "pa": "\u0a00-\u0a7f",
    "gu": "\u0a80-\u0aff",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "kn": "\u0c80-\u0cff",
    "ml": "\u0d00-\u0d7f",
    "si": "\u0d80-\u0dff",
}
_PATTERNS = {code: re.compile(f"[{letters}]") for code, letters in _SCRIPTS.items()}
_LETTER = re.compile(r"[^\W\d_]")
_KANA_SHARE = 0.05
"""Chinese quotes a kana now and then; in Japanese at least this share of the letters are kana."""
_SAMPLE = 4000
"""Characters looked at; more would not change the verdict."""
_SURE = 0.4
"""From this probability on the likeliest language is the verdict."""
_BEYOND_DOUBT = 0.9
"""From this probability on a sentence is in a language, whatever the text around it is in."""
_DOUBT = 0.3
"""Below it, a language with this share of the likeliest one's probability may be meant."""


def known() -> list[str]:
    """Return the codes that can be asked for."""
    return sorted({*_KNOWN, *_SCRIPTS, *_NAMES})


def detect(text: str, *, asked: str) -> tuple[str | None, bool]:
    """Return the ISO 639 code of the text's language, and whether that is the one asked for.

    None where the text has no letters; it then contradicts nothing. A text too
    short to tell (one word) gets the benefit of the doubt where the language
    asked for is among the likely ones.
    """
    text = text[:_SAMPLE]
    asked = _NAMES.get(asked.lower(), asked.lower())
    letters = len(_LETTER.findall(text))
    if not letters:
        return None, True
    found = None if text.isascii() else _by_script(text, letters)
    if found is not None:
        return found, found == asked
    ranked = _identifier().rank(text.encode("utf-8", "ignore").decode())
    found, likely = ranked[0]
    if found == asked or any({asked, found} <= twins for twins in _TWINS):
        return found, True
    chance = dict(ranked).get(asked, 0.0)
    return found, likely < _SURE and chance >= _DOUBT * likely


def surely_foreign(text: str, *, asked: str) -> bool:
    """Whether a sentence is in another language beyond doubt: names and terms make none."""
    found, held = detect(text, asked=asked)
    if found is None or held:
        return False
    letters = len(_LETTER.findall(text[:_SAMPLE]))
    if not text.isascii() and _by_script(text[:_SAMPLE], letters) is not None:
        return True
    ranked = _identifier().rank(text[:_SAMPLE].encode("utf-8", "ignore").decode())
    return bool(ranked[0][1] >= _BEYOND_DOUBT)


def _by_script(text: str, letters: int) -> str | None:
    counts = {code: len(pattern.findall(text)) for code, pattern in _PATTERNS.items()}
    if counts["ja"] >= _KANA_SHARE * letters and counts["ja"] + counts["zh"] > letters / 2:
        return "ja"
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] > letters / 2 else None


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    # Imported here: a second and 100 MB, only where a language is asked for.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - see above

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_KNOWN)
    return identifier
