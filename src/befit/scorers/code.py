"""Does the code work? The sample's tests run on it in a process of its own.

    target: "assert add(2, 3) == 5"                    # or a list: each is a test
    target:
      tests: ["assert add(2, 3) == 5", "def test_zero(): assert add(0, 0) == 0"]
      files: {shop/prices.py: "def price(name: str) -> int: ..."}
      file: shop/basket.py       # where the answer goes; {answer} in its text is replaced,
                                 # a body to be completed at the depth it needs there
      text: |
        from shop.prices import price
        {answer}
      uses: [price]              # names of the other files that have to be used

The answer is the code block that defines most of what the tests name (the longest of
equal ones), else the whole output. Tests see its names and may import it as `solution`
(or under `file`). A test is its lines, then the functions `test_...` (async ones too) and
the methods of classes `Test...` and of unittest's cases that it defines. With `files`,
the answer must also fit them: what they define is used as it is defined, not defined anew.

What the sandbox is: a process with its own empty folder and no environment, limits
on processor time, wall time, memory, file size and processes, no network (a network
namespace where the system grants one; in any case Python's own way to sockets,
processes, databases, and files outside of its folder is closed), and Python's standard
library alone. What it is not: a wall
against code written to break out. It runs as the same user on the same kernel;
native code can go round what Python closes. Run answers of models you do not trust
inside a container or a virtual machine. And an answer set on cheating can make its
tests pass: read what passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.code_context import context
from befit.scorers.code_run import Job, Limits, Ran, run
from befit.scorers.code_tests import MARK, meant, placed, test_problem
from befit.scorers.evidence import Span, quoted, version_of
from befit.scorers.parsing import payloads
from befit.scorers.written import texts_of

NAME = "code"
CODE_VERSION = "2"
MAX_CODE = 100_000
SOLUTION = "solution.py"


class CodeOptions(Record):
    """Limits of the sandbox, and tests that every sample shares."""

    tests: tuple[str, ...] = Field(
        default=(), description="Tests of every sample, besides those of its target."
    )
    seconds: float = Field(
        default=10.0,
        gt=0,
        le=300,
        description="Wall time of all tests of an answer; 0 passes after.",
    )
    memory: int = Field(default=512, ge=64, le=16_384, description="MB of address space.")
    command: tuple[str, ...] = Field(
        default=(),
        description="Another language: the command, with {file} for the answer followed by the"
        " tests; it passes with exit code 0. Python's own restrictions do not hold there.",
    )
    file: str = Field(
        default=SOLUTION, pattern=r"^[\w./-]+$", description="Name of the answer's file."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    tests: tuple[str, ...]
    files: dict[str, str]
    file: str
    text: str
    uses: tuple[str, ...]


class Code:
    """Code by its tests, and by how it fits the files around it."""

    name = NAME
    primary = "tests_pass"
    names = ("tests_pass", "code_parses", "context_kept")
    needs_target = True
    Options = CodeOptions

    def __init__(self, options: CodeOptions) -> None:
        if not _inside(options.file):
            raise ValueError(f"'{options.file}' is no path inside of the sandbox")
        self.options = options
        self.version = version_of(CODE_VERSION, options)

    def target_problem(self, target: Json) -> str | None:
        """Return why no answer can be judged by `target`, None where answers can."""
        task = self._task(target)
        return task if isinstance(task, str) else None

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `tests_pass` (the share of tests), `code_parses`, `context_kept`, each test."""
        return [check.score(NAME, self.version) for check in self._checks(sample, trial)]

    def _checks(self, sample: Sample, trial: Trial) -> list[Check]:
        task = self._task(sample.target)
        if isinstance(task, str):
            label = "no_target" if sample.target is None else "bad_target"
            return [Check(name="tests_pass", value=None, label=label, rule=task)]
        output = trial.output[:MAX_CODE]
        if not output.strip():
            return [Check(name="tests_pass", value=0.0, label="no_answer", rule="an answer")]
        span = meant(output, [place.span for place in payloads(output)], task.tests)
        first_line = output.rfind("\n", 0, span[0]) + 1
        indented = not output[first_line : span[0]].strip()
        whole = placed(task.text, output[first_line if indented else span[0] : span[1]])
        ran = run(
            Job(
                files={**task.files, task.file: whole},
                file=task.file,
                tests=task.tests,
                command=self.options.command,
            ),
            Limits(seconds=self.options.seconds, megabytes=self.options.memory),
        )
        first = _whole(ran, span)
        if self.options.command or ran.error:
            return [first, *_parts(ran)]
        if ran.syntax is not None and trial.completions[-1].finish_reason == "length":
            first = first._replace(label="truncated")
        checks = [_parses(ran, span)]
        # Only what was compiled in the sandbox is parsed in this process.
        if ran.syntax is None and (task.files or task.uses):
            given = placed(task.text, "pass")
            fits = context(whole, task.files, uses=task.uses, file=task.file, given=given)
            checks.append(fits)
            if first.value == 1.0 and fits.value != 1.0:
                why = fits.explanation
                first = first._replace(value=0.0, label=fits.label, explanation=why)
        return [first, *checks, *_parts(ran)]

    def _task(self, target: Json) -> _Task | str:
        """Return what is to be run, or why it cannot be read."""
        if target is None:
            return "the sample's tests"
        given = target if isinstance(target, Mapping) else {"tests": target}
        files = given.get("files") or {}
        file = str(given.get("file") or self.options.file)
        text = str(given.get("text") or "{answer}\n")
        tests = (*self.options.tests, *texts_of(given.get("tests")))
        if not isinstance(files, Mapping) or not tests:
            return "the target has 'tests', and 'files' as a mapping of paths to texts"
        if not all(_inside(str(path)) for path in (*files, file)):
            return "a path of 'files' leads out of the sandbox"
        if MARK not in text:
            return "'text' has no {answer}"
        if not self.options.command:
            wrong = (test_problem(test, (*map(str, files), file)) for test in tests)
            problem = next(filter(None, wrong), None)
            if problem is not None:
                return problem
        return _Task(
            tests=tests,
            files={str(path): str(content) for path, content in files.items()},
            file=file,
            text=text,
            uses=texts_of(given.get("uses")),
        )


def _inside(path: str) -> bool:
    steps = path.split("/")
    return not path.startswith("/") and ".." not in steps and "\0" not in path and bool(path)


def _parses(ran: Ran, span: Span) -> Check:
    return Check(
        name="code_parses",
        value=float(ran.syntax is None),
        label="right" if ran.syntax is None else "syntax_error",
        rule="the answer is Python",
        span=span,
        explanation=ran.syntax,
    )


def _whole(ran: Ran, span: Span) -> Check:
    passed = sum(one.passed for one in ran.tests)
    wrong = next((one for one in ran.tests if not one.passed), None)
    label = "right" if wrong is None else wrong.label
    return Check(
        name="tests_pass",
        value=None if ran.error else passed / len(ran.tests),
        label="scorer_error" if ran.error else label,
        rule=f"{passed} of {len(ran.tests)} tests; {ran.fence}",
        span=span,
        explanation=ran.error or (quoted(wrong.why, limit=300) if wrong and wrong.why else None),
    )


def _parts(ran: Ran) -> list[Check]:
    return [
        Check(
            name="test",
            value=float(one.passed),
            label=one.label,
            rule="the test ends without an error",
            part=f"test {place + 1}",
            explanation=quoted(one.why, limit=300) if one.why else None,
        )
        for place, one in enumerate(() if ran.error else ran.tests)
    ]
