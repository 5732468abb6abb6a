"""Rules about the make-up of a set: repeats, size, kinds, what the logs have, personal data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from befit.core.estimate import THIN
from befit.core.message import ImagePart
from befit.core.sample import Sample
from befit.datasets.lint import Lint, LintSet, Rule, is_variant, text_of
from befit.datasets.near import NearDuplicates, exact_key, template_key
from befit.datasets.redact import Redactor
from befit.stats.power import smallest_detectable

FEW = 50
"""Fewer samples than this are few; `core.estimate.THIN` says what is marked as thin."""
_SHARE = 0.005
"""Share of the log's lines from which a language has to be in the set."""
_SHOWN = 5


def duplicates(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Repeats: the same text, the same form, nearly the same."""
    words = {
        "duplicate": "samples that repeat another",
        "template-duplicate": "samples that differ from another only in numbers and codes",
        "near-duplicate": "samples that are nearly the same as another",
    }
    found: dict[str, list[str]] = {code: [] for code in words}
    near = NearDuplicates()
    exact: set[int] = set()
    template: set[int] = set()
    for one in held.samples:
        if is_variant(one):
            continue
        text = text_of(one)
        exact_mark, template_mark = exact_key(text), template_key(text)
        at, signature = near.find(text)
        if exact_mark in exact:
            found["duplicate"].append(one.id)
        elif template_mark in template:
            found["template-duplicate"].append(one.id)
        elif at is not None:
            found["near-duplicate"].append(one.id)
        else:
            near.keep(signature)
        exact.add(exact_mark)
        template.add(template_mark)
    for code, ids in found.items():
        if ids:
            yield Lint(
                code=code,
                severity="warning",
                what=f"{words[code]}: {len(ids)}",
                do="retire all but one: more of the same is no more evidence",
                samples=tuple(ids),
            )


def across(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Samples that stand in another scenario too."""
    own = {exact_key(text_of(one)): one.id for one in held.samples}
    for name, samples in held.others.items():
        ids = [own[key] for one in samples if (key := exact_key(text_of(one))) in own]
        if ids:
            yield Lint(
                code="across-scenarios",
                severity="warning",
                what=f"samples that stand in scenario '{name}' too: {len(ids)}",
                samples=tuple(ids),
            )


def few(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Too few samples, in general and for the difference one wants to see."""
    n = len(held.samples)
    gap = smallest_detectable(n) if n else None
    if n < FEW:
        thin = ": every cell built on them is marked as thin" if n < THIN else ""
        what = f"few samples ({n}){thin}"
        yield Lint(code="few", severity="warning", what=what, do="befit data sample")
    if held.difference is not None and (gap is None or gap > held.difference):
        seen = "no difference at all" if gap is None else f"{100 * gap:.1f} points at best"
        what = f"with n = {n} one sees {seen}, not {100 * held.difference:g}"
        yield Lint(code="few", severity="warning", what=what, do="add samples")


def kinds(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """No typical, edge or adversarial samples."""
    counts = Counter(one.kind for one in held.samples)
    for kind in ("typical", "edge", "adversarial"):
        if not counts[kind]:
            do = "befit data sample" if kind == "typical" else "befit data variants"
            what = f"there are no {kind} samples"
            yield Lint(code="kinds", severity="warning", what=what, do=do)


def languages(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Languages that the logs have and the set lacks."""
    total = sum(held.log_languages.values())
    own = {one.language for one in held.samples}
    for code, lines in sorted(held.log_languages.items(), key=lambda item: -item[1]):
        if code not in own and lines >= _SHARE * total:
            share = 100 * lines / total
            what = f"{lines:,} log lines ({share:.1f} %) are in '{code}', no sample is"
            yield Lint(code="language", severity="warning", what=what, do="befit data sample")


def modalities(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Pictures in the logs, none in the set."""
    if held.log_pictures and not any(_has_picture(one) for one in held.samples):
        what = f"the logs hold {held.log_pictures:,} pictures, no sample does"
        yield Lint(code="modality", severity="warning", what=what, do="befit data sample")


def _has_picture(sample: Sample) -> bool:
    if sample.attachments:
        return True
    messages = sample.input if isinstance(sample.input, tuple) else ()
    return any(
        isinstance(part, ImagePart)
        for message in messages
        if not isinstance(message.content, str)
        for part in message.content
    )


def picture_tags(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Samples of a vision scenario without a tag for what is read and how it is asked."""
    if held.spec is None or held.spec.dimension != "vision":
        return
    for tags in (("text", "structure", "cross-region"), ("retrieval", "reasoning")):
        bare = tuple(one.id for one in held.samples if not set(tags) & set(one.tags))
        if bare:
            what = f"{len(bare)} samples of pictures have none of the tags {', '.join(tags)}"
            do = "tag them: each tag has a row of its own in the report"
            yield Lint(code="vision-tags", severity="warning", what=what, do=do, samples=bare)


def empty_strata(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Strata of the log of which the set has no sample."""
    tags = {tag for one in held.samples for tag in one.tags}
    for name, values in held.strata.items():
        if not any(tag.startswith(f"{name}:") for tag in tags):
            continue  # the set was not drawn by this field
        lost = sorted(value for value in values if value != "-" and f"{name}:{value}" not in tags)
        if lost:
            more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
            what = f"no sample of {name} {', '.join(lost[:_SHOWN])}{more}"
            yield Lint(code="empty-stratum", severity="warning", what=what)


def personal(held: LintSet, redactor: Redactor) -> Iterator[Lint]:
    """Personal data that is left."""
    found: dict[str, list[str]] = {}
    for one in held.samples:
        target = json.dumps(one.target, ensure_ascii=False, default=str)
        shown = f"{text_of(one)}\n{one.observed or ''}\n{target}"
        for name in {name for _, _, name in redactor.spans(shown)}:
            found.setdefault(name, []).append(one.id)
    for name, ids in sorted(found.items()):
        yield Lint(
            code="personal-data",
            severity="note" if name == "NAME" else "warning",
            what=f"{len(ids)} samples seem to hold personal data: {name.lower()}",
            do="replace it, or keep it knowingly",
            samples=tuple(ids),
        )


def licences(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Licences that samples come with, and samples of unknown origin."""
    named = Counter(
        one.provenance.licence
        for one in held.samples
        if one.provenance is not None and one.provenance.licence
    )
    for licence, count in sorted(named.items()):
        what = f"{count} samples are under '{licence}': see whether your use is covered"
        yield Lint(code="licence", severity="note", what=what)
    unknown = tuple(one.id for one in held.samples if one.provenance is None)
    if unknown:
        what = f"{len(unknown)} samples do not say where they come from"
        yield Lint(code="provenance", severity="note", what=what, samples=unknown)


RULES: tuple[Rule, ...] = (
    duplicates,
    across,
    few,
    kinds,
    languages,
    modalities,
    picture_tags,
    empty_strata,
    personal,
    licences,
)
