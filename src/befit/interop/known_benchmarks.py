"""Facts about well-known public benchmarks: how many items, which scale, what they touch.

Used only where a table says nothing, and named as an assumption wherever a
number rests on it. Item counts are those of the split that is usually reported.
"""

from __future__ import annotations

import re

from befit.core.screening import BenchmarkSettings

_ENGLISH = ("en",)
_TEXT = ("text",)


def _known(
    skill: str,
    items: int | None = None,
    *,
    scale: tuple[float, float] | None = None,
    languages: tuple[str, ...] = _ENGLISH,
    modality: tuple[str, ...] = _TEXT,
    aggregate: bool | None = None,
) -> BenchmarkSettings:
    return BenchmarkSettings(
        skill=skill,
        items=items,
        scale=scale,
        languages=languages,
        modality=modality,
        aggregate=aggregate,
    )


_MANY = ("en", "es", "fr", "de", "ru", "zh", "ja", "th", "sw", "bn", "te")
_IMAGES = ("text", "image")

KNOWN: dict[str, BenchmarkSettings] = {
    "mmlu": _known("knowledge", 14_042),
    "mmlupro": _known("knowledge", 12_032),
    "mmmlu": _known("knowledge", languages=("ar", "bn", "de", "es", "fr", "hi", "id", "it", "ja",
                                            "ko", "pt", "sw", "yo", "zh")),
    "arcc": _known("science questions", 1_172),
    "arcchallenge": _known("science questions", 1_172),
    "arceasy": _known("science questions", 2_376),
    "hellaswag": _known("common sense", 10_042),
    "winogrande": _known("common sense", 1_267),
    "piqa": _known("common sense", 1_838),
    "truthfulqa": _known("truthfulness", 817),
    "gsm8k": _known("arithmetic", 1_319),
    "gsm8kcot": _known("arithmetic", 1_319),
    "mgsm": _known("arithmetic", languages=_MANY),
    "math": _known("mathematics", 5_000),
    "math500": _known("mathematics", 500),
    "bbh": _known("reasoning", 6_511),
    "gpqa": _known("science questions", 448),
    "gpqadiamond": _known("science questions", 198),
    "humaneval": _known("code", 164),
    "mbpp": _known("code", 500),
    "ifeval": _known("instruction following", 541),
    "drop": _known("reading", 9_536),
    "boolq": _known("reading", 3_270),
    "agieval": _known("exams"),
    "mtbench": _known("chat", 80, scale=(1.0, 10.0)),
    "alpacaeval": _known("chat", 805),
    "alpacaeval10": _known("chat", 805),
    "alpacaeval20": _known("chat", 805),
    "lcalpacaeval20": _known("chat", 805),
    "arenahard": _known("chat", 500),
    "wildbench": _known("chat", 1_024),
    "arenaelo": _known("chat"),
    "helmlite": _known("mixture", aggregate=True),
    "openllm": _known("mixture", aggregate=True),
    "gpt4all": _known("common sense", aggregate=True),
    "opencomp": _known("mixture", aggregate=True),
    "mmmu": _known("exams", 900, modality=_IMAGES),
    "mathvista": _known("mathematics", 1_000, modality=_IMAGES),
    "docvqa": _known("documents", modality=_IMAGES),
    "chartqa": _known("documents", 2_500, modality=_IMAGES),
}  # fmt: skip

_CUT = re.compile(r"[(,\[\n]")
_OTHER = re.compile(r"[^a-z0-9]")
_AVERAGE = re.compile(r"\b(avg|average|mean|overall)\b", re.IGNORECASE)


def known(name: str) -> BenchmarkSettings | None:
    """Return what is known of a benchmark by its usual names; None where nothing is."""
    short = _OTHER.sub("", _CUT.split(name.lower(), maxsplit=1)[0])
    found = KNOWN.get(short)
    if found is None and _AVERAGE.search(name):
        return BenchmarkSettings(aggregate=True)
    if found is not None and _AVERAGE.search(name) and not found.aggregate:
        return found.model_copy(update={"aggregate": True})
    return found


def filled(own: BenchmarkSettings, base: BenchmarkSettings | None) -> BenchmarkSettings:
    """Return `own` with whatever it leaves open taken from `base`."""
    if base is None:
        return own
    given = {k: getattr(own, k) for k in own.model_fields_set}
    return base.model_copy(update={k: v for k, v in given.items() if v is not None})
