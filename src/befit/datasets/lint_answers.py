"""Rules about right answers: missing, contradictory, not derivable, given away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from befit.datasets.label import Label
from befit.datasets.labelled import is_labelled
from befit.datasets.lint import Lint, LintSet, Rule, is_variant, text_of
from befit.datasets.redact import Redactor
from befit.datasets.variants import values_of

_LEAST = 4
"""Characters of a value below which finding it somewhere says nothing."""
_TELLING = 8
"""Characters from which finding it in a prompt gives it away."""
_WHOLE = 60
_TOLD = re.compile(
    r"(?i)\b(?:answer|solution|target|expected|lösung|antwort|réponse|respuesta)\s*[:=]\s*(.+)"
)


def unlabelled(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Samples that say nothing of a right answer."""
    ids = tuple(one.id for one in held.samples if not is_labelled(one))
    if ids:
        yield Lint(
            code="unlabelled",
            severity="error",
            what=f"{len(ids)} samples have neither target nor check",
            do=f"befit data label {held.words or held.scenario}",
            samples=ids,
        )


def contradictory(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """The same input with different targets."""
    answers: dict[str, dict[str, str]] = {}
    for one in held.samples:
        if is_labelled(one):
            label = Label(target=one.target, checks=one.checks).answer
            answers.setdefault(one.input_fingerprint, {}).setdefault(label, one.id)
    ids = tuple(one for told in answers.values() if len(told) > 1 for one in told.values())
    if ids:
        yield Lint(
            code="contradictory",
            severity="error",
            what="the same input has different targets",
            do="keep the right one, retire the others",
            samples=ids,
        )


def underivable(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Extraction targets of which nothing stands in the input."""
    ids = []
    for one in held.samples:
        values = [v for v in values_of(one.target) if len(v) >= _LEAST]
        if not isinstance(one.target, dict) or not values or is_variant(one):
            continue
        shown = plain(text_of(one))
        if not any(plain(value) in shown for value in values):
            ids.append(one.id)
    if ids:
        yield Lint(
            code="underivable",
            severity="warning",
            what=f"{len(ids)} targets: nothing of them stands in the input",
            do="look at them: is the target that of another sample?",
            samples=tuple(ids),
        )


def plain(text: str) -> str:
    """Return the letters and digits of a text, without case."""
    return re.sub(r"[\W_]+", "", text.casefold())


def leaks(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Targets that a prompt, the template or an example gives away."""
    for where, text in held.prompts.items():
        shown = plain(text)
        ids = []
        for one in held.samples:
            values = [plain(value) for value in values_of(one.target)]
            whole = plain(text_of(one))
            told = any(len(value) >= _TELLING and value in shown for value in values)
            if told or (len(whole) > _WHOLE and whole in shown):
                ids.append(one.id)
        if ids:
            yield Lint(
                code="leak",
                severity="error",
                what=f"{where} holds the answer, or the input itself",
                do="take it out there, or retire the samples",
                samples=tuple(ids),
            )


def told_in_input(held: LintSet, _: Redactor) -> Iterator[Lint]:
    """Targets announced in the input itself, as by a line somebody forgot to take out."""
    ids = tuple(
        one.id
        for one in held.samples
        if isinstance(one.target, str)
        and not is_variant(one)
        and any(plain(one.target) == plain(text) for text in _TOLD.findall(text_of(one)))
    )
    if ids:
        yield Lint(
            code="leak",
            severity="error",
            what="the input says the answer itself",
            do="mend the inputs",
            samples=ids,
        )


RULES: tuple[Rule, ...] = (unlabelled, contradictory, underivable, leaks, told_in_input)
