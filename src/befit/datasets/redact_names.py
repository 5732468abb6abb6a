"""Names of people, by a heuristic: a list of first names, titles, introductions, greetings.

It is no model and does not pretend to be one: a name that is on no list and
stands without a title or an introduction is not seen, and names in lower case
are not seen at all. The measured recall stands in the docs. A better recogniser
is put in its place in the project file (`redaction.names: module:attr`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources
from typing import Protocol

Span = tuple[int, int]
_CAP = r"[A-ZÀ-ÖØ-ÞŁŚŞŽČĐİ][\w'’]*[a-zß-öø-ÿ\u0100-\u017f](?:-[A-ZÀ-ÖØ-Þ][\w'’]+)*"
_UPPER = r"[A-ZÀ-ÖØ-Þ]{2,}(?:-[A-ZÀ-ÖØ-Þ]{2,})*"
_PARTICLE = (
    r"(?:von|van|zu|del|della|de|di|da|dos|du|des|las|los|la|le|y|bin|ibn|al|el|der|den|ter)"
)
_FAMILY = rf"(?:{_PARTICLE}[ \u00a0]){{0,3}}(?:{_CAP}|[A-Z]\.)"
_WORDS = re.compile(rf"(?<![\w@.'’/-])(?:{_CAP}|{_UPPER})(?![\w@]|\.\w)")
_AFTER = re.compile(rf"(?:[ \u00a0]{_FAMILY}){{1,3}}(?![\w@])")
_AFTER_UPPER = re.compile(rf"(?:[ \u00a0]{_UPPER}){{1,2}}(?![\w@])")
_GREETED = re.compile(r"\s*[,!\n]")
_QUOTES = "\"'“„«`([{|*_"
_BEFORE = 32
"""Characters before a word in which a title or an introduction is looked for."""
PARTICLES = frozenset(_PARTICLE.strip("(?:)").split("|"))
"""Words inside a family name that are no name by themselves."""
_TITLES = frozenset(
    {"Mr", "Mrs", "Ms", "Miss", "Mister", "Dr", "Prof", "Professor", "Herr", "Herrn", "Frau",
     "Monsieur", "Madame", "Mme", "Mlle", "Maître", "Señor", "Señora", "Señorita", "Sr", "Sra",
     "Srta", "Doña", "Don", "Sir", "Lady", "Lord", "med",
     "phil", "jur", "nat", "Ing"}
)  # fmt: skip
_GREETINGS = frozenset(
    {"Hi", "Hello", "Hey", "Dear", "Hallo", "Liebe", "Lieber", "Bonjour", "Salut", "Cher",
     "Chère", "Hola", "Querido", "Querida", "Estimado", "Estimada"}
)  # fmt: skip
_STRONG = frozenset(
    {"name's", "name:", "called", "heiße", "heisse", "m'appelle", "m’appelle", "nom:", "llamo",
     "nombre:", "contact:", "ansprechpartner", "ansprechpartner:", "kontakt:", "customer:",
     "kunde:", "client:", "cliente:", "signed", "signed,", "sincerely,", "regards,", "wishes,",
     "thanks,", "grüßen", "grüßen,", "grüße", "grüße,", "gruß", "gruß,", "cordialement,",
     "salutations,", "saludos", "saludos,", "atentamente,", "gracias,"}
)  # fmt: skip
_STRONG_TWO = frozenset(
    ("name is", "name ist", "nom est", "nombre es", "client :", "nom :", "name :")
)
_WEAK = frozenset(("this is", "i am", "ich bin", "je suis", "hier ist"))
_WEAK_ONE = frozenset(("i'm", "i’m", "soy", "ici"))
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈"
    "姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_HAN = "[\u4e00-\u9fff]"
_CHINESE = re.compile(
    rf"(?:我叫|我是|姓名[:：]?|名字是|名叫|联系人[:：]?|收件人[:：]?|收货人[:：]?|客户[:：]?|署名[:：]?|此致[，,]?)\s*"
    rf"(?P<name>[{_SURNAMES}]{_HAN}{{1,2}}?)(?=[，。,.！!？?；;\s的说、（(]|$|先生|女士|小姐)"
    rf"|(?P<titled>[{_SURNAMES}]{_HAN}{{0,2}})(?=先生|女士|小姐|老师|经理|医生|律师|教授|总监|同学)"
)
_KEYED = re.compile(
    r"""["']?(?:(?:first|last|full|middle|family|given|maiden|sur|customer|client|contact|patient|"""
    r"person|employee|account[_ -]?holder|card[_ -]?holder|holder|recipient|sender|driver|guest)"
    r"[_ -]?names?|vorname|nachname|familienname|prenom|prénom|nom[_ -]de[_ -]famille|apellidos?)"
    r"""["']?\s*[:=|：]\s*["']?(?P<name>[^\W\d_][^"'\n,;|:{}\[\]<>=]{1,60})""",
    re.IGNORECASE,
)
"""What a key of a record says is a name is one, listed or not."""
_ADDRESSED = re.compile(rf"(?<![\w@]){_CAP}(?:[ \u00a0]{_FAMILY}){{1,3}}(?= <[^\s<>@]{{1,80}}@)")
"""The name before an address in a header of a mail."""
_KEY_GATE = ("ame", "AME", "nom", "enom", "énom", "pellido", "PELLIDO")
_SAINTS = ("San ", "Santa ", "Saint ", "Sankt ", "São ", "Sainte-", "Saint-")
"""Before a first name they make a place of it."""
_NO_NAMES = frozenset(
    {"sir", "madam", "team", "all", "everyone", "there", "kundenservice", "support", "damen",
     "herren", "zusammen", "service", "customer", "kunde", "client", "cliente", "equipo",
     "équipe", "monsieur", "madame", "señor", "señora", "herr", "frau", "the", "a", "an",
     "happy", "sorry", "glad", "not", "der", "die", "das", "ein", "eine", "le", "la", "les",
     "un", "une", "el", "los", "las", "una", "jesus", "god", "dr", "prof", "med", "mr", "mrs",
     "ms", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "none",
     "null", "true", "false"}
)  # fmt: skip


