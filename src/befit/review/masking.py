"""Answers that say who they are: found by a lexicon, then masked, left out or flagged.

Two sources: words any model may use of itself (vendors, families, "developed
by", special tokens, tags around thoughts), and the names of this study's own
candidates. What a reviewer still recognises is reported by pressing "identity
visible", and measured by asking "which model is it?".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HIDDEN = "[hidden]"
_VENDORS = (
    "openai",
    "anthropic",
    "deepmind",
    "mistral ai",
    "mistralai",
    "meta ai",
    "alibaba cloud",
    "tongyi lab",
    "deepseek",
    "moonshot ai",
    "zhipu",
    "minimax",
    "cohere",
    "ai21",
    "xai",
    "nvidia",
    "microsoft",
    "google ai",
    "google",
    "baidu",
    "tencent",
    "bytedance",
    "01.ai",
    "stability ai",
    "together ai",
    "databricks",
    "eleutherai",
    "hugging face",
    "huggingface",
    "lmsys",
    "01ai",
    "ibm research",
    "technology innovation institute",
)
_FAMILIES = (
    r"chat\s?gpt",
    r"gpt[-\s]?\d[\w.]*(?:[-\s](?:turbo|mini|nano|pro))?",
    r"gpt[-\s]?neo\w*",
    "gpt-j",
    r"claude(?:[-\s]?(?:instant|opus|sonnet|haiku))?(?:[-\s]?v?\d[\d.]*)?",
    "gemini",
    r"gemma(?:[-\s]?\d)?",
    r"llama(?:[-\s]?\d[\d.]*)?",
    "mixtral",
    "ministral",
    r"mistral(?:[-\s]?\d\w*)?",
    r"qwen[\d.]*",
    "qwq",
    r"deepseek[-\w]*",
    "kimi",
    r"chatglm\w*",
    r"glm[-\s]?\d[\d.]*",
    "ernie bot",
    "hunyuan",
    "doubao",
    r"phi[-\s]?\d[\d.]*",
    r"command[-\s]r\+?",
    "grok",
    "vicuna",
    "alpaca",
    "koala",
    "falcon",
    "stablelm",
    "dolly",
    "openassistant",
    "open assistant",
    "guanaco",
    r"wizard\s?lm",
    "bard",
    "palm 2",
    "copilot",
    "smollm",
    "olmo",
    "nemotron",
    "granite",
    "jamba",
    "bloomz?",
    r"yi-\d\w*",
    "zephyr",
)
_ORDINARY = frozenset(
    {
        "google",
        "microsoft",
        "nvidia",
        "falcon",
        "granite",
        "alpaca",
        "koala",
        "gemini",
        "copilot",
        "dolly",
        "zephyr",
        "bard",
        "olmo",
        "grok",
        "baidu",
        "tencent",
        "minimax",
        "cohere",
        "xai",
        "kimi",
        "ibm research",
        "guanaco",
        "together ai",
    }
)
"""Words with a life of their own: a sign only where the answer speaks of itself."""
_SELF = re.compile(
    r"(?:\bI\s?(?:'|\u2019)?m\b|\bI am\b|\bmy name is\b|\bcall me\b|\bas an?\b|"
    r"\b(?:developed|created|trained|made|built|designed|served|hosted|powered|provided) by\b|"
    r"\bmodel (?:from|by|of)\b|"
    r"\u6211\u662f|\u7531.{0,12}(?:\u5f00\u53d1|\u8bad\u7ec3)|\bsoy\b|\bje suis\b|\bich bin\b)"
    r"[^.\n\u3002]{0,60}$",
    re.IGNORECASE,
)
_SPECIAL = (
    (
        "thoughts",
        re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE),
    ),
    (
        "special token",
        re.compile(
            r"<\|[\w\-.: ]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|"
            r"<\uff5c[^>]{1,40}\uff5c>|\[(?:UNUSED_TOKEN_\d+|gMASK)\]"
        ),
    ),
    ("tool id", re.compile(r"\b(?:call|toolu|chatcmpl|chatcmpl-tool|msg|fc)_[A-Za-z0-9]{8,}\b")),
    ("citation", re.compile(r"\u3010\d+(?::\d+)?\u2020[^\u3011]{0,40}\u3011|\[\^\d+\^\]")),
    (
        "made by",
        re.compile(
            r"\b(?:large language model|language model|ai (?:assistant|model|chatbot))"
            r"(?:,)?\s+(?:trained|developed|created|made|built|designed)\s+by\s+"
            r"(?:[\w.&'-]+[ ]?){1,3}",
            re.IGNORECASE,
        ),
    ),
)
_BEFORE = 90
"""Characters before a word in which an answer has to speak of itself."""
_LEAST = 4
"""Letters a word of a candidate's name needs, to be looked for alone."""
_PLAIN_WORDS = frozenset(
    {
        "base",
        "https",
        "http",
        "localhost",
        "example",
        "server",
        "online",
        "cloud",
        "inference",
        "openrouter",
        "chat",
        "instruct",
        "large",
        "small",
        "medium",
        "mini",
        "turbo",
        "fast",
        "prompt",
        "short",
        "long",
        "local",
        "test",
        "main",
        "baseline",
        "model",
        "preview",
        "latest",
        "default",
        "with",
        "hint",
        "free",
        "text",
        "code",
        "data",
        "alpha",
        "beta",
        "gamma",
        "delta",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One place in a text that tells who wrote it."""

    start: int
    end: int
    kind: str


class Lexicon:
    """Finds self-identification.

    Args:
        own: names, model ids and vendors of this study's candidates.
    """

    def __init__(self, own: Iterable[str] = ()) -> None:
        words = [(re.escape(word), word) for word in _VENDORS] + [
            (word, word) for word in _FAMILIES
        ]
        self._known = [
            (re.compile(rf"(?<![\w]){pattern}(?![\w])", re.IGNORECASE), word in _ORDINARY)
            for pattern, word in words
        ]
        self._own = [
            (re.compile(rf"(?<![\w]){re.escape(word)}(?![\w])", re.IGNORECASE), _is_ordinary(word))
            for word in sorted(own_words(own), key=len, reverse=True)
        ]

    def find(self, text: str, *, strict: bool = False) -> list[Found]:
        """Return all places, without overlaps, in order.

        `strict`: a name that may be a word of the language counts wherever it stands.
        """
        found = [
            Found(start=m.start(), end=m.end(), kind=kind)
            for kind, pattern in _SPECIAL
            for m in pattern.finditer(text)
        ]
        for kind, patterns in (("own name", self._own), ("model or vendor", self._known)):
            for pattern, ordinary in patterns:
                found += [
                    Found(start=m.start(), end=m.end(), kind=kind)
                    for m in pattern.finditer(text)
                    if strict
                    or not ordinary
                    or _SELF.search(text[max(0, m.start() - _BEFORE) : m.start()])
                ]
        return _apart(found)

    def mask(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Return the text with every place hidden, and the kinds that were found."""
        found = self.find(text)
        parts, place = [], 0
        for one in found:
            parts += [text[place : one.start], HIDDEN]
            place = one.end
        parts.append(text[place:])
        return "".join(parts), tuple(dict.fromkeys(one.kind for one in found))


def _is_ordinary(word: str) -> bool:
    """Whether a name may be a word of the language: letters of one case, as in "careful"."""
    return word.isalpha() and (word.islower() or word.istitle()) and word.lower() not in _FAMILIES


def own_words(names: Iterable[str]) -> set[str]:
    """Return what of candidates' names is looked for: whole names, and telling parts of them."""
    found: set[str] = set()
    for name in names:
        whole = name.strip()
        if len(whole) >= _LEAST:
            found.add(whole)
        for part in (*re.split(r"[\s/:@_()]+", whole), *re.split(r"[\s/:@_().-]+", whole)):
            bare = part.strip("-.")
            if len(bare) >= _LEAST and bare.lower() not in _PLAIN_WORDS and not bare.isdigit():
                found.add(bare)
    return {word for word in found if word.lower() not in _PLAIN_WORDS}


def _apart(found: Sequence[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: (f.start, -f.end)):
        if kept and one.start < kept[-1].end:
            if one.end > kept[-1].end:
                kept[-1] = Found(start=kept[-1].start, end=one.end, kind=kept[-1].kind)
            continue
        kept.append(one)
    return kept
