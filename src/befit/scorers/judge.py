"""A model as a judge: it asks, the engine runs what it asks, it reads what came back.

`ask` gives the questions about one trial, the same for every judge of the
scenario. `read` takes the replies, one group of questions after another for each
judge, and gives the majority's verdict with the agreement behind it. Replies that
are no verdict are unscored and counted, whatever they say. Until the judges have
been asked, a trial is unscored with the label `not_judged`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from befit.core.completion import Completion, Request
from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.evidence import storable, version_of
from befit.scorers.judge_options import BASELINE, SCALE, JudgeOptions
from befit.scorers.judge_weights import chances, weighted
from befit.scorers.judge_words import Block, Question, question, unfenced, verdict
from befit.scorers.match import as_text
from befit.scorers.parsing import parse_json

NAME = "judge"
CODE_VERSION = "2"
_EVEN = "Length is no merit of its own, and neither is style where the content is the same."
_SIDES = ("first", "second", "tie")
_TOLD = 1_000
"""Characters of a judge's own words that are kept with the judged answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question and what its verdict is about."""

    part: str
    question: Question
    order: Literal["", "as is", "swapped"] = ""


class Judge:
    """Asks the scenario's judges about each answer."""

    name = NAME
    primary = NAME
    names = (
        NAME,
        "judge_grade",
        "judge_preference",
        "judge_agreement",
        "judge_parsed",
        "judge_weighted",
    )
    Options = JudgeOptions

    def __init__(self, options: JudgeOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)
        self.needs_target = options.mode == "pairwise" and options.against is None
        self.against = options.against if options.mode == "pairwise" else None
        """The candidate whose answers stand against those that are judged."""

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return the unscored score of a trial that no judge has seen yet."""
        del sample, trial
        return [
            self._one(
                Check(
                    NAME,
                    None,
                    "not_judged",
                    "the judges have not been asked, or a call to one of them failed",
                )
            )
        ]

    def ask(self, sample: Sample, trial: Trial) -> Sequence[Request]:
        """Return the questions about this trial, in the order in which `read` wants replies."""
        return [Request(messages=one.question.messages) for one in self._asked(sample, trial)]

    def read(
        self, sample: Sample, trial: Trial, completions: Sequence[Completion]
    ) -> Sequence[Score]:
        """Return the verdict on the trial, by majority where there are several judges.

        `completions` has the replies to all questions of the first judge, then those
        of the second, and so on.
        """
        asked = self._asked(sample, trial)
        if not asked:
            why = "no_target" if self.options.mode == "pairwise" else "nothing to judge"
            if self.against is not None:
                why = "no_rival"
            return [self._one(Check(NAME, None, why, "no question could be asked"))]
        size = len(asked)
        judges = [completions[i : i + size] for i in range(0, len(completions), size)]
        found = [
            [verdict(c.text, q.question) for c, q in zip(one, asked, strict=True)] for one in judges
        ]
        details: list[Check] = []
        values: list[list[float | None]] = []
        for number, replies in enumerate(found, start=1):
            own = self._values(replies)
            values.append(own)
            told = [c.text for c in judges[number - 1]]
            details += _parts(asked, replies, told, judge=number if len(found) > 1 else None)
        details += self._weighted(asked, judges, found)
        return [self._one(check) for check in (*self._whole(values, found), *details)]

    def _weighted(
        self,
        asked: Sequence[_Asked],
        judges: Sequence[Sequence[Completion]],
        found: Sequence[Sequence[tuple[Json, str | None]]],
    ) -> list[Check]:
        """Return the verdicts weighted by how sure the judges were, where all of them tell it."""
        if self.options.mode == "pairwise":
            return []
        values = [
            weighted(chances(reply, one.question.allowed)) if why is None else None
            for replies, verdicts in zip(judges, found, strict=True)
            for one, reply, (_, why) in zip(asked, replies, verdicts, strict=True)
        ]
        known = [value for value in values if value is not None]
        if not known or len(known) < len(values):
            return []
        rule = "mean over verdicts, each weighted by the probability of its token"
        return [Check("judge_weighted", sum(known) / len(known), "weighted", rule)]

    def _asked(self, sample: Sample, trial: Trial) -> list[_Asked]:
        options = self.options
        answer = Block(name="answer", text=_cut(trial.output, options.max_chars))
        told = Block(name="question", text=_cut(_shown(sample, trial), options.max_chars))
        note = f"\n{_EVEN}" if options.length_note else ""
        right = sample.target if options.reference else None
        if options.mode == "pairwise":
            return self._pair(sample, told, answer, note)
        blocks = [told, answer]
        if right is not None:
            text = as_text(right) if not isinstance(right, list | dict) else str(right)
            blocks.insert(1, Block(name="right answer", text=_cut(text, options.max_chars)))
        if options.mode == "scale":
            grades = "\n".join(
                f"{grade}: {text}" for grade, text in sorted(options.anchors.items())
            )
            wanted = "".join(f"\n- {criterion.text}" for criterion in options.rubric)
            task = f"Grade the answer from 1 to 5.{wanted}\n{grades}{note}"
            return [_Asked(part="grade", question=question(task, blocks, allowed=SCALE))]
        if options.mode == "relevance":
            task = (
                "Does the answer deal with what the question asks? Its truth does not matter here."
            )
            asked = question(task + note, blocks, allowed=("pass", "fail"))
            return [_Asked(part="relevance", question=asked)]
        return [
            _Asked(
                part=criterion.name,
                question=question(
                    f"Does the answer fulfil this criterion? {criterion.text}{note}",
                    blocks,
                    allowed=("pass", "fail"),
                ),
            )
            for criterion in options.rubric
        ]

    def _pair(self, sample: Sample, told: Block, answer: Block, note: str) -> list[_Asked]:
        other = sample.vars.get(BASELINE)
        if other is None and sample.target is not None and self.against is None:
            other = as_text(sample.target)
        if other is None:
            return []
        wanted = "".join(f"\n- {criterion.text}" for criterion in self.options.rubric)
        task = f"Which answer to the question is better? Say first, second or tie.{wanted}{note}"
        one, two = answer.text, _cut(other, self.options.max_chars)
        orders: tuple[tuple[Literal["as is", "swapped"], str, str], ...] = (
            ("as is", one, two),
            ("swapped", two, one),
        )
        return [
            _Asked(
                part=f"preference ({order})",
                order=order,
                question=question(
                    task,
                    [
                        told,
                        Block(name="first answer", text=left),
                        Block(name="second answer", text=right),
                    ],
                    allowed=_SIDES,
                ),
            )
            for order, left, right in orders
        ]

    def _values(self, replies: Sequence[tuple[Json, str | None]]) -> list[float | None]:
        """Return what one judge says of each part, 0..1; None where it gave no verdict."""
        if self.options.mode == "pairwise":
            return [preference(replies[0][0], replies[1][0])]
        return [_value(found) for found, _ in replies]

    def _whole(
        self,
        values: Sequence[Sequence[float | None]],
        found: Sequence[Sequence[tuple[Json, str | None]]],
    ) -> list[Check]:
        columns = list(zip(*values, strict=True))
        means = [_majority(column, graded=self.options.mode == "scale") for column in columns]
        passed = [self._passes(mean) for mean in means]
        torn = self.options.mode == "pairwise" and all(map(_torn, found))
        if torn:
            # Each judge took the same place in both orders: a tie of the answers, and no verdict.
            passed = [None for _ in passed]
        replies = [why for one in found for _, why in one]
        parsed = sum(why is None for why in replies) / len(replies) if replies else 0.0
        lost = next((why for why in replies if why is not None), None)
        value: float | None = None
        if any(one is False for one in passed):
            value = 0.0
        elif passed and None not in passed:
            value = 1.0
        label = {None: "no_verdict", 1.0: "pass", 0.0: "fail"}[value]
        why = lost
        if value is None and lost is None:
            label, why = "no_majority", "the judges are divided"
        if torn:
            label, why = "order_decides", "the verdict turned round with the order of the answers"
        rule = f"majority of {len(values)} judges" if len(values) > 1 else "one judge"
        checks = [Check(NAME, value, label, rule, explanation=why if value is None else None)]
        known = [mean for mean in means if mean is not None]
        if self.options.mode in {"scale", "pairwise"} and known:
            name = "judge_grade" if self.options.mode == "scale" else "judge_preference"
            checks.append(Check(name, known[0], label, rule))
        if len(values) > 1:
            agreed = [_agreement(column) for column in columns]
            shares = [share for share in agreed if share is not None]
            if shares:
                mean = sum(shares) / len(shares)
                checks.append(Check("judge_agreement", mean, "agreement", "pairs of judges"))
        done = "all" if lost is None else "no_verdict"
        checks.append(Check("judge_parsed", parsed, done, "exactly one verdict", explanation=lost))
        return checks

    def _passes(self, mean: float | None) -> bool | None:
        if mean is None:
            return None
        if self.options.mode == "scale":
            return mean * 4 + 1 >= self.options.floor - 1e-9
        return mean >= 0.5  # noqa: PLR2004  # pairwise: not worse; else: pass

    def _one(self, check: Check) -> Score:
        return check.score(NAME, self.version)


def _torn(replies: Sequence[tuple[Json, str | None]]) -> bool:
    """Tell whether a judge chose the same place in both orders."""
    straight, turned = (found for found, _ in replies)
    return straight == turned and straight in {"first", "second"}


def preference(as_is: Json, swapped: Json) -> float | None:
    """Return 1, 0.5 or 0 for the first text from the verdicts in both orders.

    The two orders must agree on a winner; where they do not, it is a tie. A verdict
    that is missing leaves the pair unscored.
    """
    if as_is is None or swapped is None:
        return None
    straight = {"first": 1.0, "second": 0.0, "tie": 0.5}[as_is]
    turned = {"first": 0.0, "second": 1.0, "tie": 0.5}[swapped]
    return straight if straight == turned else 0.5


def _value(found: Json) -> float | None:
    if found is None:
        return None
    if isinstance(found, int):
        return (found - 1) / 4
    return 1.0 if found == "pass" else 0.0


def _majority(column: Sequence[float | None], *, graded: bool) -> float | None:
    """Return the verdict of most judges; None where most gave none, or they are divided."""
    known = [value for value in column if value is not None]
    if len(known) * 2 <= len(column):
        return None
    if graded:
        return sorted(known)[(len(known) - 1) // 2]  # the lower median: doubt does not raise it
    counts = Counter(known).most_common()
    if len(counts) > 1 and counts[0][1] == counts[1][1]:
        return None
    return counts[0][0]


def _agreement(column: Sequence[float | None]) -> float | None:
    known = [value for value in column if value is not None]
    pairs = len(known) * (len(known) - 1)
    if not pairs:
        return None
    return sum(n * (n - 1) for n in Counter(known).values()) / pairs


def _parts(
    asked: Sequence[_Asked],
    replies: Sequence[tuple[Json, str | None]],
    told: Sequence[str],
    *,
    judge: int | None,
) -> list[Check]:
    return [
        Check(
            name="judge_verdict",
            value=_part_value(found),
            label="no_verdict" if found is None else str(found),
            rule="exactly one verdict with the question's code",
            part=one.part if judge is None else f"judge {judge}: {one.part}",
            answer=found,
            explanation=_in_its_words(why, text),
        )
        for one, (found, why), text in zip(asked, replies, told, strict=True)
    ]


def _in_its_words(why: str | None, reply: str) -> str | None:
    """Return what a judge gave as its reason; of a reply that is no verdict, all of its words."""
    said = reply.strip()
    if why is None:
        value, _ = parse_json(unfenced(said))
        reason = value.get("reason") if isinstance(value, dict) else None
        return storable(str(reason)[:_TOLD]) if reason else None
    return f"{why}; the reply: {storable(said[:_TOLD])}" if said else why


def _part_value(found: Json) -> float | None:
    if found in _SIDES:
        return {"first": 1.0, "second": 0.0, "tie": 0.5}[found]
    return _value(found)


def _shown(sample: Sample, trial: Trial) -> str:
    """Return what the candidate was asked: the conversation before its last answer."""
    said = list(trial.transcript)
    while said and said[-1].role == "assistant":
        said.pop()
    if said:
        return "\n\n".join(f"{m.role}: {m.text}" for m in said if m.role != "system" and m.text)
    return sample.input if isinstance(sample.input, str) else ""


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n({len(text) - limit} characters left out)"
