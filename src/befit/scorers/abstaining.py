"""Whether a text says that it does not know, and whether it hedges: word lists by language.

Abstaining is saying that there is no answer to give. Hedging is giving one with
doubt ("probably", "my best guess"). A text with both hedges: it has given a guess.
The lists are plain on purpose: what they find can be pointed at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from befit.scorers.evidence import Span
from befit.scorers.normalise import folded_with_places
from befit.scorers.patterns import compiled

ABSTAINS: dict[str, tuple[str, ...]] = {
    "en": (
        (
            r"(?:i|we) (?:do not|don't|cannot|can't|could not|couldn't|am unable to|am not able to)"
            r" (?:know|say|tell|determine|answer|find|provide|identify|verify|confirm)"
        ),
        (
            r"(?:is|are|was|were) (?:not|n't) (?:given"
            r"|stated|mentioned|specified|provided|available"
            r"|included|disclosed|known|contained|found|present)\b"
        ),
        (
            r"(?:does|do|did) (?:not|n't) (?:say|state|mention|specify|contain|include|provide|give"
            r"|indicate|disclose)\b"
        ),
        (
            r"(?:doesn't|don't|didn't|isn't|aren't"
            r"|wasn't) (?:say|state|mention|specify|contain|include"
            r"|provide|give|given|stated|mentioned|specified|provided|available|known)"
        ),
        r"cannot be (?:determined|answered|known|derived|inferred|found|established)",
        r"can't be (?:determined|answered|known|derived|inferred)",
        r"(?:no|not enough|insufficient) (?:information|data|details|context|evidence)\b",
        r"\b(?:unanswerable|unsolvable|unsolveable|not answerable|not applicable)\b",
        r"\bnot (?:found|stated|specified|mentioned|given|known)\b",
        r"there is no (?:mention|answer|information|such|way to (?:know|tell))",
    ),
    "de": (
        r"(?:ich|wir) (?:weiß|weiss|wissen) (?:es )?(?:leider )?nicht",
        (
            r"(?:kann|können|lässt sich|läßt sich"
            r"|lasst sich) .{0,40}nicht (?:sagen|beantwort|bestimm"
            r"|ermittel|beurteil|feststell|ableit)"
        ),
        (
            r"(?:wird|ist|sind|werden) (?:im text |dort |hier |darin )?nicht (?:angegeben|erwähnt"
            r"|genannt|bekannt|enthalten|aufgeführt|ersichtlich|vorhanden)"
        ),
        r"(?:keine|nicht genug|nicht genügend|nicht ausreichend) (?:angaben?|informationen?|daten)",
        r"nicht (?:bekannt|angegeben|beantwortbar|gefunden)",
    ),
    "fr": (
        r"je ne (?:sais pas|peux pas|suis pas en mesure)",
        (
            r"(?:n'est|ne sont|n'a"
            r"|n'ont) pas (?:été )?(?:indiqué|mentionné|précisé|donné|disponible"
            r"|connu|fourni|spécifié)"
        ),
        r"ne (?:dit|précise|mentionne|contient|donne|fournit|permet) pas",
        r"(?:pas assez|aucune|pas suffisamment) d'?\s?(?:informations?|données|indication)",
        r"impossible (?:de|à) (?:savoir|dire|déterminer|répondre)",
        r"(?:inconnu|non précisé|non indiqué|non mentionné)",
    ),
    "es": (
        r"no (?:lo )?(?:sé|se sabe|puedo (?:saber|decir|determinar|responder))",
        (
            r"no (?:se|está|esta|están|fue|ha sido) (?:\w+ )?(?:indica|indicad|menciona|mencionad"
            r"|especifica|especificad|proporciona|disponible|da\b|conoce)"
        ),
        r"no (?:dice|menciona|indica|especifica|contiene|proporciona)",
        r"(?:no hay|sin) (?:suficiente )?(?:información|datos|suficientes datos)",
        r"(?:desconocid|no es posible (?:saber|determinar|responder))",
    ),
    "it": (
        r"non (?:lo )?(?:so|posso (?:dire|sapere|determinare|rispondere))",
        (
            r"non (?:è|sono|viene"
            r"|vengono) (?:stat[oaie] )?(?:indicat|menzionat|specificat|fornit|not[oa])"
        ),
        r"non ci sono (?:abbastanza )?(?:informazioni|dati)",
    ),
    "pt": (
        r"não (?:sei|posso (?:dizer|saber|determinar|responder))",
        r"não (?:é|está|foi|são) (?:\w+ )?(?:indicad|mencionad|especificad|informad|fornecid)",
        r"não há (?:informaç|dados)",
    ),
    "nl": (
        r"(?:ik|we|wij) (?:weet|weten) (?:het )?niet",
        r"(?:niet|geen) (?:vermeld|genoemd|bekend|aangegeven|gegeven|informatie)",
    ),
    "ru": (r"не (?:знаю|указан|известн|сказан|упомян)", r"нет (?:информации|данных)"),
    "zh": (
        r"(?:我)?(?:不知道|不清楚|无法(?:回答|确定|得知|判断|知道)|無法(?:回答|確定|得知|判斷))",
        (
            r"(?:没有|没|未|沒有)(?:提及|提到|说明|給出|给出"
            r"|提供|指出|明确|足够的?信息|相关信息|相關資訊|記載|记载)"
        ),
        r"(?:信息|資訊|资料)不足",
    ),
    "ja": (
        (
            r"(?:分かりません|わかりません|分からない|わからない|不明です"
            r"|不明である|判断できません|答えられません|回答できません|特定できません)"
        ),
        r"(?:記載|記述|言及|情報|明記)(?:が|は|されて)?(?:ありません|ない|いません|いない|不足)",
        r"^不明[。]?$",
    ),
    "ko": (r"(?:알 수 없|모르겠|모릅니다|언급되지 않|나와 있지 않|정보가 없|확인할 수 없)",),
    "ar": (
        (
            r"(?:لا أعرف|لا أعلم|لا يمكن(?:ني)? (?:تحديد|معرفة"
            r"|الإجابة)|غير (?:مذكور|معروف|محدد|متوفر|متوفرة))"
        ),
        r"(?:لم (?:يذكر|يُذكر|يرد|تذكر)|لا (?:يذكر|توجد معلومات|يوجد))",
    ),
}
HEDGES: dict[str, tuple[str, ...]] = {
    "en": (
        (
            r"\b(?:probably|perhaps|maybe|possibly|presumably|likely|i think|i believe|i guess"
            r"|my (?:best )?guess|i would (?:guess|estimate)"
            r"|i'd (?:guess|estimate)|not (?:entirely )?sure"
            r"|might be|could be|may be|approximately speaking|it seems|as far as i know)\b"
        ),
    ),
    "de": (
        (
            r"\b(?:wahrscheinlich|vielleicht|vermutlich"
            r"|möglicherweise|womöglich|ich (?:denke|glaube"
            r"|vermute|schätze)|könnte|dürfte|nicht (?:ganz )?sicher)\b"
        ),
    ),
    "fr": (
        (
            r"\b(?:probablement|peut-être|sans doute|je (?:pense|crois|suppose)|il semble|pourrait"
            r"|pas (?:tout à fait )?sûr)\b"
        ),
    ),
    "es": (
        (
            r"\b(?:probablemente|quizás?|tal vez"
            r"|posiblemente|creo|supongo|parece|podría|no estoy segur)"
        ),
    ),
    "it": (r"\b(?:probabilmente|forse|credo|penso|suppongo|potrebbe|sembra)\b",),
    "pt": (r"\b(?:provavelmente|talvez|acho|creio|suponho|poderia|parece)\b",),
    "nl": (r"\b(?:waarschijnlijk|misschien|ik denk|ik vermoed|mogelijk|zou kunnen)\b",),
    "ru": (r"(?:вероятно|возможно|наверное|думаю|кажется|предполагаю)",),
    "zh": (r"(?:可能|大概|也许|也許|或许|或許|我(?:想|认为|猜)|应该是|應該是|估计|似乎)",),
    "ja": (r"(?:おそらく|たぶん|恐らく|多分|と思います|かもしれ|推測|でしょう)",),
    "ko": (r"(?:아마|것 같|추측|일지도)",),
    "ar": (r"(?:ربما|على الأرجح|أعتقد|أظن|من المحتمل|قد يكون)",),
}
REFUSES = re.compile(
    r"\b(?:i|we)(?: am|'m)? (?:cannot|can't|can not|unable to|not able to|won't|will not)"
    r" (?:help|assist|comply|do (?:that|this)|fulfil)|"
    r"\b(?:kann|darf|werde) .{0,30}nicht (?:weiter)?(?:helfen|behilflich)|"
    r"\bje ne peux pas .{0,15}aider|"
    r"\bno puedo ayudar|"
    r"\bnon posso aiutar|"
    r"\bnão posso ajudar|"
    r"\bkan .{0,30}niet (?:mee )?helpen|"
    r"не могу .{0,15}помочь|"
    r"(?:无法|無法|不能)(?:提供)?(?:帮助|幫助|协助|協助)|"
    r"(?:お手伝い|お答え|ご対応)(?:は|が)?(?:でき|いたし)(?:ません|かねます)|"
    r"도와드릴 수 없|도움을 드릴 수 없|"
    r"لا (?:يمكنني|أستطيع) .{0,10}المساعدة"
)
"""Declining to help: neither an answer nor the word that there is none."""
LANGUAGES = tuple(ABSTAINS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """What a text says of its own knowledge, and where it says so."""

    abstains: bool
    hedges: bool
    span: Span | None
    """Of the words that abstain, else of those that hedge."""
    refuses: bool = False


def stance(text: str, *, language: str | None = None, also: tuple[str, ...] = ()) -> Stance:
    """Return the stance of `text`.

    Args:
        text: the answer.
        language: of the answer; its list is tried with the English one. None: all lists.
        also: further patterns that abstain (searched for in the folded text).
    """
    shown = folded_with_places(text[:20_000])
    known = language.split("-")[0].lower() if language else ""
    own = known if known in ABSTAINS else ""
    said = _pattern(own, hedging=False).search(shown.text)
    for extra in also:
        said = said or _searched(extra, shown.text)
    doubt = _pattern(own, hedging=True).search(shown.text)
    found = said or doubt
    span = None if found is None or found.start() == found.end() else shown.span(*found.span())
    refuses = said is None and REFUSES.search(shown.text) is not None
    return Stance(abstains=said is not None, hedges=doubt is not None, span=span, refuses=refuses)


def _searched(source: str, text: str) -> Any:
    pattern = compiled(source, ignore_case=True)
    return None if pattern is None else pattern.search(text)


@lru_cache(maxsize=64)
def _pattern(language: str, *, hedging: bool) -> re.Pattern[str]:
    lists = HEDGES if hedging else ABSTAINS
    chosen = [language, "en"] if language else list(lists)
    parts = [part for name in dict.fromkeys(chosen) for part in lists[name]]
    return re.compile("|".join(f"(?:{part})" for part in parts), re.MULTILINE)
