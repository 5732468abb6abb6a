from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from befit.config.load import load_project
from befit.core.scenario import Equality
from befit.errors import UsageError
from befit.pipeline import reporting
from befit.pipeline.analysing import Analysed, analyse_run, answer_codes
from befit.pipeline.equality import describe, sameness
from befit.pipeline.repeating import equality_of, measure, run_repeated
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace
from befit.testing.exchange import Ask
from cli_ground import PROJECT, provided, write_project

ONE = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]


def test_equal_outputs_share_a_number_within_candidate_and_sample_only() -> None:
    keys = [(0, 0), (0, 0), (0, 0), (0, 1), (1, 0)]
    same = sameness(Equality(method="normalised"))
    codes = answer_codes(keys, ["Yes", "yes ", "no", "no", "no"], same)
    assert codes.tolist() == [0, 0, 1, 0, 0]


def test_an_empty_output_is_no_answer() -> None:
    same = sameness(Equality(method="exact"))
    assert answer_codes([(0, 0)] * 3, ["", " \n", "x"], same).tolist() == [-1, -1, 0]


@pytest.mark.parametrize(
    ("equality", "a", "b", "expected"),
    [
        (Equality(method="exact"), "x", "x ", False),
        (Equality(method="normalised"), "x", "X ", True),
        # 10 of 11 characters: .909
        (Equality(method="edit", threshold=0.9), "abcdefghij", "Xabcdefghij", True),
        (Equality(method="edit", threshold=0.95), "abcdefghij", "Xabcdefghij", False),
        (Equality(method="function", function="operator:eq"), "x", "x", True),
    ],
)
def test_each_way_to_compare_two_answers(equality, a, b, expected) -> None:
    assert sameness(equality)(a, b) is expected
    assert describe(equality)


def varying() -> Callable[[Ask], str]:
    """Answers of which every second to the same question ends in a full stop."""
    asked: Counter[tuple[str, str]] = Counter()

    def answer(ask: Ask) -> str:
        asked[ask.model, ask.prompt] += 1
        stop = "." if asked[ask.model, ask.prompt] % 2 == 0 else ""
        return f"The total is {ask.prompt[-6:-4]}{stop}"

    return answer


def analysed(folder: Path, text: str) -> Analysed:
    project = write_project(folder, text=text)
    with (
        provided(project, answer=varying()),
        Workspace.open(folder / ".befit") as workspace,
    ):
        ran = run_project(load_project(folder), workspace)
        return analyse_run(workspace, ran.manifest.id)


@pytest.mark.parametrize(
    # three answers, one of them with a full stop: one pair of three is equal to the letter
    ("equality", "agreement"),
    [("{method: exact}", 1 / 3), ("{method: edit, threshold: 0.8}", 1.0)],
)
def test_stability_uses_the_equality_that_the_scenario_names(
    tmp_path: Path, equality: str, agreement: float
) -> None:
    text = ONE.replace("repeats: 2", f"repeats: 3\n    equality: {equality}").replace(
        "critical: true", "critical: false"
    )
    cells = analysed(tmp_path, text).analysis.stability
    assert [cell.agreement.value for cell in cells] == pytest.approx([agreement] * 2)


def test_failures_are_named_by_label_and_by_pattern(tmp_path: Path) -> None:
    modes = "failure_modes: [{name: wordy, pattern: total}]"
    text = (
        ONE[: ONE.index("    failure_modes:")] + f"    {modes}\n" + ONE[ONE.index("    repeats:") :]
    )
    text = text.replace("{numeric: true}", "{mode: exact}")
    counts = analysed(tmp_path, text).analysis.failures
    assert {(c.mode, c.count) for c in counts} == {("wordy", 12)}
    assert all(c.share.value == 1.0 for c in counts)


def test_a_report_cut_to_size_quotes_the_first_of_every_mode_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with provided(write_project(tmp_path)), Workspace.open(tmp_path / ".befit") as workspace:
        run_id = run_project(load_project(tmp_path), workspace).manifest.id
        whole = reporting.make_document(workspace, run_id, full=True)
        monkeypatch.setattr(reporting, "QUOTED", 2)
        short = reporting.make_document(workspace, run_id)
    assert len(whole.failures) == 9
    # two modes: each is quoted once before any is quoted twice
    assert sorted(f.mode for f in short.failures) == ["guess", "hostile"]
    assert short.failures[0].output.startswith("\x1b")
    assert len(whole.passes) == reporting.AUDITED
    assert all(p.mode == "pass" and p.quotes for p in whole.passes)
    assert whole.passes == short.passes


def test_repeating_a_call_counts_failures_as_missing() -> None:
    answers = iter(["yes", "Yes", OSError("down"), "no"])

    def call(_: str) -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    found = run_repeated(call, "Is it?", n=4)
    assert found.outputs == ("yes", "Yes", "no")
    assert found.failures == ("OSError: down",)
    # one of three pairs agrees after normalising
    assert found.agreement.value == pytest.approx(1 / 3)
    assert found.agreement.n_missing == 1
    assert found.agreement.low < found.agreement.value < found.agreement.high


def test_one_answer_agrees_with_nothing() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        run_repeated(str, "x", n=1)
    assert measure("x", ["a"], failures=[]).agreement.value is None


def test_full_agreement_of_few_answers_is_not_certain() -> None:
    found = measure("x", ["a"] * 5, failures=[])
    assert found.agreement.value == 1.0
    # Wilson at n = 5
    assert found.agreement.low == pytest.approx(0.5655, abs=1e-3)


def test_an_unknown_way_to_compare_is_told_before_any_call() -> None:
    def never(_: str) -> str:
        raise AssertionError("nothing may be called")

    with pytest.raises(UsageError, match="no way to compare"):
        run_repeated(never, "x", same="nosuch")
    assert equality_of("my.module:same").function == "my.module:same"
