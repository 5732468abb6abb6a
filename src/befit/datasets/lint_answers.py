"""Rules about right answers: missing, contradictory, not derivable, given away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from befit.datasets.label import Label
from befit.datasets.labelled import is_labelled
from befit.datasets.lint import Lint, LintSet, Rule, is_variant, text_of
from befit.datasets.redact import Redactor
from befit.datasets.variants import values_of

_LEAST = 4
"""Characters of a value below which finding it somewhere says nothing."""
_TELLING = 8
"""Characters from which finding it in a prompt gives it away, unless it is one of the options."""
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
    """Targets that a prompt, the template or an example gives away.

    A text that lists the options to choose from gives none of them away, so what is listed
    anywhere may stand in an example, too.
    """
    examples = () if held.spec is None else tuple(one.output for one in held.spec.examples)
    options = _options(held, [*held.prompts.values(), "\n".join(examples)])
    for where, text in held.prompts.items():
        shown = plain(text)
        ids = []
        for one in held.samples:
            values = {plain(value) for value in values_of(one.target)} - options
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


def _options(held: LintSet, texts: Iterable[str]) -> set[str]:
    """Return the values, as `plain` writes them, that some text lists as those to choose from.

    A list names several values of a target (or of one field of it), and at least half of all
    that the set has: two answers of sixty that stand in a prompt are no list.
    """
    fields: dict[str, set[str]] = {}
    for one in held.samples:
        parts = one.target.items() if isinstance(one.target, Mapping) else (("", one.target),)
        for name, part in parts:
            fields.setdefault(name, set()).update(map(_words, values_of(part)))
    found: set[str] = set()
    for text in map(_words, texts):
        for values in fields.values():
            named = {value for value in values if value.strip() and value in text}
            if len(named) > 1 and 2 * len(named) >= len(values):
                found |= named
    return {plain(value) for value in found}


def _words(text: str) -> str:
    """Return the words of a text between single blanks, without case: what stands in it whole."""
    told = re.sub(r"[\W_]+", " ", text.casefold())
    return f" {told.strip()} "


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
