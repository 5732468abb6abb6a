from __future__ import annotations

import random

import pytest

from analysis_ground import FIELDS, REFUSED, fact, facts_of, field_row, frame_of, manifest, spec
from befit.analysis.confounding import changes, confounders
from befit.analysis.extraction import field_cells
from befit.analysis.failures import Failed, failure_counts
from befit.analysis.frame import build_frame
from befit.analysis.matrix import dimension_rows, scenario_rows
from befit.analysis.profiles import pair_profiles, weak_spots
from befit.core.candidate import Candidate, Prompt, Sampling
from befit.core.scenario import FailureMode

LABELS = ["right"] * 70 + ["wrong"] * 4 + ["missed"] * 6
ABSENT = ["true_null_marked"] * 15 + ["invented"] * 5


def extraction_frame(outcomes, **changed):
    return frame_of(outcomes, scenario=spec(dimension="extraction", scorers=(FIELDS,), **changed))


def test_the_rates_of_the_textbook_table() -> None:
    # 100 documents of one field each: present 80 (70 right, 4 wrong, 6 missed),
    # absent 20 (15 marked, 5 invented)
    frame = extraction_frame({"a": [[1.0]] * 100})
    rows = [field_row(f"s{i}", "total", label) for i, label in enumerate(LABELS + ABSENT)]
    whole = next(c for c in field_cells(frame, rows) if c.field is None)
    assert whole.accuracy.value == pytest.approx(0.85)
    assert whole.coverage.value == pytest.approx(0.79)
    assert whole.selective_accuracy.value == pytest.approx(0.886076, abs=1e-6)
    assert whole.invented.value == pytest.approx(0.25)
    assert whole.missed.value == pytest.approx(0.075)
    assert whole.f1.value == pytest.approx(0.880503, abs=1e-6)
    assert whole.penalised_even.value == pytest.approx(0.76)
    assert whole.penalised_strict.value == pytest.approx(0.58)
    assert whole.marked_not_found.value == pytest.approx(0.75)
    assert whole.outcomes == {
        "right": 70,
        "wrong": 4,
        "missed": 6,
        "true_null_marked": 15,
        "invented": 5,
    }
    for estimate in (whole.accuracy, whole.f1, whole.penalised_strict):
        assert estimate.low < estimate.value < estimate.high
    assert (whole.accuracy.n_samples, whole.accuracy.n_trials) == (100, 100)
    # of the 15 documents rightly left without a value F1 says nothing
    assert (whole.f1.n_samples, whole.f1.n_trials) == (85, 85)


def test_fields_of_one_document_do_not_count_as_independent() -> None:
    labels = LABELS + ABSENT
    random.Random(1).shuffle(labels)  # noqa: S311 - a shuffle, no secret
    apart = [field_row(f"s{i}", "total", label) for i, label in enumerate(labels)]
    # the same outcomes in 10 documents that are each wholly right or wholly wrong
    ordered = sorted(labels)
    together = [field_row(f"s{i // 10}", f"f{i % 10}", label) for i, label in enumerate(ordered)]
    one = field_cells(extraction_frame({"a": [[1.0]] * 100}), apart)
    two = field_cells(extraction_frame({"a": [[1.0]] * 10}), together)
    plain = next(c for c in one if c.field is None).accuracy
    clustered = next(c for c in two if c.field is None).accuracy
    assert clustered.value == pytest.approx(plain.value)
    assert clustered.high - clustered.low > 2 * (plain.high - plain.low)
    assert clustered.n_samples == 10


def test_three_outcomes_of_an_absent_field_are_told_apart() -> None:
    frame = extraction_frame({"a": [[1.0]] * 4})
    labels = ["true_null_marked", "omitted", "invented", "invented"]
    rows = [field_row(f"s{i}", "vat", label) for i, label in enumerate(labels)]
    cell = next(c for c in field_cells(frame, rows) if c.field == "vat")
    assert (cell.marked_not_found.value, cell.omitted.value, cell.invented.value) == (
        0.25,
        0.25,
        0.5,
    )
    assert cell.missed.value is None


def test_an_unreadable_answer_and_a_refusal_are_wrong_but_no_miss() -> None:
    frame = extraction_frame(
        {"a": [[1.0], [1.0], [REFUSED]], "b": [[1.0], [1.0], [1.0]]},
    )
    rows = [
        field_row("s0", "total", "right"),
        field_row("s1", "total", "unparsed"),
        *[field_row(f"s{i}", "total", "right", candidate="b") for i in range(3)],
    ]
    cell = next(c for c in field_cells(frame, rows) if c.candidate == "a" and c.field == "total")
    assert cell.outcomes == {"right": 1, "unparsed": 1, "no_answer": 1}
    assert cell.accuracy.value == pytest.approx(1 / 3)
    assert (cell.missed.value, cell.missed.n_samples) == (0.0, 3)
    assert cell.present.value == pytest.approx(1 / 3)
    assert cell.coverage.value == pytest.approx(1 / 3)


def test_an_unreadable_answer_does_not_miss_what_the_document_lacks() -> None:
    frame = extraction_frame({"a": [[1.0]], "b": [[1.0]]})
    rows = [
        field_row("s0", "vat", "unparsed"),
        field_row("s0", "vat", "true_null_marked", candidate="b"),
    ]
    cell = next(c for c in field_cells(frame, rows) if c.candidate == "a" and c.field == "vat")
    assert cell.missed.value is None
    assert cell.invented.value == 0.0
    assert cell.accuracy.value == 0.0


