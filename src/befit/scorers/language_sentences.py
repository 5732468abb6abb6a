"""A single sentence in another language, however short: told by its script or its small words.

A guess from letter statistics needs a passage to be sure; a sentence such as "I hope this
helps!" is known by its pronouns, verbs and articles. Beyond doubt it is only where no small
word of the language asked for stands in it. Quotations, titles and lists of names are left
alone: an answer may name what is written in another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from befit.scorers.evidence import Span

MAX_SENTENCES = 300
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE = re.compile(r"(?:[^\n.!?:;\u061f\u3002\uff01\uff1f]|[.:](?=\S))+[^\n]?")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|«[^«»\n]{1,400}»|»[^«»\n]{1,400}«"
    r"|「[^「」\n]{1,400}」|『[^『』\n]{1,400}』|(?<!\w)['‘‚][^'’‘\n]{1,400}['’‘](?!\w)"
    r"|^[ \t]*>[^\n]*",
    re.MULTILINE,
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f'’ ,-]*[.!?]?")
_FORMULA = re.compile(r"[{}=\\$<>_|]|\w\(\w")
_LEAST = 3
"""Words of a sentence that can be told."""
_LEAST_CHARACTERS = 6
"""The same in scripts without spaces."""
_TITLE = 0.75
"""Above this share of capital initials it is a title or a list of names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Small:
    """Small words of a language: `core` are pronouns and verbs, which make a sentence."""

    core: frozenset[str]
    rest: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.core | self.rest


def _small(core: str, rest: str) -> _Small:
    return _Small(core=frozenset(core.split()), rest=frozenset(rest.split()))


_SMALL = {
    "en": _small(
        "i you he she it we they this that these is are was were have has had can could will would"
        " should let's here there hope please does don't i'm it's that's i've i'll you're there's"
        " me helps thank thanks see be been did got makes means",
        "the a an of to and or in on for with my your our his her their from if not as by at so"
        " all how what any",
    ),
    "de": _small(
        "ich du er sie es wir ihr mir mich dir dich ist sind war waren hat habe haben kann können"
        " wird werden dies diese hier bitte gibt hoffe hoffentlich danke bin sei muss soll wurde",
        "der die das den dem des ein eine einen einer und oder nicht mit für von zu zur zum auf im"
        " in an am bei aus wie was wenn also so nur noch auch man will alle ins als dass sehr",
    ),
    "fr": _small(
        "je tu il elle nous vous ils elles on c'est est sont était ai as ont avons avez peut voici"
        " voilà cela ça suis j'ai j'espère n'est merci fait faut être d'abord cette ce",
        "le la les un une des du de et ou ne pas pour avec dans sur au aux que qui par plus mon ma"
        " votre son sa si donc à en",
    ),
    "es": _small(
        "yo tú él ella nosotros ustedes me te es son está están hay tiene tengo puede esto eso aquí"
        " espero soy fue ha he hemos gracias este esta ser",
        "el la los las un una de del y o no para con en por que se al su más mi si como lo le sus",
    ),
    "it": _small(
        "io tu lui lei noi voi mi ti è sono ho ha hai abbiamo può questo questa ecco spero c'è era"
        " grazie essere",
        "il lo la gli le i un una di del della dei e o non per con in su che da al si più come nel",
    ),
    "pt": _small(
        "eu você ele ela nós me é são está estão tem tenho há pode isto isso aqui espero foi"
        " obrigado ser este esta",
        "o a os as um uma de do da dos das e ou não para com em por que no na ao mais se como",
    ),
    "nl": _small(
        "ik je jij hij zij ze wij we het is zijn was heeft heb hebben kan dit dat hier er hoop"
        " wordt dank deze ben",
        "de een en of niet met voor van naar op in te bij uit om als ook maar hoe wat alle",
    ),
}
_ANSWERS = {
    "en": "yes no yep nope true false right wrong ok okay correct",
    "de": "ja nein doch jawohl genau stimmt richtig falsch wahr korrekt ok okay",
    "fr": "oui non si vrai faux exact bien sûr pas ok d'accord",
    "es": "sí si no claro verdadero verdad falso cierto correcto ok vale",
    "it": "sì si no certo vero falso esatto corretto ok",
    "pt": "sim não claro verdadeiro verdade falso certo correto ok",
    "nl": "ja nee jawel klopt waar juist onjuist zeker ok oké",
}
"""Words that are an answer by themselves."""
_MEANS_MORE = frozenset(("vale", "claro", "certo", "pas", "si", "wrong", "right"))
"""Those that may be a name or a word of another language, too."""
_BRIEF = 2
_SCRIPTS = {
    "han": "\u3400-\u4dbf\u4e00-\u9fff",
    "kana": "\u3041-\u30fa",
    "hangul": "\uac00-\ud7a3",
    "cyrillic": "\u0400-\u052f",
    "arabic": "\u0620-\u06ff",
    "hebrew": "\u05d0-\u05ea",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "thai": "\u0e01-\u0e5b",
    "devanagari": "\u0900-\u097f",
}
_PATTERNS = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS.items()}
_UNSPACED = frozenset(("han", "kana", "thai"))
_WRITTEN_IN: dict[str, frozenset[str]] = {
    code: frozenset(scripts.split())
    for codes, scripts in (
        (" ".join(_SMALL), ""),
        ("zh", "han"),
        ("ja", "han kana"),
        ("ko", "hangul han"),
        ("ru uk bg be mk kk", "cyrillic"),
        ("ar fa ur ps", "arabic"),
        ("hi mr ne", "devanagari"),
        ("he", "hebrew"),
        ("el", "greek"),
        ("th", "thai"),
    )
    for code in codes.split()
}
"""Language -> its scripts besides the Latin one; of other languages no sentence is told."""


