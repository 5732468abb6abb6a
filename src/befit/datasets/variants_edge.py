"""Edge cases that leave the answer as it was: noise, forms, lengths, languages, encodings."""

from __future__ import annotations

import html
import json
import re
from datetime import date

from befit.datasets.variants import Made, Source

_CHARACTERS = 4
"""Characters of one token, about."""
_FILLER = (
    "This paragraph is a legal notice and has nothing to do with the request. ",
    "Page footer: printed on recycled paper, all pages are numbered. ",
    "The following lines were left blank on purpose. ",
)
_EMOJI = "😀🙏🚀📦✅🎉🤔👍"
_SPECIAL = "§¶†‡•©®™°±«»¿¡ßæøñ~^|\\`"
_FOREIGN = (
    "Vielen Dank im Voraus für Ihre Hilfe!",
    "Merci d'avance pour votre aide !",
    "¡Muchas gracias de antemano!",
    "提前感谢您的帮助！",
)
_RTL = ("شكرا جزيلا لك", "תודה רבה לך")
_RLM, _RLE, _PDF = "\u200f", "\u202b", "\u202c"
_WORD = re.compile(r"[^\W\d_]{4,}")
_LEAST = 20
"""Characters below which a text is too short to be cut."""
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def survives(source: Source, text: str) -> bool:
    """Whether every value of the target that stood in the input still stands in `text`."""
    return all(value in text for value in source.values if value in source.text)


def _if_kept(source: Source, text: str) -> Made | None:
    return Made(text=text) if survives(source, text) else None


def overlong(source: Source) -> Made | None:
    """Fill up to the token budget with paragraphs that say they are irrelevant."""
    parts: list[str] = []
    size = len(source.text)
    while size < source.tokens * _CHARACTERS:
        parts.append(source.random.choice(_FILLER))
        size += len(parts[-1])
    half = len(parts) // 2
    return Made(text=f"{''.join(parts[:half])}\n\n{source.text}\n\n{''.join(parts[half:])}".strip())