def test_unreadable_answers_of_one_candidate_stay_in_what_the_shares_are_of() -> None:
    frame = extraction_frame({"a": [[1.0]] * 6})
    labels = ["true_null_marked", "omitted", "invented", "unparsed", "unparsed", "invented"]
    rows = [field_row(f"s{i}", "vat", label) for i, label in enumerate(labels)]
    for sample in ("s3", "s4"):
        unread = field_row(sample, "vat", "unparsed")
        rows.append(unread._replace(name="field_unread", label="not_held"))
    cell = next(c for c in field_cells(frame, rows) if c.field == "vat")
    shares = (cell.marked_not_found, cell.omitted, cell.invented)
    assert [share.value for share in shares] == pytest.approx([1 / 6, 1 / 6, 2 / 6])
    assert {share.n_samples for share in shares} == {6}
    assert cell.present.value == pytest.approx(2 / 6)
    assert cell.missed.value is None


def test_a_field_whose_target_cannot_be_read_is_not_asked() -> None:
    frame = extraction_frame({"a": [[1.0], [1.0]]})
    rows = [
        field_row("s0", "total", "right"),
        field_row("s1", "total", "bad_target")._replace(value=None),
    ]
    cell = next(c for c in field_cells(frame, rows) if c.field == "total")
    assert cell.accuracy.value == 1.0
    assert cell.accuracy.n_samples == 1


MODES = (
    FailureMode(name="guess", label="invented"),
    FailureMode(name="chatty", pattern="Sure"),
    FailureMode(name="late guess", label="invented"),
)


def failed(sample: str, *labels: str, output: str | None = None, repeat: int = 0) -> Failed:
    return Failed(
        candidate="a",
        scenario="task",
        sample_id=sample,
        variant="",
        repeat=repeat,
        labels=frozenset(labels),
        output=output,
    )


def test_a_failed_trial_counts_once_under_the_first_mode_that_fits() -> None:
    frame = frame_of({"a": [[0.0], [0.0], [0.0], [1.0]]}, scenario=spec(failure_modes=MODES))
    counts = failure_counts(
        frame,
        [
            failed("s0", "invented", output="Sure, 7"),
            failed("s1", output="Sure!"),
            failed("s2", "wrong", output="7"),
        ],
    )
    assert {c.mode: c.count for c in counts} == {"guess": 1, "chatty": 1, "other": 1}
    assert all(c.share.value == 0.25 and c.share.n_samples == 4 for c in counts)


def test_failure_shares_are_of_scored_trials_and_keep_five_examples() -> None:
    frame = frame_of({"a": [[0.0, 1.0]] * 6 + [["missing", "missing"]]})
    counts = failure_counts(frame, [failed(f"s{i}") for i in range(6)])
    assert counts[0].count == 6
    assert counts[0].share.value == pytest.approx(0.5)
    assert (counts[0].share.n_trials, counts[0].share.n_missing) == (12, 2)
    assert len(counts[0].examples) == 5


def many(rate: float, n: int = 100):
    return [[float(i < rate * n)] for i in range(n)]


def two_scenarios(a: tuple[float, float], b: tuple[float, float]):
    one = spec("one", dimension="writing")
    two = spec("two", dimension="facts", critical=True)
    made = manifest(["a", "b"], [(one, 100), (two, 100)])
    rows = [
        row
        for at, name in enumerate(("one", "two"))
        for row in facts_of({"a": many(a[at]), "b": many(b[at])}, scenario=name)
    ]
    return build_frame(made, rows, [])


def test_candidates_of_one_group_are_told_where_they_differ_and_which_way() -> None:
    rows = dimension_rows(two_scenarios((0.8, 0.9), (0.8, 0.4)))
    profile = pair_profiles(rows, ("a", "b"))[0]
    assert profile.shared_rows == ("writing/pass",)
    assert [d.row for d in profile.differing] == ["facts/pass"]
    assert profile.differing[0].verdict == "better"


def test_the_weakest_cell_of_a_critical_scenario_comes_first() -> None:
    frame = two_scenarios((0.1, 0.9), (0.8, 0.4))
    spots = weak_spots(dimension_rows(frame), scenario_rows(frame), ("a", "b"))
    assert [(s.candidate, s.row, s.critical) for s in spots] == [
        ("a", "scenario/two", True),
        ("b", "scenario/two", True),
    ]


def test_two_models_under_different_templates_are_confounded_and_one_model_is_not() -> None:
    other = Candidate(
        name="b", target="openai", model="y", prompt=Prompt(templates={"task": "Say {input}"})
    )
    made = manifest([Candidate(name="a", target="openai", model="x"), other], [(spec(), 1)])
    assert confounders(made, *made.candidates, scenarios=["task"]) == ("template",)
    assert confounders(made, *made.candidates, scenarios=["elsewhere"]) == ()
    same = manifest([Candidate(name="a", target="openai", model="y"), other], [(spec(), 1)])
    assert confounders(same, *same.candidates, scenarios=["task"]) == ()


def test_all_that_can_change_an_answer_is_told_and_an_unset_value_is_a_default() -> None:
    a = Candidate(name="a", target="openai", model="x", sampling=Sampling(temperature=0.2))
    b = Candidate(name="b", target="openai", model="x", options={"top_k": 5})
    told = {(c.part, c.key): (c.a, c.b) for c in changes(a, b)}
    assert told == {
        ("sampling", "temperature"): ("0.2", "provider default"),
        ("settings", "top_k"): ("provider default", "5"),
    }


def test_a_document_without_any_row_has_no_cells() -> None:
    frame = build_frame(manifest(["a"], [(spec(), 1)]), [fact("a", "s0")], [])
    assert field_cells(frame, []) == ()
