"""The `constraints` scorer: does an answer follow the instructions that can be checked by rule?

Its instructions live in `befit.scorers.instructions`, one family per file. The
method is IFEval's (Zhou et al. 2023, arXiv 2311.07911, section 2.1): *strict*
looks at the answer as it came; *loose* accepts it if any of eight variants
holds (as it came, without its first line, without its last, without both, and
each of these without asterisks), which tells chatter around a right answer from
an instruction that was not followed. An empty answer follows nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from befit.core.message import Message
from befit.core.record import Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.instructions.base import Answer, Check, Finding
from befit.scorers.instructions.kinds import AnyInstruction
from befit.scorers.instructions.text import composed


class Constraints:
    """Scores one answer against its instructions.

    Scores of the whole: `constraints` (1.0 when every instruction holds
    strictly) and `constraints_loose`. Scores per instruction, `part` being its
    id or kind: `instruction` and `instruction_loose`. Labels: the part's name
    where it does not hold; of the whole `wrapped` (only loosely) or `not_followed`.
    """

    name = "constraints"
    version = "1"
    primary = "constraints"
    needs_target = False

    class Options(Record):
        """The instructions, all of which an answer must follow."""

        instructions: Annotated[tuple[AnyInstruction, ...], Field(min_length=1)]

    def __init__(self, options: Options) -> None:
        self._options = options
        names = _names([i.id or i.kind for i in options.instructions])
        self._checks: list[tuple[str, str, Check]] = [
            (name, instruction.rule, instruction.checker())
            for name, instruction in zip(names, options.instructions, strict=True)
        ]

    def score(self, sample: Sample, trial: Trial, /) -> Sequence[Score]:
        """Return the two scores of the whole, then two per instruction."""
        output = trial.output
        text = composed(output)
        # Composing may shift characters; a span must fit the untouched output or not be given.
        located = len(text) == len(output)
        asked = composed(_asked(sample))
        answers = [Answer(text=text, asked=asked)]
        parts: list[Score] = []
        failed: list[str] = []
        lost: list[str] = []
        for name, rule, check in self._checks:
            strict = _strict(check, answers[0])
            loose = strict
            if not strict.held:
                failed.append(name)
                if len(answers) == 1:
                    answers += [Answer(text=v, asked=asked) for v in variants(text)]
                loose = _loose(check, answers[1:]) or strict
                if not loose.held:
                    lost.append(name)
            span = strict.span if located else None
            parts.append(self._part("instruction", name, rule, strict, span))
            # A span found in a variant does not fit the output.
            loose_span = span if loose is strict else None
            parts.append(self._part("instruction_loose", name, rule, loose, loose_span))
        label = None if not failed else "not_followed" if lost else "wrapped"
        return [
            self._whole("constraints", failed, label),
            self._whole("constraints_loose", lost, "not_followed" if lost else None),
            *parts,
        ]

    def _part(
        self, metric: str, part: str, rule: str, finding: Finding, span: tuple[int, int] | None
    ) -> Score:
        return Score(
            scorer=self.name,
            version=self.version,
            name=metric,
            value=float(finding.held),
            label=None if finding.held else part,
            part=part,
            span=span,
            rule=rule,
            explanation=finding.found,
        )

    def _whole(self, metric: str, failed: list[str], label: str | None) -> Score:
        total = len(self._checks)
        said = f"{total - len(failed)} of {total} instructions followed"
        return Score(
            scorer=self.name,
            version=self.version,
            name=metric,
            value=float(not failed),
            label=label,
            rule=f"all of {total} instructions",
            explanation=f"{said}; not: {', '.join(failed)}" if failed else said,
        )


def variants(text: str) -> list[str]:
    """Return the variants of a loose reading besides the text itself, without the empty ones."""
    lines = text.split("\n")
    cut = [
        "\n".join(lines[1:]).strip(),
        "\n".join(lines[:-1]).strip(),
        "\n".join(lines[1:-1]).strip(),
    ]
    found = [*cut, *(variant.replace("*", "") for variant in (text, *cut))]
    return [variant for variant in dict.fromkeys(found) if variant.strip()]


def _strict(check: Check, answer: Answer) -> Finding:
    if not answer.text.strip():
        return Finding(held=False, found="empty answer")
    return check(answer)


def _loose(check: Check, answers: Sequence[Answer]) -> Finding | None:
    for answer in answers:
        finding = check(answer)
        if finding.held:
            return finding
    return None


def _names(names: list[str]) -> list[str]:
    """Make repeated names unique: `keywords`, `keywords_2`."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return unique


def _asked(sample: Sample) -> str:
    if isinstance(sample.input, str):
        return sample.input
    messages: Sequence[Message] = sample.input or ()
    said = [message.text for message in messages if message.role == "user"]
    if sample.turns:
        said = [sample.turns[-1].user]
    return said[-1] if said else ""
