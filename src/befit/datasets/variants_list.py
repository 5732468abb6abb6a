"""All classes of variants by their names."""

from __future__ import annotations

from befit.datasets import variants_attack as attack
from befit.datasets import variants_edge as edge
from befit.datasets import variants_missing as missing
from befit.datasets.variants import Class, Recipe

_EDGE: dict[str, Recipe] = {
    "empty": missing.empty,
    "whitespace": missing.whitespace,
    "overlong": edge.overlong,
    "truncated": edge.truncated,
    "special-characters": edge.special_characters,
    "emoji": edge.emoji,
    "right-to-left": edge.right_to_left,
    "mixed-languages": edge.mixed_languages,
    "wrong-encoding": edge.wrong_encoding,
    "extremely-short": missing.extremely_short,
    "ambiguous": missing.ambiguous,
    "rule-unsaid": missing.rule_unsaid,
    "plain-text": edge.plain_text,
    "markdown": edge.as_markdown,
    "html": edge.as_html,
    "json": edge.as_json,
    "csv": edge.as_csv,
    "duplicated-fields": edge.duplicated_fields,
    "missing-context": missing.missing_context,
    "contradicting-context": missing.contradicting_context,
    "typos": edge.typos,
    "ocr-noise": edge.ocr_noise,
    "number-format": edge.number_format,
    "date-format": edge.date_format,
}
_ADVERSARIAL: dict[str, Recipe] = {
    "injection": attack.injection,
    "absent-information": attack.absent_information,
    "leading-question": attack.leading_question,
    "role-override": attack.role_override,
    "false-premise": attack.false_premise,
    "conflicting-instructions": attack.conflicting_instructions,
}
CLASSES: dict[str, Class] = {
    **{name: Class(name=name, kind="edge", recipe=made) for name, made in _EDGE.items()},
    **{name: Class(name=name, kind="adversarial", recipe=made)
       for name, made in _ADVERSARIAL.items()},
}  # fmt: skip