def truncated(source: Source) -> Made | None:
    """Cut in the middle of a word, behind all that the answer needs."""
    held = [
        source.text.rfind(value) + len(value) for value in source.values if value in source.text
    ]
    if len(held) < len(source.values) or not held:
        return None  # an answer that is not in the text may need any of it
    words = [m for m in _WORD.finditer(source.text) if m.start() >= max(held)]
    if not words or len(source.text) < _LEAST:
        return None
    word = words[-1]
    return _if_kept(source, source.text[: word.start() + len(word.group()) // 2])


def special_characters(source: Source) -> Made | None:
    """Put rows of unusual characters around the text."""
    row = "".join(source.random.choices(_SPECIAL, k=24))
    return _if_kept(source, f"{row}\n{source.text}\n{row[::-1]}")


def emoji(source: Source) -> Made | None:
    """Put emoji after sentences and lines."""
    made = re.sub(
        r"(?<=[.!?])(?=\s|$)|(?<=\S)(?=\n|$)",
        lambda _: f" {source.random.choice(_EMOJI)}",
        source.text,
    )
    return _if_kept(source, made)


def right_to_left(source: Source) -> Made | None:
    """Add a line in a right-to-left script, with its marks."""
    return _if_kept(source, f"{_RLE}{source.random.choice(_RTL)}{_PDF}{_RLM}\n{source.text}")


def mixed_languages(source: Source) -> Made | None:
    """Add a polite sentence in another language."""
    return _if_kept(source, f"{source.text}\n\n{source.random.choice(_FOREIGN)}")


def wrong_encoding(source: Source) -> Made | None:
    """UTF-8 read as Latin-1, where nothing of the answer is touched by it."""
    made = source.text.encode().decode("latin-1")
    if made == source.text or any(not value.isascii() for value in source.values):
        return None
    return _if_kept(source, made)


def duplicated_fields(source: Source) -> Made | None:
    """Say a line that holds a value of the answer twice, in the same words."""
    lines = source.text.split("\n")
    held = [i for i, line in enumerate(lines) if any(value in line for value in source.values)]
    if not held or len(lines) < 2:  # noqa: PLR2004 - one line is no form
        return None
    at = source.random.choice(held)
    return Made(text="\n".join([*lines[: at + 1], lines[at], *lines[at + 1 :]]))


def _noisy(source: Source, noise: dict[str, str] | None) -> Made | None:
    """Change words that hold no digit and are no part of the answer."""
    kept = {word.lower() for value in source.values for word in _WORD.findall(value)}

    def change(match: re.Match[str]) -> str:
        word = match.group()
        if word.lower() in kept or not word.isascii() or source.random.random() > 0.25:  # noqa: PLR2004 - every fourth
            return word
        if noise is None:
            return _typo(word, source)
        for sign, wrong in noise.items():
            if sign in word:
                return word.replace(sign, wrong, 1)
        return word

    return _if_kept(source, _WORD.sub(change, source.text))


def _typo(word: str, source: Source) -> str:
    at = source.random.randrange(1, len(word) - 1)
    way = source.random.randrange(3)
    if way == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + word[at + 1 :] if way == 1 else word[:at] + word[at] + word[at:]


def typos(source: Source) -> Made | None:
    """Swap, drop or double letters in every fourth word."""
    return _noisy(source, None)


def ocr_noise(source: Source) -> Made | None:
    """Letters as a scanner takes them for others."""
    return _noisy(source, {"rn": "m", "l": "1", "O": "0", "o": "0", "S": "5", "I": "l"})


def plain_text(source: Source) -> Made | None:
    """The same content without the marks of Markdown or HTML, where it has some."""
    bare = html.unescape(re.sub(r"</?[A-Za-z][^<>]*>", "", source.text))
    bare = re.sub(r"(?m)^ {0,3}(?:#{1,6} |[-*+] |> )", "", bare)
    return _if_kept(source, re.sub(r"\*\*|__|`", "", bare))


def as_markdown(source: Source) -> Made | None:
    """Render the same content as Markdown."""
    lines = [f"- {line}" if line.strip() else line for line in source.text.split("\n")]
    return _if_kept(source, "## Content\n\n" + "\n".join(lines))


def as_html(source: Source) -> Made | None:
    """Render the same content as HTML."""
    lines = [f"<p>{html.escape(line, quote=False)}</p>" for line in source.text.split("\n") if line]
    return _if_kept(source, "<html><body>\n" + "\n".join(lines) + "\n</body></html>")


def as_json(source: Source) -> Made | None:
    """Render the same content as JSON."""
    lines = [line for line in source.text.split("\n") if line.strip()]
    return _if_kept(source, json.dumps({"content": lines}, ensure_ascii=False, indent=1))


def as_csv(source: Source) -> Made | None:
    """Render the same content as CSV, one line a row."""
    lines = [line for line in source.text.split("\n") if line.strip()]
    rows = [f'{i},"{line.replace(chr(34), chr(34) * 2)}"' for i, line in enumerate(lines, 1)]
    return _if_kept(source, "line,content\n" + "\n".join(rows))


def number_format(source: Source) -> Made | None:
    """Write amounts in the other convention, where the answer is a number and not its writing."""
    numbers = _numbers(source)
    made = re.sub(
        r"(?<![\d.,])(\d{1,3}(?:,\d{3})*)\.(\d{2})(?![\d.,])",
        lambda m: f"{m[1].replace(',', '.')},{m[2]}",
        source.text,
    )
    if made == source.text or not numbers:
        return None
    texts = [value for value in source.values if value not in numbers]
    return (
        Made(text=made) if all(value in made for value in texts if value in source.text) else None
    )


def _numbers(source: Source) -> set[str]:
    held = source.target.values() if isinstance(source.target, dict) else [source.target]
    return {
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        for value in held
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def date_format(source: Source) -> Made | None:
    """Write ISO dates out, where the answer is that date: it stays the same day."""

    def written(match: re.Match[str]) -> str:
        try:
            day = date.fromisoformat(match.group())
        except ValueError:
            return match.group()
        return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    made = re.sub(r"\b\d{4}-\d{2}-\d{2}\b", written, source.text)
    dates = set(re.findall(r"\b\d{4}-\d{2}-\d{2}\b", source.text))
    others = [value for value in source.values if value not in dates]
    if not isinstance(source.target, dict) and dates & set(source.values):
        return None  # a plain text target is compared as it is written
    return Made(text=made) if all(v in made for v in others if v in source.text) else None
