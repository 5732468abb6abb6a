"""From a scenario's prompt to its variants: rules that reword a template and keep its meaning.

Each rule changes one thing about the form: courtesy, the order of instruction and
input, headings, marks around the input, single words. A rule that finds nothing to
change leaves the template as it is, and the plan warns of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from befit.core.candidate import Candidate
from befit.core.fingerprint import fingerprint
from befit.core.prompt_variant import PromptVariant, Rule, template_print
from befit.core.scenario import ScenarioSpec

_INPUT = "{input}"
_SYNONYMS = {
    "give": "provide",
    "answer": "reply",
    "choose": "select",
    "write": "compose",
    "text": "passage",
    "question": "query",
    "find": "identify",
    "only": "just",
    "following": "below",
    "list": "enumerate",
    "classify": "categorise",
    "extract": "pull out",
    "summarise": "sum up",
    "summarize": "sum up",
}
"""Words with nearly the same use; the first letter keeps its case."""


def variant_key(spec: ScenarioSpec, candidate: Candidate, variant: PromptVariant) -> str:
    """Return what the trial keys of a variant bear: its name and a hash of its wording."""
    changed, asked = shown_as(spec, candidate, variant)
    content = [changed.template, asked.prompt.system]
    return f"prompt={variant.name}#{fingerprint(content)[:8]}"


def shown_as(
    spec: ScenarioSpec, candidate: Candidate, variant: PromptVariant
) -> tuple[ScenarioSpec, Candidate]:
    """Return scenario and candidate as the variant shows them; for rendering only."""
    template = spec.resolved_template(candidate.prompt)
    if variant.template is not None:
        template = variant.template
    elif variant.rule is not None:
        template = reworded(template, variant.rule)
    system = candidate.prompt.system if variant.system is None else variant.system
    prompt = candidate.prompt.model_copy(update={"system": system, "templates": {}})
    return (
        spec.model_copy(update={"template": template}),
        candidate.model_copy(update={"prompt": prompt}),
    )


def reworded(template: str, rule: Rule) -> str:
    """Return the template in other words; the same one where the rule finds nothing to change."""
    return _RULES[rule](template)


def changes_nothing(spec: ScenarioSpec, candidate: Candidate | None = None) -> list[str]:
    """Return the names of variants that are the template as it is.

    Args:
        spec: the scenario.
        candidate: with its own template, where it has one; None: the scenario's.
    """
    template = spec.template if candidate is None else spec.resolved_template(candidate.prompt)
    return [
        variant.name
        for variant in spec.variants
        if variant.rule is not None and reworded(template, variant.rule) == template
    ]


def made_for_another(spec: ScenarioSpec) -> list[str]:
    """Return the names of a model's wordings that were made from another template."""
    own = template_print(spec.template)
    return [one.name for one in spec.variants if one.made_from not in {None, own}]


def _politeness(template: str) -> str:
    return f"Could you please help me with this?\n{template}\nThank you very much."


def _order(template: str) -> str:
    """Put what stands before the input behind it, and the other way round."""
    before, mark, after = template.partition(_INPUT)
    if not mark or not (before.strip() or after.strip()):
        return template
    parts = [part.strip() for part in (after, _INPUT, before)]
    return "\n\n".join(part for part in parts if part)


def _format(template: str) -> str:
    before, mark, after = template.partition(_INPUT)
    parts = [f"## Input\n{mark or template}"]
    if mark and before.strip():
        parts.insert(0, f"## Task\n{before.strip()}")
    if mark and after.strip():
        parts.append(f"## Note\n{after.strip()}")
    return "\n\n".join(parts)


def _delimiters(template: str) -> str:
    return template.replace(_INPUT, f"<input>\n{_INPUT}\n</input>", 1)


def _synonyms(template: str) -> str:
    def other(found: re.Match[str]) -> str:
        word = _SYNONYMS[found.group().lower()]
        return word.capitalize() if found.group()[0].isupper() else word

    return _WORDS.sub(other, template)


_PART = "{}\\w\"'`<>_:=/-"
"""Signs beside a word that make it a placeholder, a key or a literal: those keep their spelling."""
_WORDS = re.compile(rf"(?<![{_PART}])(?:{'|'.join(_SYNONYMS)})(?![{_PART}])", re.IGNORECASE)
_RULES: Mapping[Rule, Callable[[str], str]] = {
    "politeness": _politeness,
    "order": _order,
    "format": _format,
    "delimiters": _delimiters,
    "synonyms": _synonyms,
}
