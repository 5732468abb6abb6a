"""IFEval's instructions (English, Spanish, French, Japanese) as instructions of `constraints`.

IFEval (Zhou et al. 2023, arXiv 2311.07911) names an instruction by an id such as
`en:length_constraints:number_words` (the original has no language prefix) and
keyword arguments. The choices made here where our kinds are stricter or more
general than the original are commented; they make verdicts comparable.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from befit.core.record import Json
from befit.core.sample import ScorerSpec
from befit.errors import DataError

Arguments = Mapping[str, Any]

_BOUNDS = {
    "at least": "at_least",
    "less than": "less_than",
    "al menos": "at_least",
    "como máximo": "at_most",
    "au moins": "at_least",
    "moins de": "less_than",
    "以上": "at_least",
    "未満": "less_than",
}
_OPTIONS = {
    "en": ["My answer is yes.", "My answer is no.", "My answer is maybe."],
    "es": ["Sí.", "No.", "Quizás."],
    "fr": ["Oui.", "Non.", "Peut-être."],
    "ja": ["はい、そうです。", "いいえ、違います。", "どちらとも言えません。"],
}
_QUOTES = {
    "en": ['""'],
    "es": ['""', "\u201c\u201d", "\u00ab\u00bb"],
    "fr": ['""', "\u201c\u201d", "\u00ab\u00bb"],
    "ja": ["「」"],
}
_TITLES = {"fr": ("##", "##"), "ja": ("『", "』")}
_HIGHLIGHTS = {"ja": ("《", "》")}
_CAPITALS = {"english": "en", "spanish": "es", "french": "fr"}
_COUNTERS = {"章", "節", "項"}


def instructions(instruction_id: str, kwargs: Arguments, *, prompt: str = "") -> list[Json]:
    """Return what one IFEval instruction asks, as options of the `constraints` scorer.

    One in most cases; the ids that ask for a language and a case at once give two.

    Args:
        instruction_id: with or without the language in front.
        kwargs: its arguments; None stands for "not given".
        prompt: the whole prompt, for `repeat_prompt` without an argument of its own.

    Raises:
        DataError: the id is not known.
    """
    parts = instruction_id.split(":")
    language = parts[0] if len(parts) == 3 else "en"  # noqa: PLR2004 - language:family:name
    family, name = parts[-2] if len(parts) > 1 else "", parts[-1]
    given = {key: value for key, value in kwargs.items() if value is not None}
    if family == "change_case" and name.partition("_")[0] in _CAPITALS:
        return _cased(name)
    if name in _SIMPLE:
        return [dict(_SIMPLE[name])]
    if name in _BUILT:
        return [_BUILT[name](given, language, prompt)]
    raise DataError(
        f"unknown IFEval instruction '{instruction_id}'",
        why="it belongs to none of the English, Spanish, French or Japanese sets",
    )


def checks(record: Mapping[str, Any]) -> ScorerSpec:
    """Return the check of one line of an IFEval input file, with its instructions in order.

    Where an instruction takes two of ours, both bear its number: `3:language`, `3:all_lowercase`.
    """
    pairs = zip(record["instruction_id_list"], record["kwargs"], strict=True)
    asked = [
        {"id": f"{number}:{one['kind']}", **one}
        for number, (instruction_id, kwargs) in enumerate(pairs, start=1)
        for one in instructions(instruction_id, kwargs or {}, prompt=record["prompt"])
    ]
    return ScorerSpec(name="constraints", options={"instructions": asked})


def verdicts(parts: Sequence[tuple[str, bool]]) -> list[bool]:
    """Fold `(id, holds)` of the instructions made by `checks` into one verdict per IFEval id."""
    folded: dict[int, bool] = {}
    for part, holds in parts:
        number = int(part.partition(":")[0])
        folded[number] = folded.get(number, True) and holds
    return [folded[number] for number in sorted(folded)]


def _cased(name: str) -> list[Json]:
    language, _, case = name.partition("_")
    kind = "all_lowercase" if case == "lowercase" else "all_uppercase"
    return [{"kind": kind}, {"kind": "language", "code": _CAPITALS[language]}]


def _bound(given: Arguments, relation: str, value: str, *, default: str = "at_least") -> Json:
    return {_BOUNDS.get(given.get(relation, ""), default): given[value]}


def _counted(kind: str, value: str, *, default: str = "at_least") -> _Builder:
    def build(given: Arguments, _language: str, _prompt: str) -> Json:
        return {"kind": kind, **_bound(given, "relation", value, default=default)}

    return build


def _paragraph_start(given: Arguments, _language: str, _prompt: str) -> Json:
    return {
        "kind": "paragraph_start",
        "paragraph": given["nth_paragraph"],
        "words": given["first_word"],
        "of": given["num_paragraphs"],
    }


def _sections(given: Arguments, language: str, _prompt: str) -> Json:
    marker = given["section_spliter"].strip()
    before = {"before": "第"} if language == "ja" and marker in _COUNTERS else {}
    return {"kind": "sections", "marker": marker, **before, "at_least": given["num_sections"]}


def _enclosed(kind: str, marks: Mapping[str, tuple[str, str]], **fixed: str) -> _Builder:
    def build(given: Arguments, language: str, _prompt: str) -> Json:
        opening, closing = marks.get(language, ("", ""))
        bounds = {bound: given[value] for bound, value in fixed.items()}
        edges = {"opening": opening, "closing": closing} if opening else {}
        return {"kind": kind, **edges, **bounds}

    return build


def _spelling(given: Arguments, _language: str, _prompt: str) -> Json:
    words = given["word_to_accentuate"]
    # One line of the French set holds the mapping as the text of a Python literal.
    return {
        "kind": "spelling",
        "words": ast.literal_eval(words) if isinstance(words, str) else words,
    }


_Builder = Callable[[Arguments, str, str], Json]
_SIMPLE: Mapping[str, Mapping[str, Json]] = {
    "json_format": {"kind": "json_only", "fenced": True},
    "two_responses": {"kind": "two_responses"},
    "no_comma": {"kind": "no_comma"},
    "no_period": {"kind": "no_characters", "characters": "。"},
    "question_marks": {"kind": "questions", "at_least": 1},
    "exclamation_marks": {"kind": "exclamations", "at_least": 1},
    "informal_address": {"kind": "address", "form": "informal", "language": "fr"},
    "no_digits": {"kind": "no_digits"},
    "kansuuji": {"kind": "no_digits"},
    "no_accents": {"kind": "no_accents"},
    "furigana": {"kind": "furigana"},
    "hiragana_only": {"kind": "only_scripts", "scripts": ["hiragana"]},
    "katakana_only": {"kind": "only_scripts", "scripts": ["katakana"]},
    "no_hiragana": {"kind": "no_scripts", "scripts": ["hiragana"]},
    "no_katakana": {"kind": "no_scripts", "scripts": ["katakana"]},
}
_BUILT: Mapping[str, _Builder] = {
    "number_words": _counted("words", "num_words"),
    "number_sentences": _counted("sentences", "num_sentences"),
    "number_letters": _counted("characters", "num_letters"),
    "number_paragraphs": lambda given, _language, _prompt: {
        "kind": "paragraphs",
        "separator": "***",
        "exactly": given["num_paragraphs"],
    },
    "nth_paragraph_first_word": _paragraph_start,
    "existence": lambda given, _language, _prompt: {"kind": "keywords", "words": given["keywords"]},
    "forbidden_words": lambda given, _language, _prompt: {
        "kind": "forbidden",
        "words": given["forbidden_words"],
    },
    "frequency": lambda given, _language, _prompt: {
        "kind": "keyword_count",
        "word": given["keyword"],
        **_bound(given, "relation", "frequency"),
    },
    "letter_frequency": lambda given, _language, _prompt: {
        "kind": "letter_count",
        "letter": given["letter"],
        **_bound(given, "let_relation", "let_frequency"),
    },
    "capital_word_frequency": lambda given, _language, _prompt: {
        "kind": "capital_words",
        **_bound(given, "capital_relation", "capital_frequency"),
    },
    "response_language": lambda given, _language, _prompt: {
        "kind": "language",
        "code": given["language"],
    },
    "number_placeholders": _counted("placeholders", "num_placeholders"),
    "postscript": lambda given, _language, _prompt: {
        "kind": "postscript",
        "marker": given["postscript_marker"],
    },
    "number_bullet_lists": lambda given, language, _prompt: {
        "kind": "bullets",
        "dots": language == "ja",
        "exactly": given["num_bullets"],
    },
    "number_numbered_lists": _counted("numbered_list", "num_items", default="exactly"),
    "number_highlighted_sections": _enclosed("highlights", _HIGHLIGHTS, at_least="num_highlights"),
    "multiple_sections": _sections,
    "title": _enclosed("title", _TITLES),
    "constrained_response": lambda _given, language, _prompt: {
        "kind": "one_of",
        "alone": False,
        "options": _OPTIONS.get(language, _OPTIONS["en"]),
    },
    "repeat_prompt": lambda given, _language, prompt: {
        "kind": "repeat_prompt",
        "prompt": given.get("prompt_to_repeat") or prompt,
    },
    "end_checker": lambda given, _language, _prompt: {
        "kind": "ends_with",
        "phrase": given["end_phrase"],
    },
    "quotation": lambda _given, language, _prompt: {
        "kind": "quoted",
        "marks": _QUOTES.get(language, _QUOTES["en"]),
    },
    "tildes": lambda given, _language, _prompt: {
        "kind": "words_with",
        "letters": "áéíóú",
        **_bound(given, "relation", "num_words"),
    },
    "dieresis": lambda given, _language, _prompt: {
        "kind": "words_with",
        "letters": "ü",
        "exactly": given["let_frequency"],
    },
    "enie": lambda given, _language, _prompt: {
        "kind": "words_with",
        "letters": "ñ",
        "exactly": given["let_frequency"],
    },
    "accents": _spelling,
    "ethel_or_cedilla": lambda given, _language, _prompt: {
        "kind": "no_characters",
        # Both cases: œ at the head of a sentence is written Œ.
        "characters": given["forbidden_char"].lower() + given["forbidden_char"].upper(),
    },
    "kanji": lambda given, _language, _prompt: {
        "kind": "script_count",
        "script": "kanji",
        **_bound(given, "relation", "kanji_limit"),
    },
    "nominal_ending": _counted("nominal_endings", "count"),
    "sentence_unified_end": lambda given, _language, _prompt: {
        "kind": "sentence_endings",
        "ending": given["ending"],
    },
}
