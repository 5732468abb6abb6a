"""What differs between two candidates, and whether that spoils a comparison of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from befit.core.candidate import Candidate
from befit.core.run import Manifest, ManifestCandidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs, with both sides as text."""

    part: str
    """`model`, `prompt`, `template`, `sampling`, `tools`, `schema` or `settings`."""
    key: str
    a: str
    b: str


def changes(a: Candidate, b: Candidate) -> tuple[Change, ...]:
    """Return all that differs between two candidates and can change an answer."""
    found: list[Change] = []

    def compare(part: str, key: str, left: object, right: object) -> None:
        if left != right:
            found.append(Change(part=part, key=key, a=_text(left), b=_text(right)))

    for key in ("target", "model", "base_url", "revision"):
        compare("model", key, getattr(a, key), getattr(b, key))
    compare("prompt", "system", a.prompt.system, b.prompt.system)
    compare("prompt", "shots", a.prompt.shots, b.prompt.shots)
    for name in sorted({*a.prompt.templates, *b.prompt.templates}):
        left, right = a.prompt.templates.get(name), b.prompt.templates.get(name)
        compare("template", name, left, right)
    for key in type(a.sampling).model_fields:
        compare("sampling", key, getattr(a.sampling, key), getattr(b.sampling, key))
    compare("tools", "tools", a.tools, b.tools)
    compare("schema", "response_schema", a.response_schema, b.response_schema)
    for key in sorted({*a.options, *b.options}):
        compare("settings", key, a.options.get(key), b.options.get(key))
    return tuple(found)


def _text(value: object) -> str:
    if value is None:
        return "provider default"
    return value if isinstance(value, str) else repr(value)


def confounders(
    manifest: Manifest,
    a: ManifestCandidate,
    b: ManifestCandidate,
    *,
    scenarios: Sequence[str],
) -> tuple[str, ...]:
    """Return what spoils a comparison of the two models on these scenarios.

    Two candidates of one model compare prompts or settings, and that is plain
    from their difference. Two models under different templates compare neither:
    the difference is confounded.
    """
    if (a.candidate.target, a.candidate.model) == (b.candidate.target, b.candidate.model):
        return ()
    by_name = {s.spec.name: s.spec for s in manifest.scenarios}
    prompts = a.candidate.prompt, b.candidate.prompt
    differ = any(
        by_name[name].resolved_template(prompts[0]) != by_name[name].resolved_template(prompts[1])
        for name in scenarios
        if name in by_name
    )
    return ("template",) if differ else ()
