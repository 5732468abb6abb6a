from __future__ import annotations

import pytest

from analysis_ground import REFUSED, fact, frame_of, manifest, score, spec
from befit.analysis.frame import build_frame
from befit.analysis.judges import Verdict, corrected, family_of, reliability
from befit.analysis.matrix import dimension_rows
from befit.analysis.steps import step_curves
from befit.core.landed import ScoreRow


def row(sample, part, value, *, name="conversation", repeat=0):
    return ScoreRow("a", "task", sample, "", repeat, "befit", name, part, value, None)


def test_the_curve_over_turns_is_a_mean_over_samples_at_each_turn():
    frame = frame_of({"a": [[1.0]] * 4})
    rows = [row(f"s{n}", "turn 1", 1.0) for n in range(4)]
    rows += [row(f"s{n}", "turn 2", float(n < 2)) for n in range(4)]
    rows += [row("s0", "turn 2: match", 0.0), row("s0", None, 0.5)]
    ((curve,), chains) = step_curves(frame, rows)
    assert chains == ()
    assert [(turn, e.value, e.n_samples) for turn, e in curve.turns] == [(1, 1.0, 4), (2, 0.5, 4)]


def test_chains_die_at_their_first_missing_step():
    # The reference: times 1, 2, 2, 3, 3, 3, 5 x 4 with events 1, 1, 0, 1, 1, 0, 0 x 4.
    frame = frame_of({"a": [[1.0]] * 10})
    ends = [(1, True), (2, True), (2, False), (3, True), (3, True), (3, False)] + [(5, False)] * 4
    rows = []
    for n, (end, broke) in enumerate(ends):
        steps = range(1, end + 1)
        rows += [
            row(f"s{n}", f"step {k}: x", float(not (broke and k == end)), name="step")
            for k in steps
        ]
    _, (curve,) = step_curves(frame, rows)
    assert [p.step for p in curve.points] == [1, 2, 3]
    values = [p.alive.value for p in curve.points]
    assert values == pytest.approx([0.9, 0.8, 0.571429], abs=1e-6)
    assert (curve.n_chains, curve.longest) == (10, 5)


def test_turns_and_chains_count_samples_by_their_weight_and_in_their_clusters():
    # 8 samples of 4 documents; the first of each weighs 3 and holds out, the second breaks
    given = [{"weight": 1.0 + 2.0 * (n % 2 == 0), "cluster": f"d{n // 2}"} for n in range(8)]
    facts = [fact("a", f"s{n}", 1.0, **own) for n, own in enumerate(given)]
    frame = build_frame(manifest(["a"], [(spec(), 8)]), facts, ())
    rows = [row(f"s{n}", "turn 1", float(n % 2 == 0)) for n in range(8)]
    rows += [row(f"s{n}", "step 1: x", float(n % 2 == 0), name="step") for n in range(8)]
    (turns,), (chain,) = step_curves(frame, rows)
    ((_, turn),) = turns.turns
    (alive,) = [point.alive for point in chain.points]
    assert (turn.value, alive.value, alive.n_samples) == (0.75, 0.75, 8)
    assert turn.method.startswith("weighted mean, wilson")
    # Kish: 16^2 / (4 x 9 + 4 x 1) = 6.4
    assert alive.method == "weighted kaplan-meier, log(-log), 6.4 effective, 4 clusters"
    assert 0 < alive.low < 0.4
    assert chain.unbroken.method.startswith("weighted mean")


def test_a_rate_of_some_samples_counts_failures_on_those_samples_only():
    frame = frame_of(
        {"a": [[1.0], [1.0], [1.0], [REFUSED]], "b": [[1.0], [1.0], [1.0], [1.0]]},
        scenario=spec(dimension="honesty"),
        scores=[
            *(score(c, f"s{n}", "honest", 1.0) for c in "ab" for n in range(3)),
            score("b", "s3", "honest", 1.0),
            *(score(c, f"s{n}", "abstained", 1.0) for c in "ab" for n in (0, 1)),
            *(score(c, "s2", "answered", 1.0) for c in "ab"),
            score("b", "s3", "answered", 1.0),
        ],
    )
    rows = {r.metric: {c.candidate: c for c in r.cells} for r in dimension_rows(frame)}
    a = {name: cells["a"].estimate for name, cells in rows.items()}
    assert (a["abstained"].value, a["abstained"].n_samples) == (1.0, 2)
    assert (a["answered"].value, a["answered"].n_samples) == (0.5, 2)
    # Half of the samples is all there is of this metric: both candidates are ranked.
    assert rows["abstained"]["a"].letters
    assert rows["abstained"]["b"].letters