_NO_VALUES = frozenset(
    {"string", "null", "none", "true", "false", "unknown", "undefined", "required", "missing"}
)


class NameRecogniser(Protocol):
    """What a replacement of this heuristic looks like: a callable from text to spans."""

    def __call__(self, text: str, /) -> Iterable[Span]:
        """Yield (start, end) of each name."""
        ...


@lru_cache(maxsize=1)
def first_names() -> dict[str, bool]:
    """Return the first names; True where one is a word too."""
    text = resources.files("befit.datasets").joinpath("names.txt").read_text("utf-8")
    words = [w for line in text.splitlines() if not line.startswith("#") for w in line.split()]
    return {word.rstrip("?"): word.endswith("?") for word in words}


def find_names(text: str) -> Iterator[Span]:
    """Yield where names stand; spans may overlap."""
    yield from _announced(text)
    known, end = first_names(), 0
    for match in _WORDS.finditer(text):
        if match.start() < end:
            continue
        word = match.group()
        low = word.lower()
        listed = known.get(low)
        if listed is None and "-" in low:
            listed = known.get(low.partition("-")[0])
        if low in _NO_NAMES or text[max(0, match.start() - 6) : match.start()].endswith(_SAINTS):
            continue
        told = "" if listed is not None else _told(text, match.start())
        if listed is None and not told:
            continue
        after = (_AFTER_UPPER if word.isupper() else _AFTER).match(text, match.end())
        if after is not None and after.group().split()[0].lower() in _NO_NAMES:
            after = None
        followed = after is not None
        if _listed_name(word, listed=listed, followed=followed) or _told_name(
            text, match.span(), told=told or _told(text, match.start()), followed=followed
        ):
            end = after.end() if after is not None else match.end()
            yield match.start(), end


def _announced(text: str) -> Iterator[Span]:
    """Yield what Chinese words before it or the key of a record say is a name."""
    if not text.isascii():
        for match in _CHINESE.finditer(text):
            yield match.span("name" if match["name"] else "titled")
    if " <" in text:
        for match in _ADDRESSED.finditer(text):
            yield match.span()
    if any(sign in text for sign in _KEY_GATE):
        for match in _KEYED.finditer(text):
            name = match["name"].rstrip()
            if name.casefold() not in _NO_VALUES:
                yield match.start("name"), match.start("name") + len(name)


def _told(text: str, start: int) -> str:
    """Return by what a name is announced before `start`: strong, weak, greeting, or nothing."""
    if not start:
        return ""
    words = text[max(0, start - _BEFORE) : start].split()
    while words and words[-1].lower() in PARTICLES:
        words.pop()
    if not words:
        return ""
    last = words[-1].rpartition(">")[2].strip(_QUOTES) or words[-1]
    if last.rstrip(".") in _TITLES:
        return "strong"
    low = last.lower()
    two = f"{words[-2].lower().strip(_QUOTES)} {low}" if len(words) > 1 else ""
    if low in _STRONG or two in _STRONG_TWO:
        return "strong"
    if two in _WEAK or low in _WEAK_ONE:
        return "weak"
    return "greeting" if last in _GREETINGS else ""


def _listed_name(word: str, *, listed: bool | None, followed: bool) -> bool:
    """Whether a word begins a name by the list: one that is a word too needs another behind it."""
    return listed is not None and (followed or not (listed or word.isupper()))


def _told_name(text: str, span: Span, *, told: str, followed: bool) -> bool:
    """Whether the word at `span` begins a name by the words before it."""
    if text[span[0] : span[1]].isupper():
        return False
    if told == "greeting":
        return _GREETED.match(text, span[1]) is not None
    return told == "strong" or (told == "weak" and followed)
