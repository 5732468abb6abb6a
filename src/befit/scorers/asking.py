"""Does an answer ask for what is missing: a question or a polite request, and about that?

In English a request is about a parameter where it holds a word of the parameter's name or
description, a word by which people ask for such a thing ("who" for a person, "when" for a day,
"how many" for a number), or the words of the target. In other languages the words of the target
decide where it gives any; where it gives none, a question word or a request is enough, for the
names of parameters are seldom in the user's language. A question of hardly more than the name
("Person?", "The new date?") asks, too. "Anything else?", "Who else?" and "Who are you?" do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from befit.core.message import Tool
from befit.core.record import Json
from befit.scorers.calls_wanted import Missing
from befit.scorers.evidence import Span

_LOOKED_AT = 20_000
_LIST = 600
"""Characters behind a colon that belong to a request: "Please give me:" and a list."""
_SENTENCE = re.compile(r"[^\s.!?？؟。！…](?:[^.!?？؟。！…\n]|[.!?](?=[^\s.!?]))*[.!?？؟。！…]*")
_MARK = re.compile(r"[?？؟]")
_CLOSING = re.compile(
    r"\b(?:any(?:thing|one)?|what|something) else\b|\bany (?:other|more|further|questions)\b"
    r"|\bhow (?:else )?(?:can|may) i (?:help|assist)\b|\bhelp (?:you )?with\?"
    r"|\bsonst noch\b|\bweitere fragen\b|\bautre chose\b|\b(?:algo|alguna cosa) más\b"
    r"|\b(?:qualcos')?altro\?|\bmais alguma\b|\bnog iets\b|что-(?:нибудь|то) ещ[её]"
    r"|还有(?:什么|其他)|ほかに|他に(?:何|ご)|더 (?:필요|도와)|شيء آخر",
    re.IGNORECASE,
)
_IDLE = re.compile(
    r"\b(?:who|what|when|where|which(?: one)?|how) else\W*$"
    r"|\bwho(?:'re| are| am|'m) (?:you|i|we|they)(?: (?:all|guys|really|again|anyway))?\W*$"
    r"|\bwho (?:knows|cares)\b|\bwho (?:asked|says(?: so)?|said so|wants to know)\W*$"
    r"|\bwho (?:would(?:n't| not)|does(?:n't| not)|would(?: have|'ve) (?:thought|guessed|known))\b"
    r"|\bwer (?:bist du|sind sie|bin ich|sonst|weiß(?: schon)?)\W*$"
    r"|\bqui (?:es-tu|êtes-vous|suis-je|d'autre|sait)\W*$"
    r"|\bquién(?:es)? (?:eres|es usted|más|sabe)\W*$"
    r"|\bchi (?:sei|è lei|altro|sa)\W*$|\bquem (?:és|é você|mais|sabe)\W*$"
)
"""Questions with a question word that nobody is meant to answer, or that are about the speakers."""
_SPEAKER = frozenset(("user", "customer", "caller", "sender", "requester", "author", "reporter"))
"""Parameters for which "Who are you?" asks."""
_BESIDE = frozenset((
    *("the", "a", "an", "and", "or", "but", "which", "what", "about", "for", "of", "on", "to"),
    *("new", "exact", "full", "correct", "please", "so", "your", "his", "her", "their", "its"),
    *("der", "die", "das", "den", "dem", "und", "für", "neue", "neuer", "neues", "bitte", "zum"),
    *("le", "la", "les", "un", "une", "et", "pour", "de", "du", "el", "los", "y", "para", "il"),
    *("e", "per", "o", "nouvelle", "nouveau", "nueva", "nuevo", "nuova", "nuovo", "novo", "nova"),
))  # fmt: skip
"""What may stand beside the name of a thing in a question that holds nothing else."""
_ASKS = re.compile(r"\b(?:who|whom|whose|which|what|when|where|how)\b")
_OFFERS = re.compile(
    r"\b(?:should i|shall i|would you like|do you want|did you (?:have|mean)|do you have)\b"
)
_REQUESTS = re.compile(
    r"\b(?:please|kindly|could you|can you|would you|will you|may i|might i|let me know|tell me"
    r"|give me|i(?:'d| would| will|'ll)?(?: also| still| first)? need|need(?:ed)? to know|specify"
    r"|provide|clarify|is missing|are missing)\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:wer|wem|wen|wann|wo|wohin|woher|wie ?viele?|welche[rsmn]?|was (?:soll|genau|für))\b"
    r"|\b(?:qui|quand|combien|où|quel(?:le)?s?|lequel|laquelle)\b"
    r"|(?:quién|cuándo|cuánt[oa]s?|dónde|cuál(?:es)?|qué)\b"
    r"|\b(?:chi|quando|quant[oiae]|dove|quale|quali|quem|onde|qual|quais)\b"
    r"|\b(?:wanneer|hoeveel|waar|welke?)\b"
    r"|(?:^|\W)(?:кто|кому|кого|когда|сколько|где|куда|как\w\w)\b"
    r"|谁|誰|什么时候|何时|多少|几[个点号]|哪|什么|いつ|いくつ|いくら|どこ|どの|どれ|どちら|何"
    r"|누구|언제|몇|얼마|어디|어느|어떤|무엇|(?:^|\s)(?:من|متى|كم|أين|أي|ما)\s"
)
_REQUESTS_ELSEWHERE = re.compile(
    r"\b(?:(?:nennen|geben|sagen|teilen) sie|nenne|gib|sag|teile?) (?:mir|bitte|das|die|den|uns)\b"
    r"|\bich (?:brauche|benötige)\b|\b(?:veuillez|indiquez|précisez|dites-moi|j'ai besoin)\b"
    r"|\b(?:indíque(?:me)?|indique|dígame|necesito|especifique|mi (?:dica|indichi)|ho bisogno)\b"
    r"|\b(?:informe|diga-me|preciso d[aeo]|geef|vertel me|ik heb .{0,40} nodig)\b"
    r"|укажите|сообщите|уточните|请(?:您)?(?:告诉|告知|提供|说明|指定|确认)"
    r"|教えて|お知らせ|ご指定|알려|말씀해|يرجى|أخبرني|أحتاج"
)
_NUMBERS = (
    r"how (?:many|much)|number|amount|quantity|count|value|pieces|units|level|price|cost|figure"
)
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (
        frozenset(("person", "user", "name", "assignee", "owner", "recipient", "member", "agent")),
        r"who|whom|person|name|user|assignee|owner|recipient|member|agent|colleague|contact",
    ),
    (
        frozenset(("day", "date", "time", "when", "start", "end", "deadline", "month", "year")),
        r"when|day|date|time|hour|month|year|weekday|deadline",
    ),
    (
        frozenset(("city", "place", "location", "town", "country", "address", "destination")),
        r"where|city|place|location|town|country|address|destination",
    ),
    (
        frozenset(("id", "key", "number", "reference")),
        r"which|id|identifier|number|reference|name",
    ),
    (
        frozenset(("priority", "level", "urgency", "severity")),
        r"priority|level|urgent|urgency|important|importance|severity|severe",
    ),
    (frozenset(("count", "quantity", "amount", "price", "stock", "euros", "units")), _NUMBERS),
)
"""Words of a parameter -> the words by which it may be asked for."""
_PLAIN = frozenset((
    "the", "and", "for", "with", "that", "this", "from", "into", "which", "what", "who", "when",
    "where", "how", "are", "was", "has", "have", "its", "his", "her", "their", "one", "all",
    "any", "not", "new", "you", "user", "given", "should",
))  # fmt: skip
_SHORTEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Where an answer asks, and for what."""

    span: Span
    word: str | None
    """The word that shows what is asked for; None where none is needed."""