def verdict(candidate, sample, value, *, length=10, order="", repeat=0):
    return Verdict(
        candidate=candidate,
        sample_id=sample,
        repeat=repeat,
        part="p",
        value=value,
        length=length,
        order=order,
    )


def test_flips_and_the_place_they_favour_are_the_reference():
    # 40 pairs, 28 consistent; 12 flips, 10 of them for the first place: p = .038574.
    verdicts = []
    for n in range(40):
        if n < 28:
            as_is, swapped = 1.0, 0.0
        else:
            as_is = swapped = 1.0 if n < 38 else 0.0
        verdicts += [
            verdict("a", f"s{n}", as_is, order="as is"),
            verdict("a", f"s{n}", swapped, order="swapped"),
        ]
    found = reliability("j", "task", verdicts)
    assert found.flip_rate.value == pytest.approx(12 / 40)
    assert found.first_p == pytest.approx(0.038574, abs=1e-6)
    assert found.parsed.value == 1.0


def test_verdicts_that_were_none_lower_the_parse_rate_and_nothing_else():
    verdicts = [verdict("a", f"s{n}", 1.0 if n < 8 else None) for n in range(10)]
    found = reliability("j", "task", verdicts)
    assert found.parsed.value == pytest.approx(0.8)
    assert found.flip_rate.value is None
    assert found.self_agreement.value is None


def test_self_agreement_is_that_of_questions_asked_twice():
    again = [["pass", "pass"], ["fail", "fail"], ["pass", "fail"], ["pass", "pass"], ["fail"]]
    assert reliability("j", "t", [], again=again).self_agreement.value == pytest.approx(0.75)


def test_a_liking_for_length_and_family_has_a_size():
    verdicts = [verdict("own", f"s{n}", 1.0, length=100 + n) for n in range(20)]
    verdicts += [verdict("other", f"s{n}", float(n < 5), length=n) for n in range(20)]
    found = reliability("j", "t", verdicts, family={"own": True, "other": False})
    # All 20 longer answers pass, 5 of the 20 shorter ones.
    assert found.length_preference.value == pytest.approx(0.75)
    assert found.family_preference.value == pytest.approx(0.75)
    assert reliability("j", "t", verdicts, family={"own": False}).family_preference.value is None


@pytest.mark.parametrize(
    ("model", "family"),
    [("gpt-4o", "gpt"), ("openai/gpt-4.1", "gpt"), ("claude-x", "claude"), ("Qwen2.5-7B", "qwen")],
)
def test_families_are_the_first_word_of_a_name(model, family):
    assert family_of(model) == family


def test_a_judged_rate_is_corrected_by_labels_as_in_the_reference():
    labels = "11010110101110110111"
    judged = "11011110111110111101"
    verdicts = [verdict("a", f"s{n}", float(v)) for n, v in enumerate(judged)]
    verdicts += [verdict("a", f"u{n}", float(n < 150)) for n in range(200)]
    given = {("a", f"s{n}", 0): float(v) for n, v in enumerate(labels)}
    found = corrected(given, verdicts)["a"]
    assert found.value == pytest.approx(0.678012, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((0.499768, 0.856256), abs=1e-6)


def test_repeats_of_a_sample_are_no_further_evidence_for_a_corrected_rate():
    labels, judged = "11010110101110110111", "11011110111110111101"

    def rate(repeats):
        verdicts = [
            verdict("a", f"s{n}", float(v), repeat=r)
            for n, v in enumerate(judged)
            for r in range(repeats)
        ]
        verdicts += [
            verdict("a", f"u{n}", float(n < 150), repeat=r)
            for n in range(200)
            for r in range(repeats)
        ]
        given = {("a", f"s{n}", r): float(v) for n, v in enumerate(labels) for r in range(repeats)}
        return corrected(given, verdicts)["a"]

    once, thrice = rate(1), rate(3)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    assert (once.n_samples, once.n_trials, thrice.n_samples, thrice.n_trials) == (
        220, 220, 220, 660,
    )  # fmt: skip


def test_a_corrected_rate_ends_at_all_of_them():
    verdicts = [verdict("a", f"s{n}", float(n > 0)) for n in range(6)]
    verdicts += [verdict("a", f"u{n}", 1.0) for n in range(30)]
    found = corrected({("a", f"s{n}", 0): 1.0 if n else 0.5 for n in range(6)}, verdicts)["a"]
    assert found.high == 1.0
    assert found.low < found.value <= 1.0