def foreign_sentences(text: str, *, asked: str) -> list[Span]:
    """Return the sentences of `text` that are beyond doubt in another language than `asked`."""
    code = asked.partition("-")[0]
    if code not in _WRITTEN_IN:
        return []
    plain = _QUOTED.sub(lambda found: "\n" * len(found.group()), text)
    found: list[Span] = []
    for number, one in enumerate(_SENTENCE.finditer(plain)):
        if number >= MAX_SENTENCES:
            break
        found += _foreign(plain, one.span(), code)
    return found


def brief_in(text: str, *, asked: str) -> bool | None:
    """Return whether a text of a word or two is in the language asked for.

    True for words that language has, False for another's words for yes, no, true and false;
    None for all other texts, about which this says nothing.
    """
    code = asked.partition("-")[0]
    words = {word.lower().replace("’", "'") for word in _WORD.findall(text)}
    if code not in _SMALL or not 1 <= len(words) <= _BRIEF:
        return None
    if words <= {*_ANSWERS[code].split(), *_SMALL[code].all}:
        return True
    elsewhere = any(words <= set(said.split()) for said in _ANSWERS.values())
    return False if elsewhere and not words <= _MEANS_MORE else None


def _foreign(text: str, place: Span, asked: str) -> Iterator[Span]:
    part = text[slice(*place)]
    own = _WRITTEN_IN[asked]
    if not part.isascii() and _other_script(part, own):
        yield place
    elif not own:
        if _in_small_words(part, asked):
            yield place
    else:
        for run in _LATIN.finditer(part):
            if _in_small_words(run.group(), asked):
                yield place[0] + run.start(), place[0] + run.end()


def _other_script(part: str, own: frozenset[str]) -> bool:
    counts = {name: len(pattern.findall(part)) for name, pattern in _PATTERNS.items()}
    if counts["kana"] and "kana" not in own:
        counts["kana"] += counts["han"]
        counts["han"] = 0
    best = max(counts, key=lambda name: counts[name])
    letters = sum(character.isalpha() for character in part)
    if best in own or counts[best] * 2 <= letters:
        return False
    if best in _UNSPACED:
        return counts[best] >= _LEAST_CHARACTERS
    return sum(len(word) > 1 for word in _WORD.findall(part)) >= _LEAST


def _in_small_words(part: str, asked: str) -> bool:
    words = _WORD.findall(part)
    if len(words) < _LEAST or sum(word[0].isupper() for word in words) > _TITLE * len(words):
        return False
    said = [word.lower().replace("’", "'") for word in words]
    mine = _SMALL[asked].all if asked in _SMALL else frozenset[str]()
    if _FORMULA.search(part):
        return False
    return any(_is(said, other, mine) for code, other in _SMALL.items() if code != asked)


def _is(said: list[str], other: _Small, mine: frozenset[str]) -> bool:
    theirs = other.all
    if any(word in mine and word not in theirs for word in said):
        return False
    own = {word for word in said if word in theirs and word not in mine}
    return len(own) > 1 and any(word in other.core for word in own)