def request_for(
    output: str, missing: Sequence[Missing], tools: Mapping[str, Tool]
) -> Request | None:
    """Return the first request of `output` for one of the parameters that are `missing`.

    Args:
        output: the answer.
        missing: what has to be asked for; nothing: any request will do.
        tools: the tools offered, by name, whose parameters say what a name means.
    """
    wanted = [_about(one, tools) for one in missing]
    given = [word.lower() for one in missing for word in one.words]
    speaker = any(_words(one.name) & _SPEAKER for one in missing)
    for span in _sentences(output[:_LOOKED_AT]):
        text = output[slice(*span)].lower().replace("’", "'")
        if _CLOSING.search(text):
            continue
        question = _MARK.search(text) is not None
        open_question = question and _ASKS.search(text) is not None
        asks = open_question or _REQUESTS.search(text) or (question and _OFFERS.search(text))
        elsewhere = _REQUESTS_ELSEWHERE.search(text) or (question and _ELSEWHERE.search(text))
        if _IDLE.search(text.strip()) and not speaker:
            continue
        if not missing and (question or asks or elsewhere):
            return Request(span=span, word=None)
        if not (asks or elsewhere):
            named = _alone(text, wanted, given) if question else None
            if named:
                return Request(span=span, word=named)
            continue
        named = next((word for word in given if word in text), None)
        found = None if named else _named(text, wanted, open_question=open_question)
        if named or found:
            return Request(span=span, word=named or found)
        if elsewhere and not given:
            return Request(span=span, word=None)
    return None


