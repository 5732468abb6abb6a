"""Checks of what is right for variants: asking back, not found, pointing out a conflict.

Rules over words of five languages: they see an answer that does the right thing
in the usual words, and are looked at by eye like any rule.
"""

from __future__ import annotations

import re

from befit.core.sample import ScorerSpec

_ASKS = (
    r"[?？؟]|please (?:provide|send|share|specify|clarify|tell|let me know|paste)|"
    r"assum|unclear|not (?:sure|clear)|more (?:information|details|context)|empty|"
    r"no (?:text|input|question|content)|"
    r"bitte (?:geben|senden|teilen|nennen|nenne|schick)|angenommen|nehme an|unklar|"
    r"leer|pouvez-vous|veuillez|je suppose|pas clair|précis|vide|por favor|podría|"
    r"supongo|no (?:está|queda) claro|vacío|请(?:问|提供|说明|补充)|假设|不清楚|为空"
)
_ABSENT = (
    r"not (?:found|stated|given|mentioned|specified|included|provided|available|"
    r"present|contain|there|in the)|"
    r"n(?:o|either)\b.{0,40}\b(?:mention|information|given|stated|found|number|available)|"
    r"does(?:n['’]t| not)|is(?:n['’]t| not)|can(?:not|['’]t) (?:find|determine|tell)|"
    r"missing|unknown|\bnull\b|\bn/a\b|"
    r"nicht (?:angegeben|enthalten|gefunden|genannt|vorhanden|bekannt)|fehlt|"
    r"kein(?:e|en)? |unbekannt|pas (?:indiqu|mentionn|trouv|précis|disponible)|absent|"
    r"inconnu|aucun|no (?:se )?(?:indica|encuentra|menciona|consta|figura|aparece)|"
    r"desconocid|falta|没有|未(?:提供|提及|找到|说明)|不(?:知道|包含)|缺少|无法"
)
_CONFLICT = (
    r"contradict|conflict|inconsisten|differ|discrepan|two (?:different|values)|"
    r"ambiguous|unclear|both|which (?:one|of)|widerspr|unterschiedlich|uneinheitlich|"
    r"zwei (?:verschiedene|Werte)|unklar|contradi|incohéren|diffèr|"
    r"deux (?:valeurs|différent)|contradic|inconsisten|dos valores|diferent|矛盾|不一致|"
    r"两个不同|冲突"
)


def asks_back() -> ScorerSpec:
    """Right: a question, a request for what is missing, or a stated assumption."""
    return _matches(_ASKS)


def says_absent() -> ScorerSpec:
    """Right: says that it is not there."""
    return _matches(_ABSENT)


def flags_conflict(*values: str) -> ScorerSpec:
    """Right: points the contradiction out, or names every one of the values."""
    both = "".join(rf"(?=.*{re.escape(value)})" for value in values)
    return _matches(rf"{_CONFLICT}|^{both}" if values else _CONFLICT)


def keeps_out(*words: str) -> ScorerSpec:
    """Right: none of these words in the answer."""
    rule = {"kind": "forbidden", "words": list(words)}
    return ScorerSpec(name="constraints", options={"instructions": [rule]})


def _matches(pattern: str) -> ScorerSpec:
    return ScorerSpec(name="match", options={"regex": f"(?is){pattern}"})