def _sentences(output: str) -> Iterator[Span]:
    for found in _SENTENCE.finditer(output):
        start, end = found.span()
        if output[start:end].rstrip().endswith((":", "：")):
            end = min(len(output), end + _LIST)
        yield start, end


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    words: re.Pattern[str]
    deeds: re.Pattern[str] | None
    """Words of the tools' names: "What shall I set it to?"; enough for an open question only."""


def _about(missing: Missing, tools: Mapping[str, Tool]) -> _About:
    own = _words(missing.name)
    texts = set(own)
    deeds = {"change", "new", "instead"}
    numeric = False
    for tool in tools.values():
        schema = (tool.parameters.get("properties") or {}).get(missing.name)
        if not isinstance(schema, Mapping):
            continue
        deeds |= _words(tool.name)
        texts |= _words(str(schema.get("description") or "")) - _PLAIN
        numeric = numeric or schema.get("type") in {"integer", "number"}
    parts = [_forms(word) for word in sorted(texts) if len(word) >= _SHORTEST or word in own]
    parts += [words for keys, words in _GROUPS if keys & own]
    parts += [_NUMBERS] if numeric else []
    deeds -= texts
    return _About(words=_pattern(parts), deeds=_pattern([_forms(word) for word in sorted(deeds)]))


def _named(text: str, wanted: Sequence[_About], *, open_question: bool) -> str | None:
    for one in wanted:
        found = one.words.search(text)
        if found is None and open_question and one.deeds is not None:
            found = one.deeds.search(text)
        if found is not None:
            return found.group()
    return None


def _alone(text: str, wanted: Sequence[_About], given: Sequence[str]) -> str | None:
    """Return the name of a thing that is missing, where a question holds hardly anything else."""
    named: str | None = None
    for word in given:
        if word in text:
            named, text = word, text.replace(word, " ")
    for word in re.findall(r"[^\W_]+", text.replace("'s ", " ")):
        if any(one.words.fullmatch(word) for one in wanted):
            named = named or word
        elif not _beside(word, wanted):
            return None
    return named


def _beside(word: str, wanted: Sequence[_About]) -> bool:
    if word in _BESIDE or any(character.isdigit() for character in word):
        return True
    return any(one.deeds is not None and one.deeds.fullmatch(word) for one in wanted)


def _words(name: Json) -> set[str]:
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(name))
    return {word for word in re.split(r"[\W_]+", apart.lower()) if word}


def _forms(word: str) -> str:
    return f"{re.escape(word)}(?:s|es|d|ed|ee)?"


def _pattern(parts: Sequence[str]) -> re.Pattern[str]:
    # "the person's favourite colour" does not ask for the person; "who's" is "who is".
    return re.compile(rf"\b(?:{'|'.join(parts)})\b(?!(?<!\bwho)(?<!\bwhen)(?<!\bwhere)'s)")
